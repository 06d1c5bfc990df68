"""Reference tables: workbooks and CSV files, two languages, and what is refused."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import Workbook

from models.reference import TABLES
from pipelines.sources import FileRefused, MissingColumns
from pipelines.sources.reference import READERS, ReferenceOptions

(READER,) = READERS
TENANTS = "tenant,name,name_zh\nresearch,Research,前沿研究\nspeech,Speech,语音\n"


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def read(path: Path, **options):
    return READER.read(path, ReferenceOptions(**options))


def messages(result):
    return [rejection.message for rejection in result.rejected]


def book(path: Path, **sheets) -> Path:
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(path)
    return path


def test_file_is_the_table_it_is_named_after(tmp_path):
    result = read(write(tmp_path, "tenant.csv", TENANTS))
    frame = result.tables["tenant"]
    assert frame["tenant"].to_list() == ["research", "speech"]
    assert frame["source_row"].to_list() == [2, 3]
    assert frame["owner"].to_list() == [None, None]
    assert result.rows_read == 2


def test_file_of_another_name_is_known_by_its_headings(tmp_path):
    path = write(tmp_path, "fy26-plan.csv", "tenant,month,currency,amount\na,2026-01,USD,1\n")
    assert READER.sniff(path)
    assert list(read(path).tables) == ["budget"]


def test_unrelated_file_is_refused_with_the_tables_there_are(tmp_path):
    path = write(tmp_path, "hello.csv", "x,y\n1,2\n")
    assert not READER.sniff(path)
    with pytest.raises(FileRefused, match="allocation_rule, budget, cluster"):
        read(path)


def test_chinese_headings_in_gbk_read_as_english_ones(tmp_path):
    text = '租户,月份,币种,预算金额\nresearch,2026年3月,cny,"1,200.50"\n'
    row = read(write(tmp_path, "预算.csv", text, "gb18030")).tables["budget"].row(0, named=True)
    assert row["month"] == "2026-03"
    assert row["currency"] == "CNY"
    assert row["amount"] == Decimal("1200.50")


def test_chinese_words_for_steps_and_policies_are_understood(tmp_path):
    text = (
        "规则,步骤,优先级,字段,运算符,取值,集群,计量,闲置策略\n"
        "上海集群,计量,10,供应商,等于,Yunqi DC,shanghai,卡时,按配额\n"
    )
    row = read(write(tmp_path, "分摊规则.csv", text)).tables["allocation_rule"].row(0, named=True)
    assert (row["step"], row["field"], row["operator"], row["metric"], row["idle_policy"]) == (
        "metered",
        "provider",
        "equals",
        "gpu_hours",
        "quota",
    )


def test_workbook_holds_a_table_a_sheet_and_names_sheets_it_leaves(tmp_path):
    path = book(
        tmp_path / "reference.xlsx",
        Notes=[["who keeps this"], ["finance"]],
        tenant=[["tenant", "name"], ["research", "Research"]],
        budget=[
            ["tenant", "month", "currency", "amount"],
            ["research", date(2026, 3, 1), "USD", 12.5],
        ],
    )
    result = read(path)
    assert set(result.tables) == {"tenant", "budget"}
    assert result.tables["budget"]["month"].to_list() == ["2026-03"]
    assert 'sheet "Notes" is no reference table' in result.notes[0]


def test_unknown_tenant_names_sheet_row_and_the_nearest(tmp_path):
    path = book(
        tmp_path / "reference.xlsx",
        budget=[["tenant", "month", "currency", "amount"], ["reserch", "2026-03", "USD", 1]],
        tenant=[["tenant", "name"], ["research", "Research"], ["speech", "Speech"]],
    )
    (rejection,) = read(path).rejected
    assert rejection.row == 2
    assert rejection.message == (
        'reference.xlsx, sheet budget, row 2, tenant: "reserch" is unknown. '
        'Did you mean "research"?'
    )


def test_tenants_of_a_file_beside_are_known(tmp_path):
    write(tmp_path, "tenants.csv", TENANTS)
    path = write(tmp_path, "quota.csv", "tenant,cluster,gpus\nspeach,k,8\nspeech,k,4\n")
    result = read(path)
    assert result.tables["quota"]["tenant"].to_list() == ["speech"]
    assert 'Did you mean "speech"?' in messages(result)[0]


def test_without_a_tenant_table_any_tenant_passes(tmp_path):
    assert read(write(tmp_path, "quota.csv", "tenant,cluster,gpus\nx,k,8\n")).rejected == []


@pytest.mark.parametrize(
    ("line", "column", "rule"),
    [
        (",2026-03,USD,1", "tenant", "blank"),
        ("a,March,USD,1", "month", "month"),
        ("a,2026-13,USD,1", "month", "month"),
        ("a,2026-03,US$,1", "currency", "currency"),
        ('a,2026-03,USD,"1.204,50"', "amount", "number"),
        ("Team A,2026-03,USD,1", "tenant", "name"),
    ],
)
def test_bad_cell_names_its_column_and_rule(tmp_path, line, column, rule):
    path = write(tmp_path, "budget.csv", f"tenant,month,currency,amount\n{line}\n")
    (rejection,) = read(path).rejected
    assert (rejection.row, rejection.column, rejection.rule) == (2, column, rule)
    assert rejection.message.startswith(f"budget.csv, row 2, {column}: ")


def test_decimal_commas_are_read_when_said(tmp_path):
    path = write(tmp_path, "budget.csv", "tenant;month;currency;amount\na;2026-03;EUR;1.204,50\n")
    frame = read(path, decimal=",").tables["budget"]
    assert frame["amount"].to_list() == [Decimal("1204.50")]


def test_repeated_key_is_refused_with_the_row_it_repeats(tmp_path):
    result = read(write(tmp_path, "tenant.csv", TENANTS + "speech,Speech again,\n"))
    assert result.tables["tenant"].height == 2
    assert messages(result) == ['tenant.csv, row 4, tenant: "speech" is in row 3 already']


def test_missing_column_is_named(tmp_path):
    with pytest.raises(MissingColumns, match="currency"):
        read(write(tmp_path, "budget.csv", "tenant,month,amount\na,2026-03,1\n"))


RULES = "rule,step,priority,field,operator,value,tenant,pool,method,shares\n"


def test_rows_of_a_rule_share_what_it_does(tmp_path):
    text = RULES + "r,direct,1,tag:team,equals,x,a,,,\nr,,,provider,equals,AWS,,,,\n"
    frame = read(write(tmp_path, "rules.csv", text)).tables["allocation_rule"]
    assert frame.select("step", "priority", "tenant").unique().rows() == [("direct", 1, "a")]
    assert frame.height == 2


def test_rule_with_one_bad_condition_is_refused_whole(tmp_path):
    text = RULES + (
        "r,direct,1,tag:team,equals,x,a,,,\nr,direct,1,regon,equals,eu,a,,,\n"
        "ok,direct,2,any,,,a,,,\n"
    )
    result = read(write(tmp_path, "rules.csv", text))
    assert result.tables["allocation_rule"]["rule"].to_list() == ["ok"]
    assert [rejection.row for rejection in result.rejected] == [3, 2]
    assert 'Did you mean "region_id"?' in messages(result)[0]
    assert "another row of the rule was refused" in messages(result)[1]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("r,shared,1,any,,,,net,fixed,a=0.7;b=0.4", "shares add up to 1.1"),
        ("r,shared,1,any,,,,net,fixed,reserch=0.7", 'Did you mean "research"?'),
        ("r,shared,1,any,,,,net,evenly,", 'Did you mean "even"?'),
        ("r,direct,1,any,,,reserch,,,", 'Did you mean "research"?'),
        ("r,direct,1,provider,equals,,research,,,", "what to compare with"),
        ("r,direct,one,any,,,research,,,", "is not a number"),
    ],
)
def test_bad_rule_says_what_is_wrong(tmp_path, line, words):
    write(tmp_path, "tenant.csv", TENANTS + "a,A,\nb,B,\n")
    result = read(write(tmp_path, "rules.csv", RULES + line + "\n"))
    assert result.tables["allocation_rule"].is_empty()
    assert words in messages(result)[0]


def test_every_row_is_in_a_table_or_refused(tmp_path):
    text = RULES + "r,direct,1,any,,,a,,,\nr2,direct,x,any,,,a,,,\nr2,direct,2,any,,,a,,,\n"
    result = read(write(tmp_path, "rules.csv", text))
    kept = sum(frame.height for frame in result.tables.values())
    assert kept + len(list(result.rejected)) == result.rows_read == 3


def test_accelerator_file_heads_its_reference_source(tmp_path):
    text = "accelerator,vendor,precision,dense_tflops,source\nH100 SXM,NVIDIA,BF16,989.4,sheet\n"
    row = read(write(tmp_path, "accelerators.csv", text)).tables["accelerator"].row(0, named=True)
    assert (row["dense_tflops"], row["reference"]) == (989.4, "sheet")


def test_frames_keep_their_contracts(tmp_path):
    path = book(
        tmp_path / "reference.xlsx",
        slo=[["service", "name", "kind", "target"], ["chat", "Chat", "推理", "99.9%"]],
        fx_rate=[["month", "from", "to", "rate"], ["2026-03", "CNY", "USD", 0.138]],
        cluster=[["cluster", "name", "gpus", "in service since"], ["k", "K", 8, date(2025, 1, 1)]],
    )
    result = read(path)
    assert result.rejected == []
    for table in TABLES:
        if table.name in result.tables:
            table.schema.validate(result.tables[table.name].drop("source_row"), lazy=True)
    assert result.tables["slo"]["target_percent"].to_list() == [99.9]
    assert result.tables["fx_rate"]["rate"].to_list() == [Decimal("0.138")]


@pytest.mark.golden
def test_real_accelerator_list_loads_whole():
    from tests.real import real

    result = read(real("accelerators.csv"))
    assert result.rejected == []
    assert result.tables["accelerator"].height == 121

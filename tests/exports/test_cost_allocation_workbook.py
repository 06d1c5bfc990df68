"""Finance's workbook: live totals that equal the page, text that stays text."""

import re
from decimal import Decimal
from io import BytesIO

import openpyxl
import pytest
from openpyxl.utils import range_boundaries

from exports.cost_allocation import write_cost_allocation
from metrics.answer import CannotAnswer
from metrics.cost_allocation import cost_allocation
from tests.lakes import facts_of, loaded, source
from tests.metrics.bills import charge, lake, rule

TENANTS = "tenant,name,name_zh,cost_center\na,=HYPERLINK(1),甲,+7\nb,Team B,乙,\n"


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    config = lake(
        tmp_path_factory.mktemp("workbook"),
        [
            charge("1000.005", ServiceName="=1+1", SubAccountName="@evil"),
            charge("33.333", ServiceName="Support"),
            charge("-4.4449", ServiceName="Storage", Tags='{"team": "b"}'),
            charge("12.5", ServiceName="Left over"),
            charge("1234.5", BillingCurrency="JPY", ServiceName="Storage", Tags='{"team": "b"}'),
        ],
        [
            rule("-a-", "direct", 1, "service_name", operator="equals", value="=1+1", tenant="a"),
            rule("b", "direct", 2, "tag:team", operator="equals", value="b", tenant="b"),
            rule(
                "support", "shared", 1, "service_name", operator="equals", value="Support",
                pool="support", method="fixed", shares="a=0.5;b=0.3",
            ),
        ],
        tenants=TENANTS,
    )  # fmt: skip
    return facts_of(config)


def workbook(facts, language="en", values=False):
    buffer = BytesIO()
    write_cost_allocation(facts, "2026-03", "billed", language, buffer)
    return openpyxl.load_workbook(buffer, data_only=values)


def test_kept_totals_equal_the_page_to_the_cent(facts):
    book = workbook(facts, values=True)
    allocation = cost_allocation(facts, "2026-03").frame
    rows = [
        row
        for row in book["By tenant"].iter_rows(min_row=2, values_only=True)
        if row[0] is not None
    ]
    assert [(row[0], row[3], cents(row[8])) for row in rows] == [
        (row["tenant"], row["currency"], row["total"]) for row in allocation.iter_rows(named=True)
    ]


def test_totals_are_formulas_and_recalculate_to_what_is_kept(facts):
    for language in ("en", "zh"):
        live, kept = workbook(facts, language), workbook(facts, language, values=True)
        formulas = [
            (sheet.title, cell.coordinate, cell.value)
            for sheet in live
            for row in sheet.iter_rows()
            for cell in row
            if cell.data_type == "f"
        ]
        assert len(formulas) > 40
        for sheet, place, formula in formulas:
            assert evaluated(kept, sheet, formula) == kept[sheet][place].value, (sheet, place)


def test_every_check_on_the_cover_is_zero(facts):
    cover = workbook(facts, values=True)["Cover"]
    checks = [row for row in cover.iter_rows(values_only=True) if row[2] in ("agrees", "differs")]
    assert len(checks) == 8
    assert {(row[1], row[2]) for row in checks} == {(0, "agrees")}


def test_text_that_looks_like_a_formula_stays_text(facts):
    live = workbook(facts)
    shown = {
        cell.value: cell.data_type for sheet in live for row in sheet.iter_rows() for cell in row
    }
    for text in ("=1+1", "@evil", "=HYPERLINK(1)", "+7", "-a-"):
        assert shown[text] == "s", text


def test_yen_have_no_decimals_and_exact_figures_are_text(facts):
    book = workbook(facts)
    rows = list(book["Reconciliation"].iter_rows(min_row=2))
    yen = next(row for row in rows if row[0].value == "All providers" and row[1].value == "JPY")
    assert yen[4].value == "1234.5"
    assert yen[7].number_format.startswith("#,##0;")
    assert yen[7].value == 1234  # half-even


def test_sheets_can_be_worked_with(facts):
    book = workbook(facts)
    assert book.sheetnames == [
        "Cover",
        "By tenant",
        "By service",
        "Rules",
        "Detail",
        "Reconciliation",
    ]
    for name in ("By tenant", "By service", "Rules", "Detail"):
        assert book[name].freeze_panes
        assert book[name].auto_filter.ref.startswith("A1:")


def test_chinese_workbook_says_everything_in_chinese(facts):
    book = workbook(facts, "zh", values=True)
    assert book.sheetnames == ["封面", "按租户", "按服务", "规则", "明细", "对账"]
    assert book["按租户"]["B2"].value in ("甲", "乙", "未分摊")
    english = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")
    for row in book["封面"].iter_rows(values_only=True):
        for value in row:
            assert not (isinstance(value, str) and english.search(value)), value


def test_nothing_loaded_is_said_instead_of_an_empty_workbook(tmp_path):
    (tmp_path / "tenant.csv").write_text("tenant,name\na,A\n")
    config = loaded(tmp_path, source("tables", "reference", "tenant.csv"))
    with pytest.raises(CannotAnswer, match="nothing to allocate"):
        write_cost_allocation(facts_of(config), None, "billed", "en", BytesIO())


def cents(value):
    return Decimal(str(value))


def evaluated(book, sheet, formula):
    """The workbook's own kinds of formula, worked out again from its cells."""
    body = formula.removeprefix("=")
    if found := re.fullmatch(r'IF\((\w+)=0,"(.*)","(.*)"\)', body):
        return found[2] if cell(book, sheet, found[1]) == 0 else found[3]
    if found := re.fullmatch(r"ROUND\((.+?)-(.+?),(\d)\)", body):
        left, right = (cents(cell(book, sheet, found[i])) for i in (1, 2))
        return float(round(left - right, int(found[3])))
    if found := re.fullmatch(r"SUM\((.+)\)", body):
        return float(sum(cents(value or 0) for value in area(book, sheet, found[1])))
    if found := re.fullmatch(r"SUMIFS\((.+)\)", body):
        first, *rest = found[1].split(",")
        wanted = [
            (area(book, sheet, place), word(book, sheet, what))
            for place, what in zip(rest[::2], rest[1::2], strict=True)
        ]
        amounts = area(book, sheet, first)
        return float(
            sum(
                cents(amount or 0)
                for row, amount in enumerate(amounts)
                if all(values[row] == what for values, what in wanted)
            )
        )
    return cell(book, sheet, body)


def word(book, sheet, text):
    return text.strip('"') if text.startswith('"') else cell(book, sheet, text)


def cell(book, sheet, reference):
    return area(book, sheet, reference)[0]


def area(book, sheet, reference):
    if "!" in reference:
        name, reference = reference.rsplit("!", 1)
        sheet = name.strip("'")
    left, top, right, bottom = range_boundaries(reference.replace("$", ""))
    rows = book[sheet].iter_rows(top, bottom, left, right, values_only=True)
    return [value for row in rows for value in row]

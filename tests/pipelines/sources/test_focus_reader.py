"""FOCUS files as they come: every mess is read, or refused in words."""

import gzip
import json
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from models.billing.contracts import COST_LINE
from pipelines.sources import FileRefused, MissingColumns
from pipelines.sources.focus import FocusReader
from tests.pipelines.sources.focus_files import ROW, charges, read, refusals, text, written


def test_a_row_has_the_contract_and_its_place(tmp_path: Path) -> None:
    frame = charges(written(tmp_path, text({}, {"BilledCost": "2"})))
    assert set(frame.columns) == {*COST_LINE.columns, "source_row"}
    assert frame["source_row"].to_list() == [2, 3]
    first = frame.row(0, named=True)
    assert first["billed_cost"] == Decimal("1.5")
    assert first["billing_period_end"] == datetime(2026, 4, 1, tzinfo=UTC)
    assert first["billing_account_id"] == "001"
    assert first["service_provider_name"] == "Cloud"
    assert first["host_provider_name"] is None
    assert json.loads(first["tags"]) == {"team": "a"}


def test_order_case_spacing_and_repetition_of_headings_do_not_matter(tmp_path: Path) -> None:
    content = (
        "Charge Category,billed_cost,EFFECTIVECOST,BillingCurrency,BillingPeriodStart,"
        "BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,x_team,billed cost\n"
        "usage,1,2,usd,2026-03-01,2026-04-01,2026-03-05,2026-03-06,a,9\n"
    )
    path = written(tmp_path, content)
    row = charges(path).row(0, named=True)
    assert (row["billed_cost"], row["effective_cost"]) == (1, 2)
    assert (row["charge_category"], row["billing_currency"]) == ("Usage", "USD")
    notes = " ".join(read(path).notes)
    assert "x_team" in notes
    assert "the first is read: BilledCost" in notes


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("0.1", "0.1"),
        ("-3", "-3"),
        ("+3.50", "3.50"),
        (".5", "0.5"),
        ("1.5E-7", "0.00000015"),
        ("1e3", "1000"),
        ("-2.5e+2", "-250"),
        ('"$10,000.00 "', "10000"),
        ('"-$1,234.50"', "-1234.50"),
        ('"(1,000.50)"', "-1000.50"),
        ('"1,234,567"', "1234567"),
        ("12345678901234567890.123456789012345678", "12345678901234567890.123456789012345678"),
        ("1.1234567890123456785", "1.123456789012345678"),
        ("1.1234567890123456775", "1.123456789012345678"),
        ("0.00000000000000000051", "0.000000000000000001"),
    ],
)
def test_numbers_are_exact_as_exports_write_them(
    tmp_path: Path, written_as: str, value: str
) -> None:
    frame = charges(written(tmp_path, text({"BilledCost": written_as})))
    assert frame["billed_cost"].to_list() == [Decimal(value)]


@pytest.mark.parametrize("written_as", ["1_000", "x", "1.2.3", "1e", '"1,204"', "0x10", "NaN"])
def test_what_is_not_a_number_is_refused_with_its_text(tmp_path: Path, written_as: str) -> None:
    path = written(tmp_path, text({}, {"BilledCost": written_as}))
    assert charges(path).height == 1
    (row,) = refusals(path).to_dicts()
    assert (row["row"], row["column"], row["rule"]) == (3, "BilledCost", "number")
    assert (
        f'bill.csv, row 3, BilledCost: "{written_as.strip(chr(34))}" is not a number'
        in (row["message"])
    )


def test_an_unknown_cost_is_not_zero(tmp_path: Path) -> None:
    path = written(tmp_path, text({"EffectiveCost": "NULL"}))
    assert charges(path).is_empty()
    assert "an unknown cost is not 0" in refusals(path)["message"][0]


def test_words_for_nothing_are_null(tmp_path: Path) -> None:
    words = ["NULL", "null", "None", "", "N/A", "(null)"]
    frame = charges(written(tmp_path, text(*({"ContractedCost": w, "Tags": w} for w in words))))
    assert frame["contracted_cost"].null_count() == len(words)
    assert frame["tags"].null_count() == len(words)


def test_a_refused_row_is_kept_whole_with_all_that_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, text({"BilledCost": "x", "ChargeCategory": "Fee", "x_team": "blue"}))
    (row,) = refusals(path).to_dicts()
    assert row["column"] == "BilledCost"
    assert 'Also ChargeCategory: "Fee" is no charge category' in row["message"]
    raw = json.loads(row["raw"])
    assert (raw["BilledCost"], raw["x_team"], raw["ChargeCategory"]) == ("x", "blue", "Fee")


def test_a_period_that_does_not_end_after_its_start_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, text({}, {"ChargePeriodEnd": "2026-03-05T00:00:00Z"}))
    (row,) = refusals(path).to_dicts()
    assert row["rule"] == "period"
    assert "not after ChargePeriodStart" in row["message"]


def test_decimal_commas_by_option(tmp_path: Path) -> None:
    other = {"ListCost": "2", "ContractedCost": ""}
    content = text({"BilledCost": '"1.204,50"', "EffectiveCost": '"0,5"', **other})
    path = written(tmp_path, content)
    assert 'set decimal = ","' in refusals(path)["message"][0]
    frame = charges(path, decimal=",")
    assert frame["billed_cost"].to_list() == [Decimal("1204.50")]
    assert charges(written(tmp_path, text({"BilledCost": '"1,204"'})), decimal=".")[
        "billed_cost"
    ].to_list() == [Decimal(1204)]


def test_rounding_says_by_how_much_the_total_moved(tmp_path: Path) -> None:
    # 0.4e-18 is dropped and 0.6e-18 becomes 1e-18: -0.4e-18 + 0.4e-18 + -0.3e-18.
    values = ["1.0000000000000000004", "1.0000000000000000006", "1.0000000000000000003"]
    said = read(written(tmp_path, text(*({"BilledCost": v} for v in values)))).notes
    assert any("moved the total by -0.0000000000000000003 USD" in note for note in said)


@pytest.mark.parametrize(
    ("written_as", "instant"),
    [
        ("2026-03-05T07:00Z", datetime(2026, 3, 5, 7, tzinfo=UTC)),
        ("2026-03-05 07:00:00", datetime(2026, 3, 5, 7, tzinfo=UTC)),
        ("2026-03-05", datetime(2026, 3, 5, tzinfo=UTC)),
        ("2026-03-05T07:00:00+08:00", datetime(2026, 3, 4, 23, tzinfo=UTC)),
        ("2026-03-05T07:00:00.123456789Z", datetime(2026, 3, 5, 7, 0, 0, 123456, tzinfo=UTC)),
        ("2026-03-05 07:00:00 UTC", datetime(2026, 3, 5, 7, tzinfo=UTC)),
    ],
)
def test_instants_with_or_without_seconds_and_zone(
    tmp_path: Path, written_as: str, instant: datetime
) -> None:
    frame = charges(written(tmp_path, text({"ChargePeriodStart": written_as})))
    assert frame["charge_period_start"].to_list() == [instant]


SLASHED = {
    "BillingPeriodStart": "4/1/26",
    "BillingPeriodEnd": "5/1/26",
    "ChargePeriodStart": "4/2/26",
    "ChargePeriodEnd": "4/3/26",
}


def test_slashed_dates_are_read_by_whole_billing_months(tmp_path: Path) -> None:
    path = written(tmp_path, text(SLASHED))
    assert charges(path)["charge_period_end"].to_list() == [datetime(2026, 4, 3, tzinfo=UTC)]
    assert any("month first" in note for note in read(path).notes)


def test_slashed_dates_that_may_be_read_two_ways_are_refused(tmp_path: Path) -> None:
    path = written(
        tmp_path, text({**SLASHED, "BillingPeriodStart": "4/2/26", "BillingPeriodEnd": "5/3/26"})
    )
    with pytest.raises(FileRefused, match="month first"):
        read(path)
    frame = charges(path, dates="day first")
    assert frame["billing_period_start"].to_list() == [datetime(2026, 2, 4, tzinfo=UTC)]


def test_inclusive_ends_of_a_whole_file_become_half_open(tmp_path: Path) -> None:
    inclusive = {
        "BillingPeriodStart": "2026-03-01",
        "BillingPeriodEnd": "2026-03-31",
        "ChargePeriodStart": "2026-03-05",
        "ChargePeriodEnd": "2026-03-05",
    }
    path = written(tmp_path, text(inclusive))
    row = charges(path).row(0, named=True)
    assert row["billing_period_end"] == datetime(2026, 4, 1, tzinfo=UTC)
    assert row["charge_period_end"] == datetime(2026, 3, 6, tzinfo=UTC)
    seconds = {
        "BillingPeriodEnd": "2026-03-31T23:59:59Z",
        "ChargePeriodEnd": "2026-03-05T23:59:59Z",
    }
    row = charges(written(tmp_path, text(seconds))).row(0, named=True)
    assert row["billing_period_end"] == datetime(2026, 4, 1, tzinfo=UTC)
    assert row["charge_period_end"] == datetime(2026, 3, 6, tzinfo=UTC)


def test_a_missing_currency_is_the_configured_one_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, text({"BillingCurrency": ""}))
    assert charges(path, currency="EUR")["billing_currency"].to_list() == ["EUR"]
    assert any("configured EUR" in note for note in read(path, currency="EUR").notes)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    content = text({"ServiceName": "对象存储", "ServiceCategory": "Storage"})
    frame = charges(written(tmp_path, content.encode(encoding)))
    assert frame["service_name"].to_list() == ["对象存储"]


def test_gbk_far_down_the_file_is_found(tmp_path: Path) -> None:
    rows = [{"ServiceName": "plain"}] * 3000 + [{"ServiceName": "云"}]
    frame = charges(written(tmp_path, text(*rows).encode("gbk")))
    assert frame["service_name"][-1] == "云"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("pack", ["plain", "gzip", "zip"])
def test_packings(tmp_path: Path, pack: str, line_end: str) -> None:
    content = text({}, {}, line_end=line_end).encode()
    path = tmp_path / "bill.csv.gz"
    if pack == "gzip":
        path.write_bytes(gzip.compress(content))
    elif pack == "zip":
        path = tmp_path / "bill.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("bill.csv", content)
    else:
        path = written(tmp_path, content)
    assert charges(path).height == 2


def test_parquet_with_maps_and_decimals(tmp_path: Path) -> None:
    path = tmp_path / "bill.parquet"
    duckdb.sql(
        """
        select
            cast(1.25 as decimal(20, 4)) as BilledCost,
            cast(1e-7 as double) as EffectiveCost,
            'USD' as BillingCurrency,
            timestamp '2026-03-01' as BillingPeriodStart,
            timestamp '2026-04-01' as BillingPeriodEnd,
            timestamp '2026-03-05 01:00:00' as ChargePeriodStart,
            timestamp '2026-03-05 02:00:00' as ChargePeriodEnd,
            'Usage' as ChargeCategory,
            map {'team': 'a'} as Tags
        """
    ).write_parquet(str(path))
    row = charges(path).row(0, named=True)
    assert (row["billed_cost"], row["effective_cost"]) == (Decimal("1.25"), Decimal("1E-7"))
    assert json.loads(row["tags"]) == {"team": "a"}
    assert row["source_row"] == 2


def test_lines_above_the_heading_and_other_delimiters(tmp_path: Path) -> None:
    names, values = list(ROW), list(ROW.values())
    content = f"Cost export\n\n{';'.join(names)}\n{';'.join(values)}\n"
    frame = charges(written(tmp_path, content))
    assert frame["source_row"].to_list() == [4]


def test_a_truncated_last_row_is_refused_alone(tmp_path: Path) -> None:
    whole = text({}, {}, {"BilledCost": "7"})
    path = written(tmp_path, whole[: whole.rindex("2026-03-05T")])
    assert charges(path)["source_row"].to_list() == [2, 3]
    (row,) = refusals(path).to_dicts()
    assert (row["row"], row["rule"]) == (4, "cells")
    assert "cut short" in row["message"]
    quoted = written(tmp_path, whole[:-5])
    assert charges(quoted).height == 2
    assert "quoted cell" in refusals(quoted)["message"][0]


def test_line_breaks_inside_cells(tmp_path: Path) -> None:
    path = written(tmp_path, text({"ChargeDescription": '"two\nlines"'}, {}))
    assert charges(path)["charge_description"].to_list() == ["two\nlines", None]


def test_tags_that_are_not_json_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, text({"Tags": '"""team"": ""a"""'}, {"Tags": "team=a"}))
    tags = charges(path)["tags"].to_list()
    assert json.loads(tags[0]) == {"team": "a"}
    assert json.loads(tags[1]) == "team=a"


def test_headings_by_alias(tmp_path: Path) -> None:
    path = written(tmp_path, text({}).replace("BilledCost", "Betrag"))
    with pytest.raises(MissingColumns, match="no column BilledCost"):
        read(path)
    assert charges(path, aliases={"BilledCost": "Betrag"})["billed_cost"].to_list() == [
        Decimal("1.5")
    ]


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileRefused, match="empty"):
        read(written(tmp_path, content))


def test_a_file_that_is_not_what_its_name_says(tmp_path: Path) -> None:
    with pytest.raises(FileRefused):
        read(written(tmp_path, b"PAR1 but no parquet", "bill.parquet"))
    with pytest.raises(FileRefused):
        read(written(tmp_path, b"\x1f\x8bnot gzip", "bill.csv.gz"))


def test_sniffing_knows_its_own(tmp_path: Path) -> None:
    assert FocusReader().sniff(written(tmp_path, text({})))
    assert not FocusReader().sniff(written(tmp_path, "a,b\n1,2\n", "other.csv"))
    assert not FocusReader().sniff(tmp_path / "absent.csv")


def test_read_counts_every_row(tmp_path: Path) -> None:
    result = read(written(tmp_path, text({}, {"BilledCost": "x"}, {"BillingCurrency": ""})))
    assert result.rows_read == 3
    assert isinstance(charges(written(tmp_path, text({}))), pl.DataFrame)

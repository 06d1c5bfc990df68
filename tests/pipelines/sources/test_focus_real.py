"""The published FOCUS files against the figures worked out for them independently."""

from decimal import Decimal

import polars as pl
import pytest

from pipelines.sources import FileRefused
from tests.pipelines.sources.focus_files import charges, read, refusals
from tests.real import real

pytestmark = pytest.mark.golden

SAMPLE = "billing/focus_1_0_sample_1000.csv"
COSTS = ("billed_cost", "effective_cost", "list_cost", "contracted_cost")


def test_sample_totals_by_provider_and_category() -> None:
    frame = charges(real(SAMPLE))
    found = {
        (provider, category): (rows, *costs)
        for provider, category, rows, *costs in frame.group_by(
            "service_provider_name", "charge_category"
        )
        .agg(pl.len(), *(pl.col(c).sum() for c in COSTS))
        .rows()
    }
    assert {key: value[:4] for key, value in found.items()} == {
        ("AWS", "Credit"): (1, Decimal("-2.6137"), Decimal(-3), Decimal("-2.6137")),
        ("AWS", "Usage"): (941, Decimal("20.6203386184"), 16, Decimal("20.7630176406")),
        ("Microsoft", "Usage"): (51, *[Decimal("1.97651418586")] * 3),
        ("Oracle", "Adjustment"): (2, Decimal("0.272"), 0, 0),
        ("Oracle", "Usage"): (5, Decimal("0.26507392473"), 0, Decimal("0.26507392473")),
    }
    assert found["Microsoft", "Usage"][4] == Decimal("1.97626039326")
    assert frame["contracted_cost"].null_count() == 7


def test_sample_totals_whole_and_by_service_category() -> None:
    frame = charges(real(SAMPLE))
    assert [frame[c].sum() for c in COSTS] == [
        Decimal("20.520226728990"),
        Decimal("14.976514185860"),
        Decimal("20.390905751190"),
        Decimal("14.976260393260"),
    ]
    by = frame.group_by("service_category").agg(pl.len(), pl.col("billed_cost").sum())
    found = {category: (rows, billed) for category, rows, billed in by.rows()}
    assert found["Compute"] == (443, Decimal("17.564739344700"))
    assert found["AI and Machine Learning"] == (9, Decimal("-0.151897561780"))
    assert len(found) == 10
    assert frame["tags"].null_count() == 289
    assert frame.filter(pl.col("billed_cost") < 0).height == 13


def test_sample_periods_and_tag() -> None:
    frame = charges(real(SAMPLE))
    months = frame["billing_period_start"].dt.strftime("%Y-%m").value_counts().rows()
    assert sorted(months) == [("2024-09", 999), ("2024-10", 1)]
    unit = frame["tags"].str.json_path_match("$.business_unit")
    assert (unit == "PeoriaData").sum() == 176
    untagged = frame.filter(unit.is_null())
    assert untagged.height == 340
    assert untagged["billed_cost"].sum() == Decimal("0.274164486660")


def test_sample_faults_are_told_not_corrected() -> None:
    result = read(real(SAMPLE))
    assert result.rows_read == 1000
    said = "\n".join(result.notes)
    assert "by 5.54371254313 of 20.52022672899 USD in 620 rows" in said
    assert "Usage rows outside their billing period: 1." in said
    assert "Rows without ContractedCost: 7." in said
    assert "PricingQuantity: 25." in said
    assert "Columns left out: Id." in said


SCENARIOS = {
    "commitment_discount_purchase_scenario_1": (8760, 0),
    "commitment_discount_usage_scenario_1": (0, 1),
    "commitment_discount_usage_scenario_2": (0, 1),
    "commitment_discount_usage_scenario_3": (0, 1),
    "commitment_discount_usage_scenario_4": ("0.50", "1.50"),
    "one_hundred_percent_utilization_with_commitment_discount_flexibility_with_1_resource": (
        "2.75",
        "2.75",
    ),
    "one_hundred_percent_utilization_with_commitment_discount_flexibility_with_2_resources": (2, 2),
    "one_hundred_percent_utilization_without_commitment_discount_flexibility": ("1.5", "1.5"),
    "zero_percent_utilization_without_commitment_discount_flexibility": ("3.5", "3.5"),
    "saas_spend_agreements_a1": (1200, 1200),
    "saas_spend_agreements_a2": (1200, 1200),
    "saas_spend_agreements_b1": (1200, 1200),
    "saas_spend_agreements_b2": (1200, 1200),
    "simple_saas_agreements_a1": (10000, 10000),
    "simple_saas_agreements_a2": (50000, 50000),
    "simple_saas_agreements_a3": (1000, 1000),
    "simple_saas_agreements_b": (50000, 50000),
    "simple_saas_agreements_c": (35800, 35800),
    "virtual_currency_pricing_model_a1": (200000, 0),
    "virtual_currency_pricing_model_a2": (0, 1230),
    "virtual_currency_pricing_model_b1": (100000, 0),
    "virtual_currency_pricing_model_b2": (0, 615),
    "virtual_currency_pricing_model_b3": (0, 495),
    "virtual_currency_pricing_model_c": (53000, 0),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_add_up(name: str) -> None:
    frame = charges(real(f"billing/focus_scenarios/{name}.csv"))
    billed, effective = SCENARIOS[name]
    assert frame["billed_cost"].sum() == Decimal(billed)
    assert frame["effective_cost"].sum() == Decimal(effective)


@pytest.mark.parametrize(
    ("number", "kept", "refused"), [(2, "2.00", "1.00"), (3, "4381.00", "0.50")]
)
def test_a_scenario_with_an_hour_30_gives_that_row_back(
    number: int, kept: str, refused: str
) -> None:
    # The published files write 2023-02-01T30:00:00Z; kept and refused make their totals.
    path = real(f"billing/focus_scenarios/commitment_discount_purchase_scenario_{number}.csv")
    assert charges(path)["billed_cost"].sum() == Decimal(kept)
    (row,) = refusals(path).to_dicts()
    assert (row["column"], row["rule"]) == ("ChargePeriodEnd", "date")
    assert f'"BilledCost":"{refused}"' in row["raw"]
    assert "2023-02-01T30:00:00Z" in row["message"]


@pytest.mark.parametrize(
    ("name", "costs"),
    [
        ("closed_period_1_partial_reallocation_ledger", ("0", "0", "0", "0")),
        ("closed_period_2_late_arriving_usage_ledger", ("1500", "1500", "2000", "1500")),
        ("closed_period_4_bulk_cost_only_ledger", ("0.002", "0.002", "0.002", "0.002")),
        ("open_period_1_partial_reallocation_replacement", ("1500", "1500", "2000", "1500")),
        ("ai_prepayment_drawdown", ("500000", "50", "500062.50", "500050")),
    ],
)
def test_scenarios_of_1_4_add_up(name: str, costs: tuple[str, ...]) -> None:
    frame = charges(real(f"billing/focus_1_4_scenarios/{name}.csv"))
    assert [frame[c].sum() for c in COSTS] == [Decimal(cost) for cost in costs]


@pytest.mark.parametrize("number", [1, 2])
def test_invoice_detail_is_refused_as_another_dataset(number: int) -> None:
    with pytest.raises(FileRefused, match="Invoice Detail export"):
        read(real(f"billing/focus_1_4_scenarios/invoice_detail_scenario_{number}.csv"))


def test_a_university_without_currency_and_with_inclusive_ends() -> None:
    names = ("aws", "azure", "hpc", "it_storage", "storage")
    frames = [charges(real(f"billing/hpc_chargeback_fictional/{n}_2025-01.csv")) for n in names]
    whole = pl.concat(frames)
    assert (whole.height, whole["billed_cost"].sum()) == (59, Decimal("20227.00"))
    assert frames[2]["list_cost"].sum() == Decimal("8200.00")
    said = " ".join(read(real("billing/hpc_chargeback_fictional/hpc_2025-01.csv")).notes)
    assert "only a newer file of the same name" in said
    assert "every charge is taken as Usage" in said
    assert set(whole["billing_currency"]) == {"USD"}
    assert {str(end)[:10] for end in whole["billing_period_end"]} == {"2025-02-01"}
    assert {str(end)[:10] for end in whole["charge_period_end"]} <= {"2025-02-01"}


def test_0_5_is_lifted_and_its_reversed_periods_refused() -> None:
    path = real("billing/focus_0_5/all_pass_0.5.csv")
    assert charges(path).is_empty()
    found = refusals(path)
    assert found["rule"].to_list() == ["period", "period"]
    with pytest.raises(FileRefused, match="no columns BilledCost"):
        read(real("billing/focus_0_5/sample.parquet"))


@pytest.mark.parametrize(
    "name", ["azure_ea_anonymous.csv", "aws_cur_legacy_anonymous.csv", "oci_cost_report.csv"]
)
def test_native_exports_are_named_for_what_they_are(name: str) -> None:
    with pytest.raises(FileRefused, match="FOCUS"):
        read(real(f"billing/native/{name}"))

"""The planted truths, worked out of the raw files alone: no loader, no lake, no metric."""

import csv
import gzip
import json
import tomllib
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest

from sample_data.company import FOLDER

TRUTHS = tomllib.loads((FOLDER / "truths.toml").read_text(encoding="utf-8"))
MSPDI = {"p": "http://schemas.microsoft.com/project"}
MONTH_START, MONTH_END = datetime(2026, 11, 1), datetime(2026, 12, 1)
"""Local time, as sacct and the incident log write it."""


def _bills(provider: str) -> Iterator[dict[str, str]]:
    for file in sorted((FOLDER / "billing").rglob(f"{provider}-*.csv*")):
        opened = gzip.open if file.suffix == ".gz" else open
        with opened(file, "rt", encoding="utf-8", newline="") as text:
            yield from csv.DictReader(text)


def _november(provider: str) -> list[dict[str, str]]:
    starts = ("2026-11-01T00:00:00Z", "2026-10-31T16:00:00Z")
    return [row for row in _bills(provider) if row["BillingPeriodStart"] in starts]


def _gpu_hours(cluster: str) -> dict[str, float]:
    """November's GPU-hours by account, from the newest row of each run.

    A run still going when an export was made ends there; none starts later.
    """
    runs: dict[tuple[str, str], dict[str, str]] = {}
    folder = FOLDER / "slurm"
    files = [*sorted(folder.glob(f"{cluster}-*")), *sorted((folder / "late").glob(f"{cluster}-*"))]
    for file in files:
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        names = lines[0].split("|")
        for line in lines[1:]:
            row = dict(zip(names, line.split("|"), strict=False))
            if "." not in row["JobID"] and not row["JobIDRaw"].startswith("1990"):
                runs[row["JobIDRaw"], row["Submit"]] = row
    hours: dict[str, float] = {}
    for row in runs.values():
        if row["Start"] == "Unknown":
            continue
        start = max(datetime.fromisoformat(row["Start"]), MONTH_START)
        end = MONTH_END if row["End"] == "Unknown" else datetime.fromisoformat(row["End"])
        held = (min(end, MONTH_END) - start).total_seconds()
        gpus = int(row["AllocTRES"].split("gres/gpu=")[1].split(",")[0])
        if held > 0:
            account = row["Account"].removesuffix("-dev")
            hours[account] = hours.get(account, 0.0) + held / 3600 * gpus
    return hours


def test_the_idle_cluster_is_hardly_allocated() -> None:
    truth = TRUTHS["idle_cluster"]
    allocated = sum(_gpu_hours(truth["cluster"]).values())
    assert allocated == pytest.approx(float(truth["allocated_gpu_hours"]), abs=0.01)
    assert truth["owned_gpu_hours"] == 256 * 24 * 30
    assert allocated / truth["owned_gpu_hours"] < 0.3


def test_the_forgotten_commitment_is_bought_and_never_used() -> None:
    truth = TRUTHS["forgotten_commitment"]
    rows = [r for r in _bills("coreweave") if r["CommitmentDiscountId"] == truth["id"]]
    used = {r["CommitmentDiscountStatus"] for r in rows if r["ChargeCategory"] == "Usage"}
    assert used == {"Unused"}
    bought = sum(Decimal(r["BilledCost"]) for r in rows if r["ChargeCategory"] == "Purchase")
    unused = sum(Decimal(r["EffectiveCost"]) for r in rows if r["ChargeCategory"] == "Usage")
    assert bought == unused == Decimal(truth["unused_cost"])
    first = min(r["ChargePeriodStart"] for r in rows if r["ChargeCategory"] == "Usage")
    assert first[:10] == truth["since"].isoformat()


@pytest.mark.parametrize(
    ("folder", "key"), [("plans", "forecast"), ("review_2026-11-23/plans", "forecast_before")]
)
def test_the_milestone_slips_and_slipped_further_since_the_review(folder: str, key: str) -> None:
    truth = TRUTHS["slipping_milestone"]
    tree = ElementTree.parse(FOLDER / folder / "shanghai-extension.xml")
    (task,) = [
        task
        for task in tree.findall("p:Tasks/p:Task", MSPDI)
        if task.findtext("p:UID", namespaces=MSPDI) == truth["task_uid"]
    ]
    finish = str(task.findtext("p:Finish", namespaces=MSPDI))
    promised = str(task.findtext("p:Baseline/p:Finish", namespaces=MSPDI))
    assert finish[:10] == truth[key].isoformat()
    assert promised[:10] == truth["promised"].isoformat()


def test_no_actual_date_changes_after_the_review() -> None:
    for file in sorted((FOLDER / "plans").glob("*.xml")):
        known = _actuals(f"review_2026-11-23/plans/{file.name}")
        now = _actuals(f"plans/{file.name}")
        assert known == {key: now.get(key) for key in known}, file.name
        later = [moment for key, moment in now.items() if key not in known]
        assert all(moment >= "2026-11-22" for moment in later), file.name


def _actuals(place: str) -> dict[tuple[str, str], str]:
    """Actual dates of leaves; a summary's follow from them."""
    found = {}
    for task in ElementTree.parse(FOLDER / place).findall("p:Tasks/p:Task", MSPDI):
        for name in ("ActualStart", "ActualFinish"):
            moment = task.findtext(f"p:{name}", namespaces=MSPDI)
            if moment and task.findtext("p:Summary", namespaces=MSPDI) == "0":
                found[str(task.findtext("p:UID", namespaces=MSPDI)), name] = moment
    return found


def _team(row: dict[str, str]) -> str:
    """Who a charge belongs to by the direct rules: the tag first, then the account."""
    tagged = json.loads(row["Tags"]).get("team") if row["Tags"] else None
    return str(tagged or row["SubAccountName"].removeprefix("yq-"))


def test_the_tenant_is_over_its_budget_by_the_stated_amount() -> None:
    """Direct cost, its share of two clusters, of support and of the backbone.

    All of it is in USD: the team buys nothing in CNY.
    """
    truth = TRUTHS["over_budget"]
    tenant = truth["tenant"]
    teams = [row["tenant"] for row in _sheet("tenant")]
    direct: dict[str, Decimal] = {}
    support = backbone = Decimal(0)
    for row in [r for p in ("aws", "microsoft", "coreweave") for r in _november(p)]:
        cost, team = Decimal(row["EffectiveCost"]), _team(row)
        if row["ServiceName"] in ("Enterprise Support", "Unified Support"):
            support += cost
        elif team == "shared":
            backbone += cost
        elif team in teams:
            direct[team] = direct.get(team, Decimal(0)) + cost
    charged = direct[tenant] + backbone / len(teams)
    charged += support * direct[tenant] / sum(direct.values())

    own = {"shanghai": Decimal(0), "singapore": Decimal(0)}
    for row in _november("yunqi-dc"):
        cluster = json.loads(row["Tags"])["cluster"]
        if cluster in own:
            own[cluster] += Decimal(row["EffectiveCost"])
    # Shanghai's idle hours go to who reserved them; nobody there borrows, so the
    # team pays its quota: 128 of 512. Singapore's idle hours stay with the platform.
    quota = {r["tenant"]: r["gpus"] for r in _sheet("quota") if r["cluster"] == "shanghai"}
    charged += own["shanghai"] * int(quota[tenant]) / int(sum(quota.values()))
    share = Decimal(_gpu_hours("singapore")[tenant]) / (256 * 24 * 30)
    charged += own["singapore"] * share

    (budget,) = [
        Decimal(row["amount"])
        for row in _sheet("budget")
        if (row["tenant"], row["month"]) == (tenant, truth["month"])
    ]
    assert budget == Decimal(truth["budget"])
    assert abs(charged - budget - Decimal(truth["over_by"])) <= Decimal("0.01")


def _sheet(name: str) -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(FOLDER / "reference.xlsx", read_only=True)
    headings, *rows = book[name].iter_rows(values_only=True)
    return [dict(zip(map(str, headings), row, strict=True)) for row in rows]


def test_the_slo_is_breached_by_one_outage_of_the_stated_length() -> None:
    truth = TRUTHS["breached_slo"]
    with (FOLDER / "service" / "incidents.csv").open(encoding="utf-8", newline="") as text:
        down = [
            datetime.fromisoformat(row["end"]) - datetime.fromisoformat(row["start"])
            for row in csv.DictReader(text)
            if row["service"] == truth["service"] and row["start"].startswith(truth["month"])
        ]
    assert [length.total_seconds() / 60 for length in down] == [truth["downtime_minutes"]]
    # 30 days hold 43,200 minutes; 0.05 % of them are 21.6; (21.6 - 47) / 21.6 = -117.59 %
    assert truth["budget_left_percent"] == pytest.approx((21.6 - 47) / 21.6 * 100, abs=0.005)


def test_training_runs_have_names_of_their_own_and_fit_their_tenants_quota() -> None:
    runs = []
    for file in (FOLDER / "training_runs").rglob("*.csv"):
        with file.open(encoding="utf-8", newline="") as text:
            runs += list(csv.DictReader(text))
    assert len({run["run"] for run in runs}) == len(runs)
    quota = {(r["tenant"], r["cluster"]): int(r["gpus"]) for r in _sheet("quota")}
    for run in runs:
        beside = [
            other
            for other in runs
            if (other["tenant"], other["cluster"]) == (run["tenant"], run["cluster"])
            and other["start"] <= run["start"] < other["end"]
        ]
        together = sum(int(other["count"]) for other in beside)
        assert together <= quota[run["tenant"], run["cluster"]], run["run"]

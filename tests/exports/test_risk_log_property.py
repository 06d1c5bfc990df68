"""Whatever a person types survives the workbook: out, back, equal."""

import tempfile
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from config import Config
from exports.risk_log import import_risk_log, risk_log
from metrics.facts import Facts
from models.program.register import RISK, check, tidy
from records.edits import Author, add
from records.reading import open_records

WHO = Author("wei", datetime(2026, 11, 23, 1, 2, 3, 4, tzinfo=UTC))

TEXT = st.text(max_size=60)
AMOUNT = st.decimals(min_value=0, max_value=10**15, places=6, allow_nan=False)


def facts_in(folder: Path) -> Facts:
    """Facts over a register alone: the log needs no lake."""
    config = Config(file=folder / "quartermaster.toml")
    records = open_records(f"sqlite:///{folder / 'records.db'}")
    return Facts(config, None, 0, records)  # type: ignore[arg-type]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    texts=st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT),
    cost=AMOUNT,
    percent=st.decimals(min_value=0, max_value=100, places=3),
    due=st.dates(min_value=date(1950, 1, 1), max_value=date(2199, 12, 31)),
)
@example(
    ("=1+1", "_x000D_", "-", "N/A", "'quoted"), Decimal("0.1"), Decimal("0.5"), date(2026, 2, 28)
)
@example(("x", "x", "a　b\u2028c", "👩‍🚒", "1.0"), Decimal("1E+3"), Decimal(1), date(1950, 1, 1))
@example(
    ("2026-11-30", "TRUE", "0012", "1e5", "１２"), Decimal(10**15), Decimal(100), date(2199, 12, 31)
)
def test_a_risk_survives_the_workbook(
    texts: tuple[str, str, str, str, str], cost: Decimal, percent: Decimal, due: date
) -> None:
    names = ("title", "title_zh", "description", "owner", "next_action")
    values = {
        **dict(zip(names, texts, strict=True)),
        "title": f"T {texts[0]}",
        "type": "threat",
        "status": "draft",
        "cost_impact": cost,
        "currency": "USD",
        "probability_percent": percent,
        "due": due,
    }
    assert check(RISK, {name: tidy(value) for name, value in values.items()}) == {}
    with tempfile.TemporaryDirectory() as folder:
        first, second = (facts_in(Path(folder) / name) for name in ("first", "second"))
        add(first.records, "risk", values, WHO)
        book = Path(folder) / "log.xlsx"
        book.write_bytes(risk_log(first, "zh"))
        outcome = import_risk_log(second, book)
        assert outcome.rejected == ()
        assert second.records.risks().equals(first.records.risks())
        trails = [one.records.audit().sort("version", "field") for one in (first, second)]
        assert trails[0].equals(trails[1])
        again = import_risk_log(first, book)
        assert (again.accepted, again.rejected) == (0, ())

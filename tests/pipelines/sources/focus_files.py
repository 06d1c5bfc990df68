"""Small FOCUS files for tests, and reading them as the loader does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipelines.sources import ReadResult, Select
from pipelines.sources.focus import FocusOptions, FocusReader

ROW = {
    "BilledCost": "1.5",
    "EffectiveCost": "1.5",
    "ListCost": "2",
    "ContractedCost": "1.5",
    "BillingAccountId": "001",
    "BillingCurrency": "USD",
    "BillingPeriodStart": "2026-03-01T00:00:00Z",
    "BillingPeriodEnd": "2026-04-01T00:00:00Z",
    "ChargePeriodStart": "2026-03-05T00:00:00Z",
    "ChargePeriodEnd": "2026-03-06T00:00:00Z",
    "ChargeCategory": "Usage",
    "ProviderName": "Cloud",
    "InvoiceIssuerName": "Cloud Ltd",
    "Tags": '"{""team"": ""a""}"',
}


def text(*changes: Mapping[str, str], line_end: str = "\n") -> str:
    """A file of ROW with these changes, a row each."""
    names = list(dict.fromkeys([*ROW, *(name for change in changes for name in change)]))
    lines = [",".join(names)]
    lines += [",".join({**ROW, **change}.get(name, "") for name in names) for change in changes]
    return line_end.join(lines) + line_end


def written(folder: Path, content: str | bytes, name: str = "bill.csv") -> Path:
    """The content as a file."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, **options: Any) -> ReadResult:
    """What the reader gives."""
    return FocusReader().read(path, FocusOptions(**options))


def selected(select: Any) -> pl.DataFrame:
    """The rows of a Select, as the loader runs it."""
    assert isinstance(select, Select)
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    for name, view in select.views.items():
        view(connection).create_view(name, replace=True)
    return connection.execute(select.sql, dict(select.parameters) or None).pl()


def charges(path: Path, **options: Any) -> pl.DataFrame:
    """The file's kept rows."""
    return selected(read(path, **options).tables["cost_line"])


def refusals(path: Path, **options: Any) -> pl.DataFrame:
    """The file's refused rows."""
    return selected(read(path, **options).rejected)

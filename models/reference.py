"""Who we are and what was agreed: the reference tables.

One row of each table is one agreement or one thing a company has: a tenant, a
cluster, an allocation rule, a budget. They come from a workbook or CSV files
that people keep (kind `reference`); a newer file of a source replaces that
source's rows of the table as a whole, so a row taken out of the file is gone.
"""

import pandera.polars as pa
import polars as pl

from models.table import MONEY, Table

STEPS = ("direct", "metered", "shared")
OPERATORS = ("equals", "one_of", "starts_with")
FIELDS = (
    "sub_account_id",
    "sub_account_name",
    "service_name",
    "service_category",
    "resource_id",
    "region_id",
    "provider",
    "sku_id",
    "any",
)
"""What a condition looks at; `tag:KEY` looks at one tag besides these."""

METERS = ("gpu_hours",)
IDLE_POLICIES = ("platform", "use", "quota")
METHODS = ("proportional", "even", "fixed")
SCHEDULERS = ("slurm", "kubernetes")
SLO_KINDS = ("training", "inference", "platform")

SLUG = r"^[a-z0-9][a-z0-9_.-]*$"
MONTH = r"^\d{4}-(0[1-9]|1[0-2])$"
CURRENCY = r"^[A-Z]{3}$"


def _text(*checks: pa.Check, nullable: bool = False) -> pa.Column:
    return pa.Column(pl.String(), list(checks), nullable=nullable)


def _money(*checks: pa.Check, nullable: bool = False) -> pa.Column:
    return pa.Column(MONEY, list(checks), nullable=nullable)


def _number(*checks: pa.Check, nullable: bool = False) -> pa.Column:
    return pa.Column(pl.Float64(), list(checks), nullable=nullable)


def _whole(*checks: pa.Check, nullable: bool = False) -> pa.Column:
    return pa.Column(pl.Int64(), list(checks), nullable=nullable)


def _date(*, nullable: bool = False) -> pa.Column:
    return pa.Column(pl.Date(), nullable=nullable)


def _slug(*, nullable: bool = False) -> pa.Column:
    return _text(pa.Check.str_matches(SLUG), nullable=nullable)


def _one_of(known: tuple[str, ...], *, nullable: bool = False) -> pa.Column:
    return _text(pa.Check.isin(known), nullable=nullable)


def _currency(*, nullable: bool = False) -> pa.Column:
    return _text(pa.Check.str_matches(CURRENCY), nullable=nullable)


def _month() -> pa.Column:
    return _text(pa.Check.str_matches(MONTH))


def _table(name: str, columns: dict[str, pa.Column]) -> Table:
    return Table(name, pa.DataFrameSchema(columns, name=name, strict=True), replaces=("source",))


TENANT = _table(
    "tenant",
    {
        "tenant": _slug(),
        "name": _text(),
        "name_zh": _text(nullable=True),
        "cost_center": _text(nullable=True),
        "owner": _text(nullable=True),
        "slurm_accounts": _text(nullable=True),
        "namespaces": _text(nullable=True),
    },
)
"""A team that uses compute and pays for it. Lists inside a cell: ";"."""

CLUSTER = _table(
    "cluster",
    {
        "cluster": _slug(),
        "name": _text(),
        "name_zh": _text(nullable=True),
        "region": _text(nullable=True),
        "scheduler": _one_of(SCHEDULERS, nullable=True),
        "accelerator": _text(nullable=True),
        "gpus": _whole(pa.Check.ge(0)),
        "gpus_per_node": _whole(pa.Check.gt(0), nullable=True),
        "in_service_from": _date(),
        "in_service_to": _date(nullable=True),
    },
)
"""Accelerators owned or contracted, from the first day to before `in_service_to`."""

ALLOCATION_RULE = _table(
    "allocation_rule",
    {
        "rule": _text(),
        "step": _one_of(STEPS),
        "priority": _whole(),
        "field": _text(pa.Check.str_matches(rf"^({'|'.join(FIELDS)}|tag:.+)$")),
        "operator": _one_of(OPERATORS, nullable=True),
        "value": _text(nullable=True),
        "tenant": _slug(nullable=True),
        "cluster": _slug(nullable=True),
        "metric": _one_of(METERS, nullable=True),
        "idle_policy": _one_of(IDLE_POLICIES, nullable=True),
        "pool": _text(nullable=True),
        "method": _one_of(METHODS, nullable=True),
        "shares": _text(nullable=True),
        "owner": _text(nullable=True),
        "reason": _text(nullable=True),
        "valid_from": _date(nullable=True),
        "valid_to": _date(nullable=True),
    },
)
"""One condition of a rule; rows that share `rule` must all hold.

direct names a tenant; metered a cluster, a meter and an idle policy; shared a
pool, a method and, when fixed, the shares ("a=0.5;b=0.3"). Valid for months
that start on `valid_from` or later and before `valid_to`.
"""

BUDGET = _table(
    "budget",
    {
        "tenant": _slug(),
        "month": _month(),
        "currency": _currency(),
        "amount": _money(),
        "version": _text(nullable=True),
    },
)
"""What a tenant may spend in a month; the version that sorts last counts."""

QUOTA = _table(
    "quota",
    {
        "tenant": _slug(),
        "cluster": _slug(),
        "gpus": _number(pa.Check.ge(0)),
        "valid_from": _date(nullable=True),
        "valid_to": _date(nullable=True),
    },
)
"""Accelerators of a cluster set aside for a tenant; valid_to is exclusive."""

FX_RATE = _table(
    "fx_rate",
    {
        "month": _month(),
        "from_currency": _currency(),
        "to_currency": _currency(),
        "rate": _money(pa.Check.gt(0)),
    },
)
"""Units of `to_currency` for one of `from_currency`; one way, that month."""

ACCELERATOR = _table(
    "accelerator",
    {
        "accelerator": _text(),
        "vendor": _text(nullable=True),
        "precision": _text(),
        "dense_tflops": _number(pa.Check.gt(0)),
        "memory_gib": _number(nullable=True),
        "memory_bw_gbs": _number(nullable=True),
        "tdp_w": _number(nullable=True),
        "reference": _text(nullable=True),
    },
)
"""Dense peak of one accelerator at one precision; sparse peaks are twice as high.

`reference` is the document the peak comes from: the files head it "source",
which in the lake names the source of the row.
"""

SLO = _table(
    "slo",
    {
        "service": _slug(),
        "name": _text(),
        "name_zh": _text(nullable=True),
        "kind": _one_of(SLO_KINDS),
        "target_percent": _number(pa.Check.gt(0), pa.Check.le(100)),
        "cluster": _slug(nullable=True),
        "gpus": _number(pa.Check.gt(0), nullable=True),
        "owner": _text(nullable=True),
        "valid_from": _date(nullable=True),
    },
)
"""What availability was promised for a service."""

PROGRAM = _table(
    "program",
    {
        "program": _slug(),
        "name": _text(),
        "name_zh": _text(nullable=True),
        "owner": _text(nullable=True),
        "project": _text(nullable=True),
        "cluster": _slug(nullable=True),
        "budget": _money(nullable=True),
        "currency": _currency(nullable=True),
    },
)
"""A programme of work and the tracker project that plans it."""

MILESTONE_STAKE = _table(
    "milestone_stake",
    {
        "project": _text(),
        "task_uid": _text(),
        "gpus_waiting": _number(pa.Check.ge(0)),
        "cluster": _slug(nullable=True),
    },
)
"""What idles while a milestone is late."""

KEYS: dict[str, tuple[str, ...]] = {
    "tenant": ("tenant",),
    "cluster": ("cluster",),
    "budget": ("tenant", "month", "currency", "version"),
    "quota": ("tenant", "cluster", "valid_from"),
    "fx_rate": ("month", "from_currency", "to_currency"),
    "accelerator": ("accelerator", "precision"),
    "slo": ("service", "valid_from"),
    "program": ("program",),
    "milestone_stake": ("project", "task_uid"),
}
"""What names a row. Rules have none: several rows may say one rule."""

TABLES: tuple[Table, ...] = (
    TENANT,
    CLUSTER,
    ALLOCATION_RULE,
    BUDGET,
    QUOTA,
    FX_RATE,
    ACCELERATOR,
    SLO,
    PROGRAM,
    MILESTONE_STAKE,
)


def newest(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """One row a key, the one loaded last: two sources may both list a tenant.

    frame: rows of `table` with lineage. Without this a join would count money
    twice. Rows of a table without a key come back as they are.
    """
    key = KEYS.get(table)
    if key is None or frame.is_empty():
        return frame
    return frame.sort("load_id", "source_row").unique(
        subset=list(key), keep="last", maintain_order=True
    )

"""The tables of the SLA page: which columns, how wide, what each means."""

import polars as pl

from ui.i18n import t
from ui.tables import Column, table


def services(rows: pl.DataFrame, source: pl.DataFrame, file: str) -> None:
    """Each service's level, with and without maintenance, and its error budget."""
    columns = {
        "label": Column(t("Service"), width=150),
        "status": Column(t("Budget"), width=95),
        "target": Column(t("Target, %"), "%.2f", 72, kind="number"),
        "sli_excluding_maintenance": Column(
            t("Level, %"),
            "%.4f",
            88,
            kind="number",
            hint=t("Up time / (time - planned maintenance); training by accelerators."),
        ),
        "sli": Column(
            t("+ maint., %"),
            "%.4f",
            94,
            kind="number",
            hint=t("The same with planned maintenance counted as down time."),
        ),
        "band": Column(
            t("Band, %"),
            width=150,
            hint=t("How low and how high the level could be, as part of the time is not known."),
        ),
        "scheduler_up": Column(
            t("Scheduler, %"),
            "%.3f",
            96,
            kind="number",
            hint=t("Share of time in which not all accelerators were down."),
        ),
        "budget_left_percent": Column(t("Left, %"), "%.1f", 76, kind="number"),
        "budget_minutes": Column(t("Budget, min"), "%.1f", 92, kind="number"),
        "downtime_minutes": Column(t("Down, min"), "%.1f", 84, kind="number"),
        "coverage_percent": Column(
            t("Known, %"),
            "%.0f",
            76,
            kind="number",
            hint=t("Share of the time that the incident log speaks for."),
        ),
    }
    if rows["band"].is_null().all():
        del columns["band"]
    table(rows, columns, "sla.services.table", download=file, source=source)


def repairs(rows: pl.DataFrame, source: pl.DataFrame, file: str) -> None:
    """How often each service failed and how long repairs took."""
    columns = {
        "label": Column(t("Service"), width=150),
        "incidents": Column(t("Incidents"), "%d", 80, kind="number"),
        "open_incidents": Column(t("Still open"), "%d", 64, kind="number"),
        "outages": Column(
            t("Outages"),
            "%d",
            76,
            kind="number",
            hint=t("That began in the month; overlapping incidents are one outage."),
        ),
        "mttr_minutes": Column(
            t("MTTR, min"), "%.1f", 92, kind="number", hint=t("Mean over incidents.")
        ),
        "mttr_outage_minutes": Column(
            t("MTTR of outages, min"), "%.1f", 140, kind="number", hint=t("Mean over outages.")
        ),
        "mtbf_hours": Column(t("MTBF, h"), "%.1f", 84, kind="number"),
        "failures_percent_per_gpu_year": Column(
            t("Failures a GPU-year, %"), "%.1f", 150, kind="number"
        ),
        "maintenance_minutes": Column(t("Planned, min"), "%.1f", 100, kind="number"),
    }
    table(rows, columns, "sla.repairs.table", download=file, source=source)


def alerts(rows: pl.DataFrame, source: pl.DataFrame, file: str) -> None:
    """Each alert pair: now, and when it was worst in the month."""
    table(
        rows,
        {
            "label": Column(t("Service"), width=145),
            "alert": Column(t("Alert"), width=62),
            "state": Column(t("State"), width=76),
            "windows": Column(t("Windows"), width=104),
            "threshold": Column(t("Threshold, x"), "%.2f", 84, kind="number"),
            "worst_long": Column(t("Worst, long, x"), "%.1f", 102, kind="number"),
            "worst_short": Column(t("Worst, short, x"), "%.1f", 102, kind="number"),
            "worst_at": Column(t("Worst at"), width=124, kind="datetime"),
            "burn_long": Column(t("Now, long, x"), "%.1f", 86, kind="number"),
            "burn_short": Column(t("Now, short, x"), "%.1f", 92, kind="number"),
        },
        "sla.burn.table",
        download=file,
        source=source,
        rows=8,
    )


def incidents(rows: pl.DataFrame, source: pl.DataFrame, file: str) -> None:
    """The month's incidents, the newest first."""
    table(
        rows,
        {
            "local_start": Column(t("Began"), width=124, kind="datetime"),
            "label": Column(t("Service"), width=132),
            "severity": Column(t("Severity"), width=66),
            "title": Column(t("What happened"), width=238),
            "cause": Column(t("Cause"), width=168),
            "lasted": Column(t("Lasted"), width=128),
            "effect": Column(t("Effect"), width=70),
            "gpus": Column(t("GPUs"), "%d", 52, kind="number"),
        },
        "sla.incidents.table",
        download=file,
        source=source,
        rows=10,
    )


def maintenance(rows: pl.DataFrame, source: pl.DataFrame, file: str) -> None:
    """The month's planned windows with what excuses them."""
    table(
        rows,
        {
            "local_start": Column(t("From"), width=124, kind="datetime"),
            "local_end": Column(t("To"), width=124, kind="datetime"),
            "label": Column(t("Service"), width=140),
            "reason": Column(t("Reason"), width=330),
            "approved_by": Column(t("Approved by"), width=130),
            "minutes": Column(t("Minutes"), "%.0f", 75, kind="number"),
            "gpus": Column(t("GPUs"), "%d", 60, kind="number"),
        },
        "sla.maintenance.table",
        download=file,
        source=source,
    )

"""Columns of the Milestones page's tables."""

from ui.i18n import t
from ui.tables import Column


def due_columns(*, with_program: bool) -> dict[str, Column]:
    """What is due."""
    return {
        "name": Column(t("Due"), width="large"),
        **_program(with_program),
        "finish": Column(t("Forecast"), kind="date"),
        "due_in_days": Column(t("In days"), "%d", kind="number", width="small"),
        "status": Column(t("Status"), width="small"),
        "slack_days": Column(t("Slack, d"), "%.1f", kind="number", width="small"),
        "owner": Column(t("Owner")),
    }


def slipped_columns(*, with_program: bool) -> dict[str, Column]:
    """What is later than promised."""
    return {
        "name": Column(t("Late"), width="large"),
        **_program(with_program),
        "slip_days": Column(t("Days late"), "%d", kind="number", width="small"),
        "slip_working_days": Column(t("Working days"), "%.1f", kind="number", width="small"),
        "baseline_finish": Column(t("Promised"), kind="date"),
        "finish": Column(t("Forecast"), kind="date"),
        "owner": Column(t("Owner")),
    }


def blocker_columns(*, with_program: bool) -> dict[str, Column]:
    """What stops open work."""
    return {
        "name": Column(t("Waiting")),
        **_program(with_program),
        "blocked_by": Column(t("For"), width="large"),
        "owner": Column(t("Who acts")),
        "age_days": Column(t("Since, d"), "%d", kind="number", width="small"),
        "blocker_status": Column(t("Status"), width="small"),
    }


def path_columns() -> dict[str, Column]:
    """What sets a date, step by step."""
    return {
        "name": Column(t("Step"), width="large"),
        "start": Column(t("Start"), kind="date"),
        "finish": Column(t("Finish"), kind="date"),
        "percent_complete": Column(t("Done"), "%.0f %%", width="small", kind="number"),
        "owner": Column(t("Owner")),
    }


def tree_columns() -> dict[str, Column]:
    """The plan with our dates beside the stored ones."""
    return {
        "wbs": Column("WBS", width="small"),
        "name": Column(t("Task"), width="large"),
        "critical": Column(t("Critical"), width="small"),
        "rolled_up_percent": Column(t("Done"), "%.0f %%", kind="number", width="small"),
        "own_start": Column(t("Start"), kind="date"),
        "own_finish": Column(t("Finish"), kind="date"),
        "slack_days": Column(t("Slack, d"), "%.1f", kind="number", width="small"),
        "baseline_finish": Column(t("Promised"), kind="date"),
        "finish": Column(t("Finish in the file"), kind="date"),
        "differs_days": Column(t("Ours − file, d"), "%.1f", kind="number", width="small"),
        "owner": Column(t("Owner")),
    }


def _program(shown: bool) -> dict[str, Column]:
    return {"program": Column(t("Programme"))} if shown else {}

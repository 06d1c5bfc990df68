"""Columns of the Milestones page's tables."""

from ui.i18n import t
from ui.tables import Column

DAY_PX, COUNT_PX, PERSON_PX = 90, 64, 140


def due_columns(*, with_program: bool) -> dict[str, Column]:
    """What is due; without programmes narrow enough for half a page."""
    return {
        "name": Column(t("Item"), width=300 if with_program else 200),
        **_program(with_program, 210),
        "finish": Column(t("Forecast"), kind="date", width=DAY_PX),
        "due_in_days": Column(t("In days"), "%d", kind="number", width=COUNT_PX),
        **_wide(
            with_program,
            status=Column(t("Status"), width=90),
            slack_days=Column(t("Slack, d"), "%.1f", kind="number", width=COUNT_PX),
        ),
        "owner": Column(t("Owner"), width=PERSON_PX),
    }


def slipped_columns(*, with_program: bool) -> dict[str, Column]:
    """What is later than promised; without programmes narrow enough for half a page."""
    return {
        "name": Column(t("Item"), width=300 if with_program else 200),
        **_program(with_program, 210),
        "slip_days": Column(t("Days late"), "%d", kind="number", width=COUNT_PX),
        "baseline_finish": Column(t("Promised"), kind="date", width=DAY_PX),
        "finish": Column(t("Forecast"), kind="date", width=DAY_PX),
        **_wide(
            with_program,
            slip_working_days=Column(t("Working days"), "%.1f", kind="number", width=COUNT_PX + 20),
            owner=Column(t("Owner"), width=PERSON_PX),
        ),
    }


def blocker_columns(*, with_program: bool) -> dict[str, Column]:
    """What stops open work."""
    return {
        "name": Column(t("Waiting"), width=230),
        **_program(with_program, 170),
        "blocked_by": Column(t("For"), width=300),
        "owner": Column(t("Who acts"), width=PERSON_PX),
        "age_days": Column(t("Since, d"), "%d", kind="number", width=COUNT_PX),
        "blocker_status": Column(t("Status"), width=90),
    }


def path_columns() -> dict[str, Column]:
    """What sets a date, step by step."""
    return {
        "name": Column(t("Step"), width=250),
        "start": Column(t("Start"), kind="date", width=DAY_PX),
        "finish": Column(t("Finish"), kind="date", width=DAY_PX),
        "percent_complete": Column(t("Done"), "%.0f %%", width=COUNT_PX, kind="number"),
    }


def tree_columns() -> dict[str, Column]:
    """The plan with our dates beside the stored ones."""
    return {
        "wbs": Column("WBS", width=60),
        "name": Column(t("Task"), width=320),
        "critical": Column(t("Critical"), width=65),
        "rolled_up_percent": Column(t("Done"), "%.0f %%", kind="number", width=65),
        "own_start": Column(t("Start"), kind="date", width=DAY_PX),
        "own_finish": Column(t("Finish"), kind="date", width=DAY_PX),
        "slack_days": Column(t("Slack, d"), "%.1f", kind="number", width=COUNT_PX),
        "baseline_finish": Column(t("Promised"), kind="date", width=DAY_PX),
        "finish": Column(
            t("In the file"), kind="date", width=DAY_PX, hint=t("The finish that the file stores.")
        ),
        "differs_days": Column(
            t("Ours later, d"),
            "%.1f",
            kind="number",
            width=90,
            hint=t("Our finish less the file's."),
        ),
    }


def _wide(shown: bool, **more: Column) -> dict[str, Column]:
    return more if shown else {}


def _program(shown: bool, width: int) -> dict[str, Column]:
    return {"program": Column(t("Programme"), width=width)} if shown else {}

"""Data: what is loaded, how fresh is it, what did loads change, what was refused and why?"""

import polars as pl
import streamlit as st

from ui import load_view as view
from ui.cards import card, explain
from ui.filters import choose_many
from ui.i18n import t
from ui.page import open_page
from ui.states import empty
from ui.tables import Column, table
from ui.tiles import tiles

page = open_page("Data")
zone = page.session.config.zone
sources = page.ask("sources")
if sources.frame.is_empty():
    empty(["focus", "slurm", "gpu_metrics"], t("No source is configured yet."))
    st.stop()

refused = page.ask("quarantine")
loads = page.ask("loads")
changes = page.ask("load-changes")
chosen = choose_many(t("Sources"), sources.frame["source"].to_list(), "source")


def of_chosen(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the chosen sources; none chosen means all."""
    return frame.filter(pl.col("source").is_in(chosen)) if chosen else frame


page.headline(view.headline(sources, refused, zone))
before = (page.ask_before("sources"), page.ask_before("quarantine"))
tiles(view.data_tiles(sources, refused, loads, before))
st.caption(
    t(
        "State {snapshot} of the lake; times are of {zone}.",
        snapshot=page.session.snapshot_id,
        zone=zone.key,
    )
)

with card(t("Sources"), t("Behind: how far its newest data is from the newest of all sources.")):
    table(
        view.source_rows(of_chosen(sources.frame), zone),
        {
            "source": Column(t("Source"), width=160),
            "kind": Column(t("Kind"), width=110),
            "state": Column(t("State"), width=130),
            "last_load": Column(t("Last load"), width=124, kind="datetime"),
            "data_through": Column(t("Data through"), width=124, kind="datetime"),
            "behind": Column(t("Behind"), width=72),
            "files": Column(t("Files"), "%d", 56, kind="number"),
            "rows": Column(t("Rows"), "localized", 84, kind="number"),
            "quarantined": Column(t("Refused"), "localized", 70, kind="number"),
        },
        "data.sources.table",
        download="sources.csv",
    )
    explain(sources, zone)

with card(t("Refused rows"), t("Kept whole and out of every figure until a corrected file comes.")):
    rows = of_chosen(refused.extra["raw"])
    if rows.is_empty():
        st.caption(t("None: every row read is in the lake."))
    else:
        st.markdown(view.refusals_in_words(of_chosen(refused.extra["group"])))
        table(
            view.refused_rows(rows),
            {
                "file": Column(t("File"), width=160),
                "row": Column(t("Row"), "%d", 52, kind="number"),
                "column": Column(t("Column"), width=96),
                "rule": Column(t("Rule"), width=118),
                "message": Column(t("What is wrong"), width=300),
                "advice": Column(t("What to do"), width=240),
                "raw": Column(t("The row as read"), width=300),
                "source": Column(t("Source"), width=130),
            },
            "data.quarantine.table",
            download="quarantine.csv",
        )
        explain(refused, zone)

with card(t("Load history")):
    history = of_chosen(loads.frame)
    if history.is_empty():
        st.caption(t("Nothing was loaded yet: run `python cli.py load`."))
    else:
        table(
            view.load_rows(history, zone),
            {
                "finished_at": Column(t("Finished"), width=118, kind="datetime"),
                "source": Column(t("Source"), width=118),
                "status": Column(t("State"), width=84),
                "rows_read": Column(t("Read"), "localized", 66, kind="number"),
                "rows_accepted": Column(t("Accepted"), "localized", 66, kind="number"),
                "rows_quarantined": Column(t("Refused"), "localized", 60, kind="number"),
                "rows_replaced": Column(t("Replaced"), "localized", 64, kind="number"),
                "moved": Column(t("Billed total moved by"), width=142),
                "message": Column(t("Message"), width=152),
                "files": Column(t("Files"), "%d", 48, kind="number"),
                "seconds": Column(t("Seconds"), "%.1f", 64, kind="number"),
            },
            "data.loads.table",
            download="loads.csv",
            source=history,
        )

with card(t("What loads changed in totals"), t("Per billing account, period and currency.")):
    moved = of_chosen(changes.frame)
    if moved.is_empty():
        st.caption(t("No load has moved a billed total yet."))
    else:
        table(
            view.change_rows(moved, zone),
            {
                "loaded_at": Column(t("Loaded"), width=124, kind="datetime"),
                "source": Column(t("Source"), width=120),
                "key": Column(t("Period"), width=230),
                "currency": Column(t("Currency"), width=64),
                "billed_before": Column(t("Before"), "accounting", 100, kind="number"),
                "billed_after": Column(t("After"), "accounting", 100, kind="number"),
                "moved": Column(t("Moved"), "accounting", 100, kind="number"),
                "rows_before": Column(t("Rows before"), "localized", 84, kind="number"),
                "rows_after": Column(t("Rows after"), "localized", 84, kind="number"),
                "note": Column(t("Note"), width=240),
            },
            "data.changes.table",
            download="load-changes.csv",
            source=moved,
        )
        explain(changes, zone)

"""Loads and refusals in a reader's words: states, the headline, tiles, rows for tables."""

import re
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer
from ui import format
from ui.i18n import language, t
from ui.markup import plain
from ui.refusal_advice import advice
from ui.tiles import Tile

STATES = {
    "fresh": ("■", "fresh"),
    "behind": ("●", "behind"),
    "partial": ("●", "some files refused"),
    "failed": ("▲", "last load failed"),
    "never_loaded": ("○", "never loaded"),
}
LOAD_STATES = {
    "loaded": ("■", "loaded"),
    "partial": ("●", "partly loaded"),
    "failed": ("▲", "failed"),
}
MESSAGES = (
    (r"(?P<n>\d+) files unchanged", "{n} files unchanged"),
    (r"(?P<n>\d+) files, nothing new", "{n} files, nothing new"),
    (r"(?P<n>\d+) of (?P<all>\d+) files refused; see quarantine", "{n} of {all} files refused"),
    (r"no file matches (?P<path>.+)", "no file matches {path}"),
    (r"stopped, the last good state is kept: (?P<why>.+)", "stopped, nothing changed: {why}"),
)
"""How loads put their messages, and the same to be said in the reader's language."""


def headline(sources: Answer, refused: Answer, zone: ZoneInfo) -> str:
    """How many sources are fresh, how far the data reaches, what was refused."""
    states = sources.frame["state"].to_list()
    said = [
        t(
            "**{fresh} of {all} sources are fresh**; data reaches to **{when}**.",
            fresh=states.count("fresh"),
            all=len(states),
            when=format.moment(sources.data_through, zone),
        )
        if sources.data_through
        else t(
            "**{fresh} of {all} sources are fresh.**",
            fresh=states.count("fresh"),
            all=len(states),
        )
    ]
    worrying = sources.frame.filter(pl.col("state") != "fresh").head(3)
    for row in worrying.iter_rows(named=True):
        said.append(
            t(
                "{source}: **{state}**.",
                source=plain(row["source"]),
                state=t(STATES[row["state"]][1]),
            )
        )
    if refused.frame.is_empty():
        said.append(t("No row is in quarantine."))
    else:
        said.append(
            t(
                "Refused and kept out of every figure: **{rows}** rows.",
                rows=format.number(refused.frame.height),
            )
        )
    return " ".join(said)


def data_tiles(
    sources: Answer, refused: Answer, loads: Answer, before: tuple[Answer | None, Answer | None]
) -> list[Tile]:
    """Sources, rows, refusals and loads, with the change since the review compared with."""
    sources_before, refused_before = before
    rows = int(sources.frame["rows"].sum())
    rows_before = int(sources_before.frame["rows"].sum()) if sources_before else None
    kept_out = refused.frame.height
    kept_out_before = refused_before.frame.height if refused_before else None
    failed = loads.frame.filter(pl.col("status") == "failed").height
    return [
        Tile(
            t("Sources fresh"),
            t(
                "{met} of {all}",
                met=sources.frame["state"].to_list().count("fresh"),
                all=sources.frame.height,
            ),
            hint=t("Loaded without failure, and not behind what its kind usually delivers."),
        ),
        Tile(t("Rows in the lake"), _short(rows), _moved(rows, rows_before)),
        Tile(
            t("Rows in quarantine"),
            format.number(kept_out),
            _moved(kept_out, kept_out_before),
            "down",
        ),
        Tile(t("Loads that failed"), format.number(failed), hint=t("In the whole load history.")),
    ]


def source_rows(frame: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Sources as a table shows them."""
    state = [_signed(STATES[word]) for word in frame["state"]]
    behind = [
        None
        if hours is None
        else t("newest")
        if hours == 0
        else format.duration_minutes(hours * 60)
        for hours in frame["behind_hours"]
    ]
    return frame.with_columns(
        pl.Series("state", state, dtype=pl.String),
        pl.Series("behind", behind, dtype=pl.String),
        last_load=_local("last_load", zone),
        data_through=_local("data_through", zone),
    )


def load_rows(frame: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Loads as a table shows them; `moved` says by how much totals changed."""
    status = [_signed(LOAD_STATES.get(word, ("○", word))) for word in frame["status"]]
    moved = [
        ", ".join(
            format.signed(format.money(amount, currency), amount)
            for currency, amount in zip(row["currencies"], row["amounts"], strict=True)
            if amount
        )
        if row["currencies"]
        else None
        for row in frame.iter_rows(named=True)
    ]
    return frame.with_columns(
        pl.Series("status", status, dtype=pl.String),
        pl.Series("moved", moved, dtype=pl.String),
        pl.Series("message", [_message(text) for text in frame["message"]], dtype=pl.String),
        finished_at=_local("finished_at", zone),
    )


def change_rows(frame: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Moved totals as a table shows them."""
    notes = [None if note is None else t(note) for note in frame["note"]]
    return frame.with_columns(
        pl.Series("note", notes, dtype=pl.String), loaded_at=_local("loaded_at", zone)
    )


def refused_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Refused rows as a table shows them, with what to do."""
    whole = frame.select("file", "message", "rule").to_dicts()
    return frame.with_columns(
        pl.Series("advice", [t(advice(row["rule"])) for row in whole], dtype=pl.String),
        pl.Series("file", [_name(row["file"]) for row in whole], dtype=pl.String),
        pl.Series(
            "message",
            [_without_place(row["message"], row["file"]) for row in whole],
            dtype=pl.String,
        ),
    )


def refusals_in_words(groups: pl.DataFrame, at_most: int = 5) -> str:
    """The largest groups of refused rows as a list: where, what is wrong, what to do."""
    said = []
    for row in groups.head(at_most).iter_rows(named=True):
        where = (
            t("the whole file")
            if row["row"] is None
            else t("row {n}", n=row["row"])
            if row["rows"] == 1
            else t("{count} rows, first {n}", count=format.number(row["rows"]), n=row["row"])
        )
        column = f", {plain(row['column'])}" if row["column"] else ""
        said.append(
            f"- **{plain(_name(row['file']))}**, {where}{column}: "
            f"{plain(_without_place(row['message'], row['file']))} "
            f"**{t(advice(row['rule']))}**"
        )
    left = groups.height - at_most
    if left > 0:
        said.append("- " + t("and {n} more kinds of refusal in the table", n=left))
    return "\n".join(said)


def _name(file: str) -> str:
    return file.rsplit("/", 1)[-1]


def _without_place(message: str, file: str) -> str:
    """The message without the "file, row 7, Column: " that the columns beside it say."""
    if not message.startswith(_name(file)):
        return message
    return re.sub(r"^[^:]*: ", "", message, count=1)


def _message(text: str | None) -> str | None:
    for pattern, template in MESSAGES:
        if found := re.fullmatch(pattern, text or ""):
            return t(template, **found.groupdict())
    return text


def _short(rows: int) -> str:
    if language() == "zh" and rows >= 100_000:
        return f"{format.number(rows / 10_000, 1)} 万"
    if rows < 100_000:
        return format.number(rows)
    if rows < 10**7:
        return t("{n} k", n=format.number(rows / 1000))
    return t("{n} M", n=format.number(rows / 10**6, 1))


def _moved(now: int, before: int | None) -> str | None:
    if before is None or now == before:
        return None
    return format.signed(format.number(now - before), now - before)


def _signed(words: tuple[str, str]) -> str:
    sign, word = words
    return f"{sign} {t(word)}"


def _local(column: str, zone: ZoneInfo) -> pl.Expr:
    return pl.col(column).dt.convert_time_zone(zone.key).dt.replace_time_zone(None)

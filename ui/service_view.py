"""SLA figures in a reader's words: labels, the headline, tiles, rows for tables."""

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer
from ui import format, theme
from ui.i18n import language, t
from ui.markup import hover, plain
from ui.tiles import Tile

STATUS = {
    "breached": ("▲", "Overspent"),
    "at_risk": ("●", "At risk"),
    "met": ("■", "Met"),
    "no_objective": ("○", "No objective"),
    "unknown": ("○", "Unknown"),
}
EFFECTS = {"down": "down", "degraded": "degraded", "unknown": "not observed"}
SEVERITIES = {"page": "Pager", "ticket": "Ticket"}

_RANKS = (
    ("1", "一", "critical", "严重", "紧急", "blocker"),
    ("2", "二", "high", "高", "major"),
    ("3", "三", "medium", "中", "minor"),
)
_SEVERITY_COLOURS = (theme.BAD, theme.ORANGE, theme.OLIVE, theme.GREY)


def labelled(frame: pl.DataFrame, services: pl.DataFrame) -> pl.DataFrame:
    """The frame's rows of these services, with `label`: the name in the reader's language."""
    column = "name_zh" if language() == "zh" else "name"
    names = services.select("service", label=pl.coalesce(column, "name", "service"))
    return frame.join(names, on="service", maintain_order="left")


def ranked(services: pl.DataFrame) -> pl.DataFrame:
    """The services with the least budget left first."""
    return services.sort("budget_left_percent", "service", nulls_last=True)


def of_services(frame: pl.DataFrame, services: pl.DataFrame) -> pl.DataFrame:
    """The frame's rows of these services, as they are."""
    return frame.filter(pl.col("service").is_in(services["service"].to_list()))


def colours(services: pl.DataFrame) -> dict[str, str]:
    """The colour each service has, whichever month or filter is chosen."""
    known = tuple(sorted(services["service"]))
    return {service: theme.colour_of("service", service, known) for service in known}


def named_service(services: pl.DataFrame, service: str) -> str:
    """One service's name in the reader's language."""
    rows = labelled(services.filter(pl.col("service") == service).select("service"), services)
    return str(rows["label"][0]) if rows.height else service


def headline(answer: Answer, month: str) -> str:
    """Are services within their budgets, which is worst, what burned it, what is open?"""
    (found,) = answer.extra["summary"].to_dicts()
    services = answer.extra["service"]
    said = []
    if found["promised"] == 0:
        said.append(t("**No service has a level in {month}.**", month=format.month(month)))
    else:
        said.append(
            t(
                "**{met} of {promised} services are within their error budget in {month}.**",
                met=found["met"],
                promised=found["promised"],
                month=format.month(month),
            )
        )
        said.append(_worst(answer, found, services))
    if found["open_incidents"]:
        said.append(t("Incidents still open: **{n}**.", n=found["open_incidents"]))
    return " ".join(part for part in said if part)


def _worst(answer: Answer, found: dict[str, object], services: pl.DataFrame) -> str:
    worst = str(found["worst"])
    left = found["worst_left_percent"]
    assert isinstance(left, float)
    if left >= 100:
        return t("No budget was spent.")
    values = {"service": plain(named_service(services, worst)), "left": format.percent(left, 0)}
    causes = (
        answer.extra["incident"]
        .filter((pl.col("service") == worst) & (pl.col("effect") == "down"))
        .sort("minutes_in_month", descending=True)
        .head(1)
        .to_dicts()
    )
    if not causes:
        return t("{service} has least left: **{left}**.", **values)
    (event,) = causes
    return t(
        "{service} has least left: **{left}**. Its longest incident took **{minutes}** ({what}).",
        what=plain(event["cause"] or event["title"] or event["incident_id"]),
        minutes=format.duration_minutes(event["minutes_in_month"]),
        **values,
    )


def sla_tiles(answer: Answer, before: Answer | None, trend: pl.DataFrame) -> list[Tile]:
    """The month in six figures, with the change since the review compared with.

    trend: summaries, a row a month, oldest first.
    """
    (now,) = answer.extra["summary"].to_dicts()
    was = before.extra["summary"].to_dicts()[0] if before else {}

    def spark(column: str) -> list[float | None]:
        return [None if v is None else float(v) for v in trend[column]]

    def change(column: str, digits: int = 0) -> str | None:
        if now[column] is None or was.get(column) is None:
            return None
        moved = now[column] - was[column]
        return format.signed(format.number(moved, digits), moved) if moved else None

    return [
        Tile(
            t("Services within budget"),
            t("{met} of {all}", met=now["met"], all=now["promised"]),
            change("met"),
            "up",
            spark("met"),
        ),
        Tile(
            t("Least budget left, %"),
            format.number(now["worst_left_percent"]),
            change("worst_left_percent"),
            "up",
            spark("worst_left_percent"),
            t("Error budget left of the service that has least; negative means overspent."),
        ),
        Tile(
            t("Down time, min"),
            format.number(now["downtime_minutes"]),
            change("downtime_minutes"),
            "down",
            spark("downtime_minutes"),
            t("Summed over services, without planned maintenance."),
        ),
        Tile(
            t("Incidents"), str(now["incidents"]), change("incidents"), "down", spark("incidents")
        ),
        Tile(
            t("MTTR, min"),
            format.number(now["mttr_minutes"]),
            change("mttr_minutes"),
            "down",
            spark("mttr_minutes"),
            t("Mean time to repair over the incidents that ended in the month."),
        ),
        Tile(
            t("Planned work, min"),
            format.number(now["maintenance_minutes"]),
            change("maintenance_minutes"),
            None,
            spark("maintenance_minutes"),
            t("Planned maintenance, summed over services; left out of the level."),
        ),
    ]


def service_rows(services: pl.DataFrame) -> pl.DataFrame:
    """The services as a table shows them: status in words, shares in percent."""
    status = [" ".join((sign, t(word))) for sign, word in (STATUS[s] for s in services["status"])]
    bands = [
        f"{format.share(row['sli_low'], 3)} – {format.share(row['sli_high'], 3)}"
        if row["sli_low"] is not None and row["coverage_percent"] < 100
        else None
        for row in services.iter_rows(named=True)
    ]
    return labelled(services, services).with_columns(
        pl.Series("status", status, dtype=pl.String),
        pl.Series("band", bands, dtype=pl.String),
        *(
            (pl.col(name) * 100).alias(name)
            for name in ("target", "sli", "sli_excluding_maintenance", "scheduler_up")
        ),
    )


def burn_rows(burn: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Alert pairs as a table shows them: what fires now first, then what fired."""

    def state(row: dict[str, object]) -> str:
        if row["firing"]:
            return f"▲ {t('firing')}"
        return f"● {t('fired')}" if row["fired"] else f"■ {t('quiet')}"

    rows = burn.sort("firing", "fired", "worst_long", descending=True, nulls_last=True)
    whole = rows.to_dicts()
    return rows.with_columns(
        pl.Series("state", [state(row) for row in whole], dtype=pl.String),
        pl.Series("alert", [t(SEVERITIES[row["severity"]]) for row in whole], dtype=pl.String),
        pl.Series(
            "windows",
            [f"{_window(row['long'])} + {_window(row['short'])}" for row in whole],
            dtype=pl.String,
        ),
        worst_at=_local("worst_at", zone),
    )


def incident_rows(incidents: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Incidents as a table shows them, with `text` for reading on hover."""
    whole = incidents.to_dicts()
    text = [
        "<br>".join(
            part
            for part in (
                f"<b>{hover(row['label'])}</b>, {format.moment(row['start'], zone)}",
                hover(row["title"] or ""),
                t("{minutes}, cause: {cause}", minutes=format.duration_minutes(row["minutes"]),
                  cause=hover(row["cause"] or t("not known"))),
            )
            if part
        )
        for row in whole
    ]  # fmt: skip
    lasted = [
        format.duration_minutes(row["minutes"])
        if row["end"]
        else t("open, {minutes} so far", minutes=format.duration_minutes(row["minutes"]))
        for row in whole
    ]
    return incidents.with_columns(
        pl.Series("text", text, dtype=pl.String),
        pl.Series("lasted", lasted, dtype=pl.String),
        pl.Series("effect", [t(EFFECTS[row["effect"]]) for row in whole], dtype=pl.String),
        local_start=_local("start", zone),
    )


def maintenance_rows(windows: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Planned windows as a table shows them, with `text` for reading on hover."""
    text = [
        f"<b>{hover(row['label'])}</b>, {t('planned')}: {hover(row['reason'])}<br>"
        f"{format.moment(row['start'], zone)} – {format.moment(row['end'], zone)}"
        for row in windows.iter_rows(named=True)
    ]
    return windows.with_columns(
        pl.Series("text", text, dtype=pl.String),
        local_start=_local("start", zone),
        local_end=_local("end", zone),
    )


def severity_colours(incidents: pl.DataFrame) -> dict[str, str]:
    """The colour of each severity in the log, the gravest red."""
    words = incidents["severity"].drop_nulls().unique().to_list()
    return {word: _SEVERITY_COLOURS[_rank(word)] for word in words}


def _rank(severity: str) -> int:
    plain = severity.casefold()
    for rank, words in enumerate(_RANKS):
        if any(re.search(word, plain) for word in words):
            return rank
    return len(_RANKS)


def _window(length: timedelta) -> str:
    minutes = length.total_seconds() / 60
    if minutes < 60:
        return t("{n} min", n=int(minutes))
    hours = minutes / 60
    return t("{n} h", n=int(hours)) if hours < 24 else t("{n} d", n=int(hours / 24))


def _local(column: str, zone: ZoneInfo) -> pl.Expr:
    return pl.col(column).dt.convert_time_zone(zone.key).dt.replace_time_zone(None)

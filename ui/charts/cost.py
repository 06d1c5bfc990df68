"""Pictures of cost: who pays, for what, by which step, against which budget."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
import polars as pl

from metrics.cost_summary import OTHER
from models.billing.rules import UNALLOCATED
from ui.format import money, month, percent
from ui.i18n import t
from ui.markup import hover
from ui.theme import ACCENT, BAD, GOOD, GREY, LIGHT, ORANGE, PLUM, TEAL, colour_of, ink, template

STEPS = ("direct", "metered", "idle", "shared")
STEP_LABELS = {
    "direct": "Direct",
    "metered": "Metered use",
    "idle": "Idle",
    "shared": "Shared",
    "unallocated": "Unallocated",
}
STEP_COLOURS = {
    "direct": ACCENT,
    "metered": TEAL,
    "idle": ORANGE,
    "shared": PLUM,
    "unallocated": GREY,
}
_ROW = 34
_LINE = 13
"""Characters of a column's name on one line."""
_LABEL_SPACE = 1.22
"""How far the axis reaches beyond the longest bar, for the label at its end."""


def tenant_bars(frame: pl.DataFrame, names: Mapping[str, str], currency: str) -> go.Figure:
    """Cost by tenant, largest at the top, in the steps it came by; the total at the end.

    frame: cost-allocation rows of one currency.
    """
    ordered = frame.filter(pl.col("total") != 0).sort(
        pl.col("tenant") == UNALLOCATED, "total", descending=[True, False]
    )
    labels = [hover(names.get(tenant, tenant)) for tenant in ordered["tenant"]]
    figure = go.Figure()
    for step in STEPS:
        amounts = ordered[step].to_list()
        if not any(amounts):
            continue
        figure.add_bar(
            y=labels,
            x=[float(amount) for amount in amounts],
            name=t(STEP_LABELS[step]),
            orientation="h",
            marker_color=[
                GREY if tenant == UNALLOCATED else STEP_COLOURS[step]
                for tenant in ordered["tenant"]
            ],
            showlegend=False,
            customdata=[
                t(
                    "{tenant}: {amount} {step}",
                    tenant=label,
                    amount=money(amount, currency),
                    step=t(STEP_LABELS[step]).lower(),
                )
                for label, amount in zip(labels, amounts, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"symbol": "square", "size": 11, "color": STEP_COLOURS[step]},
            name=t(STEP_LABELS[step]),
        )
    totals = [float(total) for total in ordered["total"]]
    figure.add_scatter(
        y=labels,
        x=[max(total, 0) for total in totals],
        mode="text",
        text=[f" {_cell(total)}" for total in ordered["total"]],
        textposition="middle right",
        textfont={"color": ink().text},
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    top = max(totals, default=0)
    figure.update_layout(
        template=template(),
        barmode="relative",
        height=max(_ROW * len(labels), _ROW * 3) + 60,
        xaxis={"range": [min(0.0, *totals, 0.0), top * _LABEL_SPACE or 1], "showticklabels": False},
        yaxis={"ticksuffix": "  "},
        legend={"orientation": "h", "y": -0.02, "yanchor": "top"},
    )
    return figure


def service_heat(frame: pl.DataFrame, names: Mapping[str, str], currency: str) -> go.Figure:
    """Services by tenant: the amount in each cell, darker where there is more.

    frame: cost-matrix rows of one currency, services in the order to draw.
    """
    services = frame["service"].unique(maintain_order=True).to_list()
    sums = frame.group_by("tenant").agg(pl.col("amount").sum())
    tenants = sums.sort(pl.col("tenant") == UNALLOCATED, "amount", descending=[False, True])[
        "tenant"
    ].to_list()
    cells = {(row[0], row[1]): row[2] for row in frame.select("service", "tenant", "amount").rows()}
    shown = [[cells.get((service, tenant)) for tenant in tenants] for service in services]
    labels = [_service(service) for service in services]
    columns = [hover(names.get(tenant, tenant)) for tenant in tenants]
    figure = go.Figure(
        go.Heatmap(
            z=[[_shade(amount) for amount in row] for row in shown],
            x=[_wrapped(column) for column in columns],
            y=[_short(label) for label in labels],
            text=[[_cell(amount) for amount in row] for row in shown],
            texttemplate="%{text}",
            textfont={"size": 12},
            customdata=[
                [
                    t(
                        "{tenant}, {service}: {amount}",
                        tenant=column,
                        service=label,
                        amount=money(amount, currency),
                    )
                    if amount
                    else t("{tenant}, {service}: nothing", tenant=column, service=label)
                    for column, amount in zip(columns, row, strict=True)
                ]
                for label, row in zip(labels, shown, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            colorscale=[[0, ink().surface], [1, ACCENT]],
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    figure.update_layout(
        template=template(),
        height=max(len(services), 3) * 30 + 80,
        xaxis={"side": "top", "showgrid": False, "tickangle": 0, "ticks": ""},
        yaxis={"autorange": "reversed", "showgrid": False, "ticksuffix": "  ", "ticks": ""},
    )
    return figure


def service_bars(frame: pl.DataFrame, names: Mapping[str, str], currency: str) -> go.Figure:
    """The same as stacked bars, for screens too narrow for a grid.

    frame: cost-matrix rows of one currency, services in the order to draw.
    """
    services = frame["service"].unique(maintain_order=True).to_list()
    labels = [_service(service) for service in services]
    known = tuple(sorted(names))
    figure = go.Figure()
    for tenant in sorted(frame["tenant"].unique(), key=lambda name: (name == UNALLOCATED, name)):
        amounts = dict(frame.filter(pl.col("tenant") == tenant).select("service", "amount").rows())
        label = hover(names.get(tenant, tenant))
        figure.add_bar(
            y=[_short(text, 18) for text in labels],
            x=[float(amounts.get(service, 0)) for service in services],
            name=label,
            orientation="h",
            marker_color=colour_of("tenant", tenant, known),
            customdata=[
                f"{label}, {text}: {money(amounts.get(service, 0), currency)}"
                for service, text in zip(services, labels, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        template=template(),
        barmode="relative",
        height=max(len(services), 3) * 26 + 160,
        xaxis={"tickformat": "~s", "nticks": 4},
        yaxis={"autorange": "reversed", "ticksuffix": " "},
        legend={"orientation": "h", "y": -0.08, "yanchor": "top"},
    )
    return figure


def step_waterfall(frame: pl.DataFrame, currency: str) -> go.Figure:
    """From the first rule to the bill: what each step placed and what none did.

    frame: cost-by-step rows of one currency.
    """
    steps, amounts = frame["step"].to_list(), frame["amount"].to_list()
    total = sum(amounts)
    starts = [float(sum(amounts[:place])) for place in range(len(amounts))] + [0.0]
    labels = [t(STEP_LABELS[step]) for step in steps] + [t("Bill")]
    figure = go.Figure(
        go.Bar(
            x=labels,
            y=[float(amount) for amount in (*amounts, total)],
            base=starts,
            marker_color=[*(STEP_COLOURS[step] for step in steps), ink().quiet],
            text=[_cell(amount) or "0" for amount in (*amounts, total)],
            textposition="outside",
            textfont={"color": ink().text},
            cliponaxis=False,
            customdata=[
                f"{label}: {money(amount, currency)}"
                for label, amount in zip(labels, (*amounts, total), strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        template=template(),
        height=300,
        showlegend=False,
        yaxis={"showticklabels": False, "rangemode": "tozero"},
        margin={"t": 28},
    )
    return figure


def monthly_bars(frame: pl.DataFrame, names: Mapping[str, str], currency: str) -> go.Figure:
    """Cost a month, stacked by tenant in the colour each has everywhere.

    frame: month, tenant, total of one currency.
    """
    months = frame["month"].unique().sort().to_list()
    sums = frame.group_by("tenant").agg(pl.col("total").sum())
    tenants = sums.sort(pl.col("tenant") == UNALLOCATED, "total", descending=[False, True])
    known = tuple(sorted(names))
    figure = go.Figure()
    for tenant in tenants["tenant"]:
        amounts = dict(frame.filter(pl.col("tenant") == tenant).select("month", "total").rows())
        label = hover(names.get(tenant, tenant))
        figure.add_bar(
            x=[month(name) for name in months],
            y=[float(amounts.get(name, 0)) for name in months],
            name=label,
            marker_color=colour_of("tenant", tenant, known),
            customdata=[
                f"{label}, {month(name)}: {money(amounts.get(name, 0), currency)}"
                for name in months
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        template=template(),
        barmode="relative",
        height=340,
        xaxis={"nticks": 7},
        yaxis={"tickformat": "~s"},
        legend={"orientation": "h", "y": -0.14, "yanchor": "top"},
    )
    return figure


def budget_bars(frame: pl.DataFrame, names: Mapping[str, str], currency: str) -> go.Figure:
    """Spend as a bar with the budget as a mark, most used first.

    frame: spend-against-budget rows of one currency that have a budget.
    """
    ordered = frame.sort("used_percent", nulls_last=False)
    labels = [hover(names.get(tenant, tenant)) for tenant in ordered["tenant"]]
    colours = {"over": BAD, "watch": ORANGE, "within": GOOD}
    spend = [float(amount) for amount in ordered["spend"]]
    budget = [float(amount) for amount in ordered["budget"]]
    signs = {"over": "▲ ", "watch": "● ", "within": "■ "}
    figure = go.Figure()
    figure.add_bar(
        y=labels,
        x=spend,
        orientation="h",
        marker_color=[colours.get(status, LIGHT) for status in ordered["status"]],
        customdata=[
            t(
                "{tenant}: {spend} of {budget}, {used}",
                tenant=label,
                spend=money(row["spend"], currency),
                budget=money(row["budget"], currency),
                used=percent(row["used_percent"], 0),
            )
            for label, row in zip(labels, ordered.iter_rows(named=True), strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    figure.add_scatter(
        y=labels,
        x=budget,
        mode="markers",
        marker={
            "symbol": "line-ns",
            "size": 20,
            "line": {"width": 3, "color": ink().text},
        },
        name=t("Month's budget"),
        hoverinfo="skip",
    )
    figure.add_scatter(
        y=labels,
        x=[max(pair) for pair in zip(spend, budget, strict=True)],
        mode="text",
        text=[
            f"   {signs.get(status, '')}{percent(used, 0)}"
            for status, used in ordered.select("status", "used_percent").rows()
        ],
        textposition="middle right",
        textfont={"color": ink().text},
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    figure.update_layout(
        template=template(),
        height=max(_ROW * len(labels), _ROW * 3) + 50,
        xaxis={
            "range": [0, _room([*spend, *budget])],
            "tickformat": "~s",
        },
        yaxis={"ticksuffix": "  "},
        legend={"orientation": "h", "y": -0.1, "yanchor": "top"},
    )
    return figure


def _room(values: Sequence[float]) -> float:
    return max(values, default=1.0) * _LABEL_SPACE or 1.0


def _shade(amount: object) -> float | None:
    """Square root, so that one large cell does not bleach the rest; credits count as size."""
    return None if not amount else abs(float(str(amount))) ** 0.5


def _cell(amount: object) -> str:
    if not amount:
        return ""
    value = float(str(amount))
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:,.{1 if abs(value) < 100 * size else 0}f} {sign}"
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.2f}"


def _service(name: str) -> str:
    return t("Other services") if name == OTHER else hover(name)


def _wrapped(label: str) -> str:
    """A name over several lines, so that neighbours do not run into each other."""
    lines: list[str] = []
    for word in label.split():
        if lines and len(lines[-1]) + len(word) < _LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "<br>".join(lines)


def _short(label: str, length: int = 34) -> str:
    return label if len(label) <= length else f"{label[: length - 1]}…"

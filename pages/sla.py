"""SLA health: is each service within its error budget, what burned it, what is being done?"""

import polars as pl
import streamlit as st

from ui import service_tables as tables
from ui import service_view as view
from ui.cards import card, chart, explain
from ui.charts import sla as charts
from ui.filters import choose, choose_many
from ui.format import month as month_label
from ui.i18n import t
from ui.page import open_page
from ui.states import empty
from ui.tiles import tiles

page = open_page("SLA health")
zone = page.session.config.zone
trend = page.maybe("sla-trend")
if trend is None:
    empty(["incidents", "maintenance", "reference"], t("No service has a level yet."))
    st.stop()

months = sorted(trend.frame["month"].unique(), reverse=True)
month = choose(t("Month"), months, "month", format_func=month_label)
answer = page.ask("sla", month=month)
bounds = page.session.facts().month(month)
every = view.ranked(answer.extra["service"])
chosen = choose_many(
    t("Services"),
    sorted(every["service"]),
    "service",
    format_func=lambda service: view.named_service(every, service),
)
services = every.filter(pl.col("service").is_in(chosen)) if chosen else every

page.headline(view.headline(answer, str(month)))
tiles(view.sla_tiles(answer, page.ask_before("sla", month=month), trend.extra["summary"]))

rows = view.service_rows(services)
labels = rows["label"].to_list()
incidents = view.labelled(answer.extra["incident"], services)
incident_rows = view.incident_rows(incidents, zone)
windows = view.labelled(answer.extra["maintenance"], services)
window_rows = view.maintenance_rows(windows, zone)
burn = view.labelled(answer.extra["burn"], services)

left, right = st.columns([2, 3])
with (
    left,
    card(
        t("Error budget left, %"),
        t("Negative: more was spent than the month allows."),
        height="stretch",
    ),
):
    chart(
        charts.budget_left(view.labelled(services, services)),
        "sla.left.chart",
        t("Bars: error budget left of each service, in percent"),
    )
with right, card(t("How the budgets burned down, %"), height="stretch"):
    chart(
        charts.burn_down(
            view.labelled(answer.extra["burn_down"], services),
            view.colours(every),
            bounds,
            zone,
        ),
        "sla.burndown.chart",
        t("Lines: error budget left of each service through the month"),
    )

with card(
    t("When it broke"),
    t("A circle is an incident, larger for longer; a grey bar is planned maintenance."),
):
    chart(
        charts.incidents(
            incident_rows,
            window_rows,
            labels,
            view.severity_colours(answer.extra["incident"]),
            bounds,
            zone,
        ),
        "sla.incidents.chart",
        t("Incidents and planned maintenance of each service through the month"),
    )

with card(t("Error budget left, month by month, %")):
    chart(
        charts.history(view.labelled(trend.frame.drop("name", "name_zh"), services), labels),
        "sla.history.chart",
        t("Error budget left of each service in each month"),
    )

with card(t("Services"), t("Levels leave planned maintenance out unless the column says so.")):
    tables.services(rows, view.of_services(answer.frame, services), f"sla-{month}.csv")
    explain(answer, zone)

with card(t("Failures and repairs"), t("An open incident has no repair time yet.")):
    tables.repairs(rows, services, f"sla-repairs-{month}.csv")

with card(
    t("Burn-rate alerts"),
    t("Both windows of a pair must burn faster than the threshold: page wakes, ticket waits."),
):
    tables.alerts(view.burn_rows(burn, zone), burn, f"sla-burn-{month}.csv")

with card(t("Incidents")):
    if incidents.is_empty():
        st.caption(t("None in this month."))
    else:
        tables.incidents(incident_rows, incidents, f"incidents-{month}.csv")

with card(
    t("Planned maintenance, left out of the level"),
    t("Time is only left out with a reason."),
):
    if windows.is_empty():
        st.caption(t("None was planned in this month."))
    else:
        tables.maintenance(window_rows, windows, f"maintenance-{month}.csv")

"""Are we healthy, what changed since the last review, what must be decided?"""

import streamlit as st

from ui import review_lists as lists
from ui import review_view as view
from ui.cards import card, chart, explain
from ui.charts import review as charts
from ui.charts.sla import budget_left
from ui.format import day
from ui.i18n import t
from ui.page import open_page
from ui.service_view import labelled
from ui.statements import statements
from ui.states import empty
from ui.tiles import tiles

COMPARED = ("program-health", "findings", "milestones", "funnel", "mfu-by-month", "sla")

page = open_page("Weekly review")
session = page.session
zone, currency = session.config.zone, session.config.currency
if session.review is None:
    empty(["reference", "focus", "slurm", "msproject", "incidents", "risk_register"])
    st.stop()
shown, before_day = session.review.day(zone), session.before and session.before.day(zone)
since = session.before.data_through.isoformat() if session.before else None
st.caption(
    t("Week {week}, to {day}", week=shown.isocalendar().week, day=day(shown))
    + (t("; compared with the review of {day}", day=day(before_day)) if before_day else "")
)

now = {name: page.maybe(name) for name in COMPARED} | {
    "spend-by-month": page.maybe("spend-by-month"),
    "use-over-time": page.maybe("use-over-time"),
    "milestones-due": page.maybe("milestones-due"),
    "risk-exposure": page.maybe("risk-exposure"),
    "risk-movement": page.maybe("risk-movement", since=since),
    "risk-history": page.maybe("risk-history"),
    "sla-trend": page.maybe("sla-trend"),
    "open-decisions": page.maybe("open-decisions"),
}
before = {name: page.ask_before(name) for name in COMPARED}

page.headline(
    view.headline(
        now["program-health"], now["findings"], now["spend-by-month"], now["sla"], currency
    )
)
tiles(view.review_tiles(now, before, currency))

left, right = st.columns([0.54, 0.46])
with left, card(t("What needs attention"), height="stretch"):
    found = now["findings"]
    rows = lists.findings(found, zone, before["findings"]) if found else []
    statements(rows, t("Nothing stands out."))
    if found:
        explain(found, zone)
with right, card(t("Programmes"), t("Forecast end at the right, with its slip."), height="stretch"):
    health = now["program-health"]
    statements(lists.programmes(health, zone) if health else [], t("No programme is loaded."))
    if health:
        explain(health, zone)

left, right = st.columns(2)
with left:
    with card(t("To decide")):
        asked = lists.decisions(found, now["open-decisions"], zone)
        statements(asked, t("Nothing is waiting for a decision."))
    with card(t("Heaviest risks"), t("Expected cost at the right."), height="stretch"):
        risks = now["risk-exposure"]
        rows = lists.top_risks(risks, now["risk-movement"], currency) if risks else []
        statements(rows, t("No risk is recorded yet."))
with right, card(t("Since the last review"), height="stretch"):
    if before_day is None:
        st.caption(t("There is no earlier review to compare with."))
    else:
        statements(lists.changes(now, before, zone), t("Nothing moved."))

left, right = st.columns(2)
with left, card(t("Where the GPU-hours went this month"), height="stretch"):
    use = now["funnel"]
    if use is None or use.frame.is_empty():
        empty(["slurm", "kubernetes", "gpu_metrics"])
    else:
        chart(
            charts.hours(use.frame, currency),
            "weekly_review.funnel.chart",
            t("Bars: GPU-hours from owned to model FLOPs"),
        )
with right, card(t("Spend against budget, M {currency}", currency=currency), height="stretch"):
    spend = now["spend-by-month"]
    if spend is None or spend.frame.is_empty():
        empty(["focus", "reference"])
    else:
        chart(
            charts.spend_and_budget(spend.frame, currency),
            "weekly_review.spend.chart",
            t("Bars: spend by month; dotted steps: budget"),
        )
        explain(spend, zone)

left, right = st.columns(2)
with left, card(t("Error budget left this month, %"), height="stretch"):
    services = now["sla"]
    if services is None:
        empty(["incidents", "reference"])
    else:
        every = services.extra["service"]
        chart(
            budget_left(labelled(every, every)),
            "weekly_review.sla.chart",
            t("Bars: error budget left of each service, in percent"),
        )
with (
    right,
    card(t("Milestones due in four weeks"), t("With those past their day."), height="stretch"),
):
    due = now["milestones-due"]
    if due is None:
        empty(["msproject"])
    else:
        statements(lists.milestones_due(due, zone), t("None is due."))

"""Milestones: what is due, what slips, why, and what does it do to the end date?"""

import streamlit as st

from ui import milestones_rows as rows
from ui import milestones_tables as columns
from ui import milestones_view as view
from ui.cards import card, chart, explain, only
from ui.charts.gantt import gantt
from ui.filters import choose, segment, switch
from ui.i18n import t
from ui.milestones_issues import has_issues, show_issues
from ui.page import open_page
from ui.states import empty
from ui.tables import table
from ui.tiles import tiles

page = open_page("Milestones")
zone = page.session.config.zone
everything = page.maybe("milestones", project=None)
issues = page.ask("issues-due")
if everything is None:
    empty(["msproject", "jira"], t("No plan is loaded yet."))
    if has_issues(issues):
        show_issues(page, issues)
    st.stop()

programs = everything.extra["programs"]
names = view.program_names(programs)
program = choose(
    t("Programme"),
    [view.ALL, *names],
    key="program",
    format_func=lambda id: names.get(id, t("All programmes")),
)
is_all = program == view.ALL
project = None if is_all else dict(programs.select("program", "project").rows())[program]
found = page.ask("milestones", project=project)
before = page.ask_before("milestones", project=project)
items = (found.frame, found.extra["tasks"])

page.headline(view.headline(found, zone))
tiles(view.milestone_tiles(found, before, zone))

with card(t("Plan, baseline and critical path")):
    if project is None:
        plan = None
        lines = rows.overview_rows(found.extra["programs"], found.frame, names, zone)
        st.caption(t("Choose a programme in the sidebar to see its tasks."))
    else:
        plan = page.ask("schedule", project=project)
        level = segment(
            t("WBS level"),
            rows.LEVELS,
            "level",
            format_func=lambda word: t("All") if word == view.ALL else word,
        )
        critical = switch(t("Only critical and late"), "critical")
        lines = rows.plan_rows(
            plan.extra["rows"], found.frame, level, only_critical=critical, zone=zone
        )
    today = page.session.facts().now.astimezone(zone).replace(tzinfo=None)
    for screen in ("wide", "narrow"):
        with only(screen, "milestones-gantt"):
            picture = gantt(lines[: rows.MOST_ROWS], today, is_narrow=screen == "narrow")
            chart(picture, f"milestones.gantt.{screen}", view.gantt_in_words())
    if len(lines) > rows.MOST_ROWS:
        st.caption(
            t(
                "{n} more lines are not drawn; choose a lower WBS level, or only critical ones.",
                n=len(lines) - rows.MOST_ROWS,
            )
        )
    explain(plan or found, zone)

due = rows.due_rows(items, names, zone)
slipped = rows.slipped_rows(items, names, zone)
left, right = (st.container(), st.container()) if is_all else st.columns(2)
with left, card(t("Due in the next six weeks"), t("▲ is on the critical path."), height="stretch"):
    if due.is_empty():
        st.caption(t("Nothing is due."))
    else:
        table(
            due,
            columns.due_columns(with_program=is_all),
            "milestones.due.table",
            download="due.csv",
            rows=10,
        )
with right, card(t("Later than promised"), t("Against the baseline."), height="stretch"):
    if slipped.is_empty():
        st.caption(t("Nothing open is later than its baseline."))
    else:
        table(
            slipped,
            columns.slipped_columns(with_program=is_all),
            "milestones.slipped.table",
            download="slipped.csv",
            rows=10,
        )
    explain(found, zone)

blocked = rows.blocker_rows(found.extra["blockers"], names)
with card(t("Blocked, and by whom")):
    if blocked.is_empty():
        st.caption(t("Nothing open names a blocker."))
    else:
        table(
            blocked,
            columns.blocker_columns(with_program=is_all),
            "milestones.blocked.table",
            download="blocked.csv",
        )

left, right = st.columns(2)
reason = view.reason(page, found, project)
with (
    left,
    card(view.reason_title(found), t("Each step sets the next one's date."), height="stretch"),
):
    if reason is None:
        st.caption(t("Choose a programme in the sidebar to see its tasks."))
    else:
        table(
            rows.path_rows(reason.frame, zone),
            columns.path_columns(),
            "milestones.path.table",
            download="critical-path.csv",
        )
        explain(reason, zone)
with right, card(t("What moved since the review"), height="stretch"):
    for line in view.change_lines(found, before, zone):
        st.markdown(line)

if is_all and has_issues(issues):
    show_issues(page, issues)
if plan is not None and project is not None:
    with card(t("Work breakdown: our dates beside the file's")):
        for loop in view.loop_lines(plan.extra["loops"]):
            st.warning(loop)
        table(
            rows.tree_rows(plan.extra["rows"], zone),
            columns.tree_columns(),
            "milestones.tree.table",
            download=f"{project}.csv",
            source=plan.frame,
            rows=16,
        )
        explain(plan, zone)

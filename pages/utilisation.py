"""Utilisation and MFU: where do the GPU-hours and the money in them go?"""

import streamlit as st

from ui import theme
from ui import utilisation_columns as columns
from ui import utilisation_view as view
from ui.cards import card, chart, explain
from ui.charts import funnel as charts
from ui.filters import choose, segment
from ui.format import month as month_label
from ui.i18n import t
from ui.page import open_page
from ui.states import empty
from ui.tables import csv_bytes, table
from ui.tiles import tiles

page = open_page("Utilisation and MFU")
zone = page.session.config.zone
scope = page.ask("use-scope")
months = scope.frame["month"].to_list()
has_runs = not page.ask("mfu").frame.is_empty()
if not months and not has_runs:
    empty(["slurm", "kubernetes", "gpu_metrics", "training_runs", "reference"])
    st.stop()

clusters = view.names(scope.extra["clusters"], "cluster")
tenants = view.names(scope.extra["tenants"], "tenant")
every = {view.EVERY: t("All")}
month = choose(t("Month"), months, "month", format_func=month_label)
at = choose(
    t("Cluster"), [*every, *clusters], "cluster", format_func=(every | clusters).__getitem__
)
of = choose(t("Tenant"), [*every, *tenants], "tenant", format_func=(every | tenants).__getitem__)
cluster, tenant = (None if word == view.EVERY else word for word in (at, of))
chosen = {"month": month, "cluster": cluster, "tenant": tenant}
mfu = page.ask("mfu", **chosen)

if month is None:
    empty(["slurm", "kubernetes", "gpu_metrics"], t("No jobs and no accelerator metrics yet."))
else:
    use = page.ask("funnel", **chosen)
    over_time = page.ask("use-over-time", **chosen)
    waits = page.ask("queue-wait", **chosen)
    currency = view.currency(use, page.session.config.currency)
    idle = page.ask("idle-candidates", cluster=cluster)
    candidates = view.of_tenant(idle.frame, tenant)
    name = tenants.get(tenant) if tenant else None
    page.headline(view.headline(use, mfu, candidates, clusters, month, name))
    tiles(
        view.use_tiles(
            use,
            page.ask_before("funnel", **chosen),
            over_time.frame,
            (mfu, page.ask_before("mfu", **chosen)),
            (waits, page.ask_before("queue-wait", **chosen)),
        )
    )

    left, right = st.columns([3, 2])
    inside = t("Each level lies inside the one above.")
    with left, card(t("Where the GPU-hours went"), inside, height="stretch"):
        chart(
            charts.funnel(use.frame, currency, has_owner=tenant is None),
            "utilisation.funnel.chart",
            t("Bars: GPU-hours at each level from owned to model FLOPs, with money"),
        )
        explain(use, zone)
    sums = t("Losses and what is left sum to the top.")
    with right, card(t("What was lost on the way"), sums, height="stretch"):
        chart(
            charts.losses(use.extra["losses"], currency),
            "utilisation.losses.chart",
            t("Bars: GPU-hours lost by kind, with share and money"),
        )
        st.download_button(
            t("Download CSV"),
            data=lambda: csv_bytes(use.extra["losses"]),
            file_name=f"gpu-hour-losses-{month}.csv",
            key="utilisation.losses.download",
            on_click="ignore",
        )

    left, right = st.columns([3, 2])
    with left, card(t("Use day by day, % of what is owned"), height="stretch"):
        known = tuple(clusters)
        colours = {name: theme.colour_of("cluster", name, known) for name in clusters}
        chart(
            charts.days(over_time.frame, over_time.extra["clusters"], colours, clusters),
            "utilisation.days.chart",
            t("Lines: allocated and active share of what is owned on each day"),
        )
    with right, card(t("Hours of the week, % of what is owned"), height="stretch"):
        kinds = {"allocated_percent": t("Allocated"), "active_percent": t("Active")}
        kind = segment(t("Show"), list(kinds), "week", format_func=kinds.__getitem__, where=st)
        chart(
            charts.hours_of_week(over_time.extra["week"], kind),
            "utilisation.week.chart",
            t("Heat map: use by weekday and hour in the configured zone"),
        )

    if tenant is None:
        with card(t("Clusters")):
            table(
                view.cluster_rows(use, clusters),
                columns.clusters(currency),
                "utilisation.clusters.table",
                download=f"clusters-{month}.csv",
                source=use.extra["clusters"],
            )

    with card(t("Idle: could be given back"), t("No telemetry is not idle.")):
        if candidates.is_empty():
            st.caption(t("Nothing idle was found."))
        else:
            table(
                view.idle_rows(candidates, clusters, tenants, zone),
                columns.idle(currency),
                "utilisation.idle.table",
                download="idle-candidates.csv",
                source=candidates,
            )
        explain(idle, zone)

    used = page.ask("gpu-hours", month=month)
    mine = view.tenant_rows(view.only(used.frame, cluster, tenant), clusters, tenants)
    with card(t("GPU-hours by tenant")):
        table(
            mine,
            columns.tenants(currency),
            "utilisation.tenants.table",
            download=f"gpu-hours-{month}.csv",
            source=view.only(used.frame, cluster, tenant),
            rows=14,
        )
        explain(used, zone)

    ended = page.ask("job-outcomes", **chosen)
    left, right = st.columns([2, 3])
    with left, card(t("How runs ended"), t("By count and by GPU-hours."), height="stretch"):
        chart(
            charts.outcomes(ended.frame),
            "utilisation.outcomes.chart",
            t("Bars: shares of runs and of GPU-hours by how runs ended"),
        )
        explain(ended, zone)
    from_eligible = t("Start less eligible; pending jobs count to now")
    with right, card(t("Queue wait, minutes"), from_eligible, height="stretch"):
        table(
            view.wait_rows(waits.frame, "cluster", clusters),
            columns.waits(),
            "utilisation.waits.table",
            download=f"queue-wait-{month}.csv",
            source=waits.frame,
        )
        explain(waits, zone)

with card(t("MFU by run"), t("Formula, peak and precision make two figures comparable.")):
    if mfu.frame.is_empty():
        kinds_missing = [] if has_runs else ["training_runs"]
        empty(kinds_missing, t("No training run is known for this choice."))
    else:
        table(
            view.mfu_rows(mfu.extra["detail"], tenants),
            columns.mfu(),
            "utilisation.mfu.table",
            download=f"mfu-{month or 'all'}.csv",
            source=mfu.frame,
        )
    explain(mfu, zone)

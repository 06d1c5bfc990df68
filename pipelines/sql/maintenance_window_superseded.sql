-- maintenance_window_superseded: earlier windows that a newer calendar restates
-- grain:  one earlier maintenance_window row
-- reads:  maintenance_window; $load_id and $files name the delivery just inserted
-- rule:   all rows of the same file, and the same window from any other file or
--         source (as incident_superseded)

with fresh as (
    select
        source,
        source_file,
        service,
        cluster,
        "start",
        "end",
        gpus
    from maintenance_window
    where load_id = $load_id and list_contains($files, source_file)
)

select
    maintenance_window.rowid as row_id,
    maintenance_window.load_id
from maintenance_window
where
    not (
        maintenance_window.load_id = $load_id
        and list_contains($files, maintenance_window.source_file)
    )
    and (
        exists (
            select 1
            from fresh
            where
                fresh.source = maintenance_window.source
                and fresh.source_file = maintenance_window.source_file
        )
        or exists (
            select 1
            from fresh
            where
                fresh.service is not distinct from maintenance_window.service
                and fresh.cluster is not distinct from maintenance_window.cluster
                and fresh."start" = maintenance_window."start"
                and fresh."end" = maintenance_window."end"
                and fresh.gpus is not distinct from maintenance_window.gpus
        )
    )

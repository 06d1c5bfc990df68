-- incident_superseded: earlier incidents that a newer copy of the log restates
-- grain:  one earlier incident row
-- reads:  incident; $load_id and $files name the delivery just inserted
-- rule:   all rows of the same file, since a log is a state: a row taken out or
--         moved to another hour is gone; and the same incident of the same
--         service from any other file or source, so that two exports that
--         overlap never count it twice

with fresh as (
    select
        source,
        source_file,
        service,
        incident_id
    from incident
    where load_id = $load_id and list_contains($files, source_file)
)

select
    incident.rowid as row_id,
    incident.load_id
from incident
where
    not (incident.load_id = $load_id and list_contains($files, incident.source_file))
    and (
        exists (
            select 1
            from fresh
            where
                fresh.source = incident.source
                and fresh.source_file = incident.source_file
        )
        or exists (
            select 1
            from fresh
            where
                fresh.service = incident.service
                and fresh.incident_id = incident.incident_id
        )
    )

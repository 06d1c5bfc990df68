-- source_load: the newest load of each source, and when one last succeeded
-- grain:  source
-- reads:  load, load_file
-- note:   rows_accepted and rows_quarantined are those of the newest load that
--         took or refused each file, so a load of one file does not hide the rest

with newest_load as (
    select
        source,
        kind,
        finished_at,
        status,
        message
    from load
    qualify row_number() over (partition by source order by load_id desc) = 1
),

succeeded as (
    select
        source,
        max(finished_at) as succeeded_at,
        max(data_through) as data_through,
        count(*) as loads
    from load
    where status in ('loaded', 'partial')
    group by source
),

newest_file as (
    select
        source,
        file,
        status,
        rows_accepted
    from load_file
    qualify row_number() over (partition by source, file order by load_id desc) = 1
),

files as (
    select
        source,
        count(*) as files,
        count(*) filter (where status = 'refused') as files_refused,
        cast(sum(rows_accepted) as bigint) as rows_accepted
    from newest_file
    group by source
),

refused as (
    select
        source,
        count(*) as quarantined
    from quarantine
    group by source
)

select
    newest_load.source,
    newest_load.kind,
    newest_load.finished_at as last_load,
    newest_load.status,
    newest_load.message,
    succeeded.succeeded_at,
    succeeded.data_through,
    coalesce(succeeded.loads, 0) as loads,
    coalesce(files.files, 0) as files,
    coalesce(files.files_refused, 0) as files_refused,
    coalesce(files.rows_accepted, 0) as rows_accepted,
    coalesce(refused.quarantined, 0) as quarantined
from newest_load
left join succeeded on succeeded.source = newest_load.source
left join files on files.source = newest_load.source
left join refused on refused.source = newest_load.source
order by newest_load.source

-- job_superseded: copies of a run that another copy knows more about
-- grain:  one job row
-- reads:  job; $load_id and $files name the delivery just inserted
-- rule:   of all copies of a run (cluster, job_id, submit, which is Slurm's own key)
--         the file wins that saw it end, then the one that saw it longer, then the
--         newer: files load in the order of their names, and an export from while
--         the job still ran must not undo a later one. The winner may be an earlier
--         file, so rows just inserted may go. Runs of one job without a Submit share
--         a key and stay together.

with fresh as (
    select distinct
        job.cluster,
        job.job_id,
        job.submit
    from job
    where job.load_id = $load_id and list_contains($files, job.source_file)
),

copied as (
    select
        job.cluster,
        job.job_id,
        job.submit,
        job.load_id,
        job.source,
        job.source_file,
        bool_and(job."end" is not null) as has_ended,
        sum(coalesce(job.elapsed_s, 0)) as elapsed_s
    from job
    inner join fresh
        on fresh.cluster = job.cluster
        and fresh.job_id = job.job_id
        and fresh.submit is not distinct from job.submit
    group by
        job.cluster, job.job_id, job.submit, job.load_id, job.source, job.source_file
),

winner as (
    select copied.*
    from copied
    qualify row_number() over (
        partition by copied.cluster, copied.job_id, copied.submit
        order by
            copied.has_ended desc,
            copied.elapsed_s desc,
            copied.load_id desc,
            list_contains($files, copied.source_file) desc,
            copied.source_file desc
    ) = 1
)

select
    job.rowid as row_id,
    job.load_id
from job
inner join winner
    on winner.cluster = job.cluster
    and winner.job_id = job.job_id
    and winner.submit is not distinct from job.submit
where not (
    job.load_id = winner.load_id
    and job.source = winner.source
    and job.source_file = winner.source_file
)

-- runs_unplaced: runs that used time but cannot be counted, and why
-- grain:  cluster
-- reads:  job_run; $to_ bounds runs whose start is known

select
    job_run.cluster,
    count(*) filter (where job_run.gpus is null) as without_gpus,
    count(*) filter (where job_run.gpus > 0 and job_run.until is null) as without_start,
    coalesce(
        sum(job_run.gpu_hours) filter (where job_run.gpus > 0 and job_run.until is null), 0
    ) as hours_without_start
from job_run
where coalesce(job_run.elapsed_s, 1) > 0
    and job_run.outcome <> 'pending'
    and (job_run.start is null or job_run.start < $to_)
    and (job_run.gpus is null or job_run.until is null)
group by job_run.cluster
order by job_run.cluster

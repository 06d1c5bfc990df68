-- runs_waiting: runs that became eligible before $to_ and started, ended or still wait
--               at $from_ or later
-- grain:  one run of one job
-- reads:  job_run; runs known to need no GPU are left out

select
    job_run.cluster,
    job_run.tenant,
    job_run.outcome,
    job_run.submit,
    job_run.eligible,
    job_run.start,
    job_run.until,
    job_run.gpus
from job_run
where coalesce(job_run.eligible, job_run.submit) < $to_
    and (job_run.gpus is null or job_run.gpus > 0)
    and (
        job_run.start >= $from_ and job_run.start < $to_
        or job_run.outcome = 'pending'
    )

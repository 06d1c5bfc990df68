-- runs_between: the runs that held GPUs at any time within [$from_, $to_)
-- grain:  one run of one job
-- reads:  job_run
-- note:   node_list is left out here; a long run on many nodes repeats it for nothing

select
    job_run.cluster,
    job_run.job_id,
    job_run.job_key,
    job_run.tenant,
    job_run.account,
    job_run.namespace,
    job_run.outcome,
    job_run.start,
    job_run.until,
    job_run.gpus,
    job_run.charged_share
from job_run
where job_run.gpus > 0 and job_run.until > $from_ and job_run.start < $to_

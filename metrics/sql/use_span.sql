-- use_span: from when to when jobs or accelerator samples are known
-- grain:  one row; nulls without any
-- reads:  job_run, gpu_hour

select
    least(
        (select min(job_run.start) from job_run where job_run.gpus > 0),
        (select min(gpu_hour.hour) from gpu_hour)
    ) as first_instant,
    greatest(
        (select max(job_run.until) from job_run where job_run.gpus > 0),
        (select max(gpu_hour.hour) from gpu_hour)
    ) as last_instant

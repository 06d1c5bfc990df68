-- job_tenant_hour: GPU-hours that each tenant's jobs held, hour by hour
-- grain:  cluster, tenant, hour
-- units:  hour starts in UTC; gpu_hours
-- reads:  job_run (runs with known GPUs and start)
-- ties:   the sum equals that of gpu_hours in job_run over the same runs

with held as (
    select
        job_run.cluster,
        job_run.tenant,
        job_run.start,
        job_run.until,
        job_run.gpus * job_run.charged_share as charged_gpus,
        unnest(generate_series(
            date_trunc('hour', job_run.start),
            job_run.until - interval 1 microsecond,
            interval 1 hour
        )) as hour
    from job_run
    where job_run.gpus > 0 and job_run.until > job_run.start
)

select
    held.cluster,
    held.tenant,
    held.hour,
    sum(
        held.charged_gpus * datediff(
            'microsecond',
            greatest(held.start, held.hour),
            least(held.until, held.hour + interval 1 hour)
        )
    ) / 3.6e9 as gpu_hours
from held
group by held.cluster, held.tenant, held.hour

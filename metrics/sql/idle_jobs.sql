-- idle_jobs: running jobs whose accelerators did nothing through the last $window_h hours
-- grain:  one run
-- units:  engine_active as a share of time; gpu_hours of the idle stretch so far
-- reads:  job_run, gpu_hour (whole GPUs)
-- rule:   an hour is a job's own by the exporter's job label, or where no other job was
--         on the node. Only jobs with a measured hour in the window can be idle: no
--         telemetry is not idle. The first $grace_h hours of a job do not count.

with running as (
    select
        job_run.cluster,
        job_run.job_id,
        job_run.job_name,
        job_run.tenant,
        job_run.account,
        job_run.namespace,
        job_run.user_name,
        job_run.start,
        job_run.gpus,
        unnest(string_split(job_run.node_list, ',')) as node
    from job_run
    where job_run.outcome = 'running' and job_run.gpus > 0 and job_run.start < $now
),

alone as (
    select running.cluster, running.node
    from running
    group by running.cluster, running.node
    having count(distinct running.job_id) = 1
),

watched as (
    select distinct
        running.cluster,
        running.job_id,
        gpu_hour.gpu_uuid,
        gpu_hour.hour,
        gpu_hour.engine_active
    from running
    inner join gpu_hour
        on gpu_hour.cluster = running.cluster
        and gpu_hour.node = running.node
        and gpu_hour.hour >= running.start + $grace_h * interval 1 hour
        and gpu_hour.hour < $now
    left join alone on alone.cluster = running.cluster and alone.node = running.node
    where gpu_hour.mig_instance is null
        and gpu_hour.engine_active is not null
        and (
            gpu_hour.job_id = running.job_id
            or (gpu_hour.job_id is null and alone.node is not null)
        )
),

judged as (
    select
        watched.cluster,
        watched.job_id,
        max(watched.engine_active) filter (
            where watched.hour >= $now - $window_h * interval 1 hour
        ) as busiest,
        max(watched.hour) filter (where watched.engine_active >= $threshold) as last_busy_hour,
        min(watched.hour) as first_hour
    from watched
    group by watched.cluster, watched.job_id
)

select
    running.cluster,
    running.job_id,
    any_value(running.job_name) as job_name,
    any_value(running.tenant) as tenant,
    coalesce(any_value(running.user_name), any_value(running.namespace)) as owner,
    any_value(running.gpus) as gpus,
    any_value(running.start) as start,
    judged.busiest,
    judged.last_busy_hour + interval 1 hour as last_active,
    any_value(running.gpus) * datediff(
        'second', coalesce(judged.last_busy_hour + interval 1 hour, judged.first_hour), $now
    ) / 3600 as gpu_hours
from running
inner join judged on judged.cluster = running.cluster and judged.job_id = running.job_id
where judged.busiest < $threshold
group by
    running.cluster, running.job_id, judged.busiest, judged.last_busy_hour, judged.first_hour
order by gpu_hours desc, running.cluster, running.job_id

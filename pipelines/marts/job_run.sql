-- job_run: whose each run of a job was, how it ended, and until when it held its GPUs
-- grain:  one run of one job, as in job
-- units:  instants in UTC, gpu_hours over the run's whole life
-- reads:  job, tenant (an account or namespace claimed twice goes to the tenant that
--         sorts first, so no run doubles)
-- rule:   a run is charged its elapsed time, spread evenly from start to until: a
--         suspended job is charged less than its span. A run without an end counts
--         to start + elapsed, which is as far as its export saw it.
-- ties:   a row a row of job

with account_tenant as (
    select
        lower(trim(listed.account)) as account,
        min(tenant.tenant) as tenant
    from tenant
    cross join unnest(string_split(tenant.slurm_accounts, ';')) as listed(account)
    where trim(listed.account) <> ''
    group by lower(trim(listed.account))
),

namespace_tenant as (
    select
        trim(listed.namespace) as namespace,
        min(tenant.tenant) as tenant
    from tenant
    cross join unnest(string_split(tenant.namespaces, ';')) as listed(namespace)
    where trim(listed.namespace) <> ''
    group by trim(listed.namespace)
),

spanned as (
    select
        job.*,
        coalesce(
            job."end", job.start + to_microseconds(cast(round(job.elapsed_s * 1e6) as bigint))
        ) as until
    from job
)

select
    spanned.cluster,
    spanned.job_id,
    case
        when spanned.namespace is not null
            then concat(spanned.namespace, '/', spanned.job_name)
        else spanned.job_id
    end as job_key,
    coalesce(account_tenant.tenant, namespace_tenant.tenant, 'unallocated') as tenant,
    spanned.account,
    spanned.namespace,
    spanned."user" as user_name,
    spanned.job_name,
    spanned.partition as partition_name,
    spanned.state,
    case
        when spanned.state = 'COMPLETED' then 'completed'
        when spanned.state in (
            'FAILED', 'OUT_OF_MEMORY', 'NODE_FAIL', 'BOOT_FAIL', 'LAUNCH_FAILED'
        ) then 'failed'
        when spanned.state = 'CANCELLED' then 'cancelled'
        when spanned.state in ('TIMEOUT', 'DEADLINE') then 'timeout'
        when spanned.state in ('PREEMPTED', 'REQUEUED', 'REQUEUE_HOLD', 'REVOKED')
            then 'preempted'
        when spanned.state in ('RUNNING', 'SUSPENDED', 'COMPLETING', 'CONFIGURING', 'RESIZING')
            then 'running'
        when spanned.state = 'PENDING' then 'pending'
        else 'other'
    end as outcome,
    spanned.submit,
    spanned.eligible,
    spanned.start,
    spanned.until,
    spanned."end" is null as is_open,
    spanned.gpus,
    spanned.elapsed_s,
    case
        when spanned.elapsed_s is null or spanned.until <= spanned.start then 1.0
        else spanned.elapsed_s * 1e6 / datediff('microsecond', spanned.start, spanned.until)
    end as charged_share,
    spanned.gpus * coalesce(
        spanned.elapsed_s, datediff('microsecond', spanned.start, spanned.until) / 1e6
    ) / 3600 as gpu_hours,
    spanned.node_list,
    spanned.source,
    spanned.load_id
from spanned
left join account_tenant on account_tenant.account = lower(trim(spanned.account))
left join namespace_tenant on namespace_tenant.namespace = trim(spanned.namespace)

-- use_by_hour: GPU-hours held and active in each hour within [$from_, $to_)
-- grain:  cluster, hour
-- units:  hour starts in UTC; GPU-hours; active null where nothing was measured
-- reads:  job_tenant_hour, measured_tenant_hour; $tenant null: all tenants

with held as (
    select
        job_tenant_hour.cluster,
        job_tenant_hour.hour,
        sum(job_tenant_hour.gpu_hours) as allocated
    from job_tenant_hour
    where job_tenant_hour.hour >= $from_
        and job_tenant_hour.hour < $to_
        and ($tenant is null or job_tenant_hour.tenant = $tenant)
    group by job_tenant_hour.cluster, job_tenant_hour.hour
),

busy as (
    select
        measured_tenant_hour.cluster,
        measured_tenant_hour.hour,
        sum(measured_tenant_hour.measured) as measured,
        sum(measured_tenant_hour.active) as active
    from measured_tenant_hour
    where measured_tenant_hour.hour >= $from_
        and measured_tenant_hour.hour < $to_
        and ($tenant is null or measured_tenant_hour.tenant = $tenant)
    group by measured_tenant_hour.cluster, measured_tenant_hour.hour
)

select
    coalesce(held.cluster, busy.cluster) as cluster,
    coalesce(held.hour, busy.hour) as hour,
    coalesce(held.allocated, 0) as allocated,
    busy.measured,
    busy.active
from held
full join busy on busy.cluster = held.cluster and busy.hour = held.hour
order by cluster, hour

-- measured_tenant_hour: how busy accelerators were, and for whom where that is certain
-- grain:  cluster, tenant (null: not one tenant's), holding, hour
-- units:  GPU-hours; energy in kWh
-- reads:  gpu_hour, job_run, tenant
-- rule:   an hour of an accelerator weighs samples seen over samples due. A whole GPU
--         stands for its MIG instances; instances without it weigh their compute
--         slices. Its holder is the tenant of the exporter's own job or namespace
--         label, else the one tenant whose jobs were on the node in that hour
--         (holding one); with two or more it is several, with none seen not_seen.
-- ties:   the sum of weight over tenants is that of the cluster

with unit as (
    select
        gpu_hour.*,
        case
            when gpu_hour.mig_instance is null then 1.0
            else coalesce(
                try_cast(regexp_extract(gpu_hour.mig_profile, '^(\d)g', 1) as double), 1.0
            ) / 7
        end as slices
    from gpu_hour
    qualify
        gpu_hour.mig_instance is null
        or not bool_or(gpu_hour.mig_instance is null) over (
            partition by gpu_hour.cluster, gpu_hour.gpu_uuid, gpu_hour.hour
        )
),

covered as (
    select min(hour) as first_hour, max(hour) + interval 1 hour as last_hour from gpu_hour
),

on_node as (
    select
        job_run.cluster,
        job_run.tenant,
        unnest(string_split(job_run.node_list, ',')) as node,
        greatest(job_run.start, covered.first_hour) as start,
        least(job_run.until, covered.last_hour) as until
    from job_run
    cross join covered
    where job_run.gpus > 0
        and job_run.node_list is not null
        and job_run.until > covered.first_hour
        and job_run.start < covered.last_hour
        and job_run.until > job_run.start
),

node_hour as (
    select
        spread.cluster,
        spread.node,
        spread.hour,
        min(spread.tenant) as tenant,
        count(distinct spread.tenant) as tenants
    from (
        select
            on_node.cluster,
            on_node.node,
            on_node.tenant,
            unnest(generate_series(
                date_trunc('hour', on_node.start),
                on_node.until - interval 1 microsecond,
                interval 1 hour
            )) as hour
        from on_node
    ) as spread
    group by spread.cluster, spread.node, spread.hour
),

labelled_job as (
    select job_run.cluster, job_run.job_id, min(job_run.tenant) as tenant
    from job_run
    group by job_run.cluster, job_run.job_id
),

namespace_tenant as (
    select trim(listed.namespace) as namespace, min(tenant.tenant) as tenant
    from tenant
    cross join unnest(string_split(tenant.namespaces, ';')) as listed(namespace)
    where trim(listed.namespace) <> ''
    group by trim(listed.namespace)
),

held as (
    select
        unit.cluster,
        unit.hour,
        coalesce(
            labelled_job.tenant,
            namespace_tenant.tenant,
            case when node_hour.tenants = 1 then node_hour.tenant end
        ) as tenant,
        case
            when labelled_job.tenant is not null or namespace_tenant.tenant is not null then 'one'
            when node_hour.tenants = 1 then 'one'
            when node_hour.tenants > 1 then 'several'
            else 'not_seen'
        end as holding,
        unit.slices * least(unit.samples / unit.samples_expected, 1.0) as weight,
        unit.engine_active,
        unit.sm_active,
        unit.tensor_active,
        unit.power_w
    from unit
    left join labelled_job
        on labelled_job.cluster = unit.cluster and labelled_job.job_id = unit.job_id
    left join namespace_tenant on namespace_tenant.namespace = unit.namespace
    left join node_hour
        on node_hour.cluster = unit.cluster
        and node_hour.node = unit.node
        and node_hour.hour = unit.hour
)

select
    held.cluster,
    held.tenant,
    held.holding,
    held.hour,
    sum(held.weight) as weight,
    coalesce(sum(held.weight) filter (where held.engine_active is not null), 0) as measured,
    sum(held.weight * held.engine_active) as active,
    sum(held.weight * held.engine_active) filter (where held.sm_active is not null)
        as active_with_sm,
    sum(held.weight * held.sm_active) filter (where held.engine_active is not null) as sm_active,
    sum(held.weight * held.engine_active) filter (where held.tensor_active is not null)
        as active_with_tensor,
    sum(held.weight * held.tensor_active) filter (where held.engine_active is not null)
        as tensor_active,
    sum(held.weight * held.power_w) / 1000 as energy_kwh
from held
group by held.cluster, held.tenant, held.holding, held.hour

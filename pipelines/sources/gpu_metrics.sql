-- gpu_hour of one file: means over the samples of each accelerator and hour
-- grain:  cluster, node, gpu_uuid, mig_instance, hour
-- units:  shares of time 0 to 1, power in W, memory in MiB
-- reads:  judged (gpu_metrics_judged.sql)
-- rule:   DCGM's "not supported" sentinels, values above 100 % and negative ones
--         are left out and flagged; an accelerator whose engine share and power
--         repeat unchanged through ten or more samples of an hour is frozen and
--         its shares are left out. An accelerator and time seen twice counts once.

with parsed as (
    select
        judged.* exclude (
            moment, culprit, gpu_util, engine_active, sm_active, tensor_active, dram_active,
            power_w, memory_used_mib, sm_clock_mhz, memory_temp_c
        ),
        case
            when regexp_full_match(judged.moment, '\d{9,10}(\.\d+)?')
                then to_timestamp(cast(judged.moment as double))
            when regexp_full_match(judged.moment, '\d{13}')
                then to_timestamp(cast(judged.moment as double) / 1000)
            when regexp_matches(judged.moment, '(Z|[+-]\d{2}(:?\d{2})?)$')
                and regexp_matches(judged.moment, '\d:\d')
                then cast(judged.moment as timestamptz)
            else timezone($timezone, cast(judged.moment as timestamp))
        end as moment,
        cast(judged.gpu_util as double) as gpu_util,
        cast(judged.engine_active as double) as engine_active,
        cast(judged.sm_active as double) as sm_active,
        cast(judged.tensor_active as double) as tensor_active,
        cast(judged.dram_active as double) as dram_active,
        cast(judged.power_w as double) as power_w,
        cast(judged.memory_used_mib as double) as memory_used_mib,
        cast(judged.sm_clock_mhz as double) as sm_clock_mhz,
        cast(judged.memory_temp_c as double) as memory_temp_c
    from judged
    where judged.culprit is null
),

distinct_sample as (
    select
        parsed.*,
        to_timestamp(floor(epoch(parsed.moment) / 3600) * 3600) as hour
    from parsed
    qualify row_number() over (
        partition by cluster, gpu_uuid, mig_instance, moment order by source_row
    ) = 1
),

step as (
    select coalesce($step_s, median(gap), 3600) as seconds
    from (
        select
            epoch(moment) - epoch(lag(moment) over (
                partition by cluster, gpu_uuid, mig_instance order by moment
            )) as gap
        from distinct_sample
    )
    where gap > 0
),

checked as (
    select
        distinct_sample.* exclude (
            gpu_util, engine_active, sm_active, tensor_active, dram_active, power_w,
            memory_used_mib, sm_clock_mhz, memory_temp_c
        ),
        case when gpu_util between 0 and 100 then gpu_util / 100 end as gpu_util,
        case when engine_active between 0 and $full then engine_active / $full end as engine_active,
        case when sm_active between 0 and $full then sm_active / $full end as sm_active,
        case when tensor_active between 0 and $full then tensor_active / $full end as tensor_active,
        case when dram_active between 0 and $full then dram_active / $full end as dram_active,
        case when power_w >= 0 and power_w < 2147483632 then power_w end as power_w,
        case
            when memory_used_mib >= 0 and memory_used_mib < 2147483632 then memory_used_mib
        end as memory_used_mib,
        case when sm_clock_mhz >= 0 and sm_clock_mhz < 2147483632 then sm_clock_mhz end
            as sm_clock_mhz,
        case when memory_temp_c >= 0 and memory_temp_c < 2147483632 then memory_temp_c end
            as memory_temp_c,
        greatest(
            gpu_util, engine_active, sm_active, tensor_active, dram_active, power_w,
            memory_used_mib, sm_clock_mhz, memory_temp_c
        ) >= 2147483632 as is_sentinel,
        coalesce(gpu_util > 100 and gpu_util < 2147483632, false)
        or coalesce(engine_active > $full and engine_active < 2147483632, false)
        or coalesce(sm_active > $full and sm_active < 2147483632, false)
        or coalesce(tensor_active > $full and tensor_active < 2147483632, false)
        or coalesce(dram_active > $full and dram_active < 2147483632, false) as is_above
    from distinct_sample
),

hourly as (
    select
        cluster,
        any_value(node) as node,
        gpu_uuid,
        mig_instance,
        hour,
        any_value(mig_profile) as mig_profile,
        any_value(gpu_model) as gpu_model,
        case when count(distinct job_id) = 1 then any_value(job_id) end as job_id,
        case when count(distinct namespace) = 1 then any_value(namespace) end as namespace,
        case
            when count(coalesce(engine_active, sm_active, tensor_active, gpu_util)) > 0
                then count(coalesce(engine_active, sm_active, tensor_active, gpu_util))
            else count(*)
        end as samples,
        avg(gpu_util) as gpu_util,
        avg(engine_active) as engine_active,
        avg(sm_active) as sm_active,
        avg(tensor_active) as tensor_active,
        avg(dram_active) as dram_active,
        avg(power_w) as power_w,
        avg(memory_used_mib) as memory_used_mib,
        avg(sm_clock_mhz) as sm_clock_mhz,
        avg(memory_temp_c) as memory_temp_c,
        coalesce(bool_or(is_sentinel), false) as has_sentinel,
        bool_or(is_above) as has_above,
        coalesce(
            count(engine_active) >= 10
            and min(engine_active) = max(engine_active)
            and min(engine_active) > 0
            and min(engine_active) < 1
            and coalesce(min(power_w) = max(power_w), true),
            false
        ) as is_frozen,
        min(source_row) as source_row
    from checked
    group by cluster, gpu_uuid, mig_instance, hour
)

select
    hourly.cluster,
    hourly.node,
    hourly.gpu_uuid,
    hourly.mig_instance,
    hourly.mig_profile,
    hourly.gpu_model,
    hourly.job_id,
    hourly.namespace,
    hourly.hour,
    hourly.samples,
    greatest(cast(round(3600 / step.seconds) as bigint), 1) as samples_expected,
    case when not hourly.is_frozen then hourly.gpu_util end as gpu_util,
    case when not hourly.is_frozen then hourly.engine_active end as engine_active,
    case when not hourly.is_frozen then hourly.sm_active end as sm_active,
    case when not hourly.is_frozen then hourly.tensor_active end as tensor_active,
    case when not hourly.is_frozen then hourly.dram_active end as dram_active,
    case when not hourly.is_frozen then hourly.power_w end as power_w,
    hourly.memory_used_mib,
    hourly.sm_clock_mhz,
    hourly.memory_temp_c,
    nullif(concat_ws(
        ',',
        case when hourly.has_above then 'above_100' end,
        case when hourly.is_frozen then 'frozen' end,
        case when hourly.has_sentinel then 'not_supported' end
    ), '') as flags,
    hourly.source_row
from hourly
cross join step

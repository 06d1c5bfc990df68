-- judged: each row of a GPU metrics file with the first column that cannot be read
-- grain:  one row of the file
-- reads:  sample, the file's rows as text
-- rule:   culprit is null on a row that counts

select
    sample.*,
    case
        when sample.gpu_uuid is null then 'gpu_uuid'
        when sample.cluster is null then 'cluster'
        when sample.moment is null
            or not (
                regexp_full_match(sample.moment, '\d{9,10}(\.\d+)?|\d{13}')
                or try_cast(sample.moment as timestamptz) is not null
                or try_cast(sample.moment as timestamp) is not null
            ) then 'timestamp'
        when sample.gpu_util is not null and try_cast(sample.gpu_util as double) is null
            then 'DCGM_FI_DEV_GPU_UTIL'
        when sample.engine_active is not null and try_cast(sample.engine_active as double) is null
            then 'DCGM_FI_PROF_GR_ENGINE_ACTIVE'
        when sample.sm_active is not null and try_cast(sample.sm_active as double) is null
            then 'DCGM_FI_PROF_SM_ACTIVE'
        when sample.tensor_active is not null and try_cast(sample.tensor_active as double) is null
            then 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'
        when sample.dram_active is not null and try_cast(sample.dram_active as double) is null
            then 'DCGM_FI_PROF_DRAM_ACTIVE'
        when sample.power_w is not null and try_cast(sample.power_w as double) is null
            then 'DCGM_FI_DEV_POWER_USAGE'
        when sample.memory_used_mib is not null
            and try_cast(sample.memory_used_mib as double) is null
            then 'DCGM_FI_DEV_FB_USED'
        when sample.sm_clock_mhz is not null and try_cast(sample.sm_clock_mhz as double) is null
            then 'DCGM_FI_DEV_SM_CLOCK'
        when sample.memory_temp_c is not null and try_cast(sample.memory_temp_c as double) is null
            then 'DCGM_FI_DEV_MEMORY_TEMP'
    end as culprit
from sample

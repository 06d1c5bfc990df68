-- rows of a GPU metrics file that cannot be read, each with its first reason
-- grain:  one row of the file
-- reads:  judged (gpu_metrics_judged.sql)

select
    judged.source_row as "row",
    judged.culprit as "column",
    case judged.culprit
        when 'timestamp' then 'time'
        when 'gpu_uuid' then 'missing'
        when 'cluster' then 'missing'
        else 'number'
    end as rule,
    concat(
        $file, ', row ', judged.source_row, ', ', judged.culprit,
        case judged.culprit
            when 'timestamp' then concat(
                ': "', coalesce(judged.moment, ''),
                '" is not a time such as 2026-11-30T08:00:00+08:00.'
            )
            when 'gpu_uuid' then ' is blank; without it samples cannot be told apart.'
            when 'cluster' then ' is blank. Set cluster = "NAME" for the source.'
            else ' is not a number. Correct the cell or leave it blank.'
        end
    ) as message,
    concat_ws(
        ',',
        coalesce(judged.moment, ''),
        coalesce(judged.cluster, ''),
        coalesce(judged.node, ''),
        coalesce(judged.gpu_uuid, ''),
        coalesce(judged.gpu_util, ''),
        coalesce(judged.engine_active, ''),
        coalesce(judged.sm_active, ''),
        coalesce(judged.tensor_active, '')
    ) as raw
from judged
where judged.culprit is not null
order by judged.source_row

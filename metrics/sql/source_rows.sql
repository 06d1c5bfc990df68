-- source_rows: how many rows of each source the lake holds now
-- grain:  source, table
-- reads:  every table a reader may fill (tests hold the list to the contracts)

select source, 'accelerator' as table_name, count(*) as rows
from accelerator group by source
union all
select source, 'allocation_rule' as table_name, count(*) as rows
from allocation_rule group by source
union all
select source, 'budget' as table_name, count(*) as rows
from budget group by source
union all
select source, 'calendar' as table_name, count(*) as rows
from calendar group by source
union all
select source, 'cluster' as table_name, count(*) as rows
from cluster group by source
union all
select source, 'cost_line' as table_name, count(*) as rows
from cost_line group by source
union all
select source, 'fx_rate' as table_name, count(*) as rows
from fx_rate group by source
union all
select source, 'gpu_hour' as table_name, count(*) as rows
from gpu_hour group by source
union all
select source, 'incident' as table_name, count(*) as rows
from incident group by source
union all
select source, 'job' as table_name, count(*) as rows
from job group by source
union all
select source, 'maintenance_window' as table_name, count(*) as rows
from maintenance_window group by source
union all
select source, 'milestone_stake' as table_name, count(*) as rows
from milestone_stake group by source
union all
select source, 'program' as table_name, count(*) as rows
from program group by source
union all
select source, 'project' as table_name, count(*) as rows
from project group by source
union all
select source, 'quota' as table_name, count(*) as rows
from quota group by source
union all
select source, 'slo' as table_name, count(*) as rows
from slo group by source
union all
select source, 'task' as table_name, count(*) as rows
from task group by source
union all
select source, 'task_baseline' as table_name, count(*) as rows
from task_baseline group by source
union all
select source, 'task_comment' as table_name, count(*) as rows
from task_comment group by source
union all
select source, 'task_link' as table_name, count(*) as rows
from task_link group by source
union all
select source, 'tenant' as table_name, count(*) as rows
from tenant group by source
union all
select source, 'training_run' as table_name, count(*) as rows
from training_run group by source
order by source, table_name

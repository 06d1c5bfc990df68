-- use_parties: every cluster and tenant that jobs or samples name
-- grain:  kind, id
-- reads:  job_tenant_hour, measured_tenant_hour

select distinct 'cluster' as kind, job_tenant_hour.cluster as id
from job_tenant_hour
union
select distinct 'cluster' as kind, measured_tenant_hour.cluster as id
from measured_tenant_hour
union
select distinct 'tenant' as kind, job_tenant_hour.tenant as id
from job_tenant_hour

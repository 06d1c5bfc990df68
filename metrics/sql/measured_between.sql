-- measured_between: how busy accelerators were within [$from_, $to_), by cluster and holder
-- grain:  cluster, tenant (null: not one tenant's), holding
-- units:  GPU-hours; energy in kWh
-- reads:  measured_tenant_hour

select
    measured_tenant_hour.cluster,
    measured_tenant_hour.tenant,
    measured_tenant_hour.holding,
    sum(measured_tenant_hour.weight) as weight,
    sum(measured_tenant_hour.measured) as measured,
    sum(measured_tenant_hour.active) as active,
    sum(measured_tenant_hour.active_with_sm) as active_with_sm,
    sum(measured_tenant_hour.sm_active) as sm_active,
    sum(measured_tenant_hour.active_with_tensor) as active_with_tensor,
    sum(measured_tenant_hour.tensor_active) as tensor_active,
    sum(measured_tenant_hour.energy_kwh) as energy_kwh
from measured_tenant_hour
where measured_tenant_hour.hour >= $from_ and measured_tenant_hour.hour < $to_
group by
    measured_tenant_hour.cluster, measured_tenant_hour.tenant, measured_tenant_hour.holding
order by
    measured_tenant_hour.cluster, measured_tenant_hour.tenant, measured_tenant_hour.holding

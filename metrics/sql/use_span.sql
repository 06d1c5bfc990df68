-- use_span: from when to when jobs or accelerator samples are known
-- grain:  one row; nulls without any
-- reads:  job_tenant_hour, measured_tenant_hour

select
    least(
        (select min(job_tenant_hour.hour) from job_tenant_hour),
        (select min(measured_tenant_hour.hour) from measured_tenant_hour)
    ) as first_instant,
    greatest(
        (select max(job_tenant_hour.hour) from job_tenant_hour),
        (select max(measured_tenant_hour.hour) from measured_tenant_hour)
    ) as last_instant

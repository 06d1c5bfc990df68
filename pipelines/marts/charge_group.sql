-- charge_group: charges summed over everything the allocation rules cannot tell apart
-- grain:  source, billing_month, billing_currency, category, provider, sub account,
--         service, and each further column that some rule looks at (null otherwise)
-- units:  money in billing_currency, unrounded; a sum is null where no charge has the cost
-- reads:  cost_line, allocation_rule
-- ties:   each sum equals that of cost_line, per currency and month
-- month:  billing periods begin at midnight of whatever zone the issuer keeps;
--         half a day later it is the right month in every one of them

with looked_at as (
    -- Resources and tags are what makes charges many: a month of hourly rows by
    -- resource shrinks a thousandfold where no rule asks for the resource.
    select
        coalesce(bool_or(allocation_rule.field = 'resource_id'), false) as resource,
        coalesce(bool_or(allocation_rule.field = 'region_id'), false) as region,
        coalesce(bool_or(allocation_rule.field = 'sku_id'), false) as sku,
        coalesce(bool_or(allocation_rule.field like 'tag:%'), false) as tag
    from allocation_rule
)

select
    cost_line.source,
    strftime(cost_line.billing_period_start + interval 12 hour, '%Y-%m') as billing_month,
    cost_line.billing_currency,
    coalesce(cost_line.service_provider_name, cost_line.invoice_issuer_name) as provider,
    cost_line.charge_category,
    cost_line.sub_account_id,
    cost_line.sub_account_name,
    cost_line.service_category,
    cost_line.service_name,
    case when looked_at.resource then cost_line.resource_id end as resource_id,
    case when looked_at.region then cost_line.region_id end as region_id,
    case when looked_at.sku then cost_line.sku_id end as sku_id,
    case when looked_at.tag then cost_line.tags end as tags,
    case when looked_at.tag then cost_line.allocated_tags end as allocated_tags,
    sum(cost_line.billed_cost) as billed_cost,
    sum(cost_line.effective_cost) as effective_cost,
    sum(cost_line.list_cost) as list_cost,
    sum(cost_line.contracted_cost) as contracted_cost,
    count(*) as charges,
    count(cost_line.list_cost) as charges_with_list_cost,
    count(cost_line.contracted_cost) as charges_with_contracted_cost
from cost_line
cross join looked_at
group by all

-- charge_group: charges summed over everything an allocation rule cannot tell apart
-- grain:  source, billing_month, billing_currency and each column a rule may look at
-- units:  money in billing_currency, unrounded; a sum is null where no charge has the cost
-- reads:  cost_line
-- ties:   each sum equals that of cost_line, per currency and month
-- month:  billing periods begin at midnight of whatever zone the issuer keeps;
--         half a day later it is the right month in every one of them

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
    cost_line.resource_id,
    cost_line.region_id,
    cost_line.sku_id,
    cost_line.tags,
    cost_line.allocated_tags,
    sum(cost_line.billed_cost) as billed_cost,
    sum(cost_line.effective_cost) as effective_cost,
    sum(cost_line.list_cost) as list_cost,
    sum(cost_line.contracted_cost) as contracted_cost,
    count(*) as charges,
    count(cost_line.list_cost) as charges_with_list_cost,
    count(cost_line.contracted_cost) as charges_with_contracted_cost
from cost_line
group by all

-- cost_total: what the bills add up to
-- grain:  source, service_provider, charge_category, currency
-- units:  money in currency, unrounded; null where no charge has the cost
-- reads:  cost_line; $month null: all of them (months as in charge_group)

select
    cost_line.source,
    coalesce(cost_line.service_provider_name, cost_line.invoice_issuer_name) as service_provider,
    cost_line.charge_category,
    cost_line.billing_currency as currency,
    sum(cost_line.billed_cost) as billed_cost,
    sum(cost_line.effective_cost) as effective_cost,
    sum(cost_line.list_cost) as list_cost,
    sum(cost_line.contracted_cost) as contracted_cost,
    count(*) as rows
from cost_line
where
    cast($month as varchar) is null
    or strftime(cost_line.billing_period_start + interval 12 hour, '%Y-%m') = $month
group by all
order by all

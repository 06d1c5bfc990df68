-- invoice_total: what the charges of a month say, straight from the raw rows
-- grain:  currency, provider, invoice (null: the export names none)
-- units:  money in currency, unrounded, on the basis asked for
-- reads:  cost_line, not the mart that allocation reads, so that the two can differ

select
    cost_line.billing_currency as currency,
    coalesce(cost_line.service_provider_name, cost_line.invoice_issuer_name) as provider,
    cost_line.invoice_id as invoice,
    sum(
        case $basis
            when 'billed' then cost_line.billed_cost
            when 'effective' then cost_line.effective_cost
            when 'list' then cost_line.list_cost
            when 'contracted' then cost_line.contracted_cost
        end
    ) as cost,
    count(*) as charges,
    count(*) filter (
        where $basis = 'list' and cost_line.list_cost is null
        or $basis = 'contracted' and cost_line.contracted_cost is null
    ) as charges_without_cost
from cost_line
where strftime(cost_line.billing_period_start + interval 12 hour, '%Y-%m') = $month
group by all
order by all

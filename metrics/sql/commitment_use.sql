-- commitment_use: what commitments cost each month and how much of it was used
-- grain:  commitment, month, currency
-- units:  effective cost (amortised) in currency, unrounded
-- reads:  cost_line, usage charges that name a commitment; months as in charge_group
-- ties:   used + unused = committed

select
    cost_line.commitment_discount_id as commitment,
    any_value(cost_line.commitment_discount_name) as name,
    any_value(cost_line.commitment_discount_type) as type,
    any_value(
        coalesce(cost_line.service_provider_name, cost_line.invoice_issuer_name)
    ) as provider,
    strftime(cost_line.billing_period_start + interval 12 hour, '%Y-%m') as month,
    cost_line.billing_currency as currency,
    sum(cost_line.effective_cost) as committed,
    sum(
        case
            when cost_line.commitment_discount_status = 'Used' then cost_line.effective_cost
            else 0
        end
    ) as used,
    sum(
        case
            when cost_line.commitment_discount_status = 'Unused' then cost_line.effective_cost
            else 0
        end
    ) as unused,
    max(cost_line.charge_period_end) filter (
        where cost_line.commitment_discount_status = 'Used' and cost_line.effective_cost > 0
    ) as last_used
from cost_line
where
    cost_line.commitment_discount_id is not null
    and cost_line.commitment_discount_status in ('Used', 'Unused')
    and cost_line.charge_category = 'Usage'
group by all
order by all

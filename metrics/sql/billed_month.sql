-- billed_month: the months there are charges for
-- grain:  month, currency
-- units:  money in currency, unrounded
-- reads:  charge_group

select
    charge_group.billing_month as month,
    charge_group.billing_currency as currency,
    sum(charge_group.billed_cost) as billed_cost,
    sum(charge_group.effective_cost) as effective_cost,
    cast(sum(charge_group.charges) as bigint) as charges
from charge_group
group by all
order by all

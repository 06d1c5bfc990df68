-- focus_summary: how a file's charges stand against FOCUS's rules, by currency
-- grain:  billing_currency (null: refused rows without one)
-- units:  money in billing_currency; the rest counts rows
-- reads:  judged (focus_judged.sql), settings
-- rule:   counts are of kept rows; I numbers are the checks of the specification's
--         invariants as the documentation lists them

with kept as (
    select
        judged.*,
        judged.commitment_discount_id is null
        and judged.charge_category <> 'Purchase'
        and judged.pricing_category is distinct from 'Committed' as is_plain,
        judged.charge_class is not distinct from 'Correction' as is_correction
    from judged
)

select
    kept.billing_currency,
    count(*) as rows_read,
    count(*) filter (where kept.is_refused) as refused,
    count(*) filter (where not kept.has_currency) as without_currency,
    sum(kept.billed_cost) filter (where not kept.is_refused) as billed_cost,
    -- I9
    count(*) filter (where not kept.is_refused and kept.is_plain
        and kept.effective_cost <> kept.billed_cost) as effective_differs,
    sum(kept.billed_cost - kept.effective_cost) filter (where not kept.is_refused
        and kept.is_plain) as effective_difference,
    -- I3
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Usage' and (
        kept.charge_period_start < kept.billing_period_start
        or kept.charge_period_end > kept.billing_period_end
    )) as outside_period,
    -- I4
    count(*) filter (where not kept.is_refused and kept.charge_class is not null
        and not kept.is_correction) as strange_class,
    count(*) filter (where not kept.is_refused and lower(trim(kept.charge_frequency))
        not in ('one-time', 'recurring', 'usage-based')) as strange_frequency,
    -- I1 for the two costs that older exports leave out
    count(*) filter (where not kept.is_refused and kept.list_cost is null) as without_list,
    count(*) filter (where not kept.is_refused and kept.contracted_cost is null)
        as without_contracted,
    -- I6: half a unit in the sixth place beside one in a million
    count(*) filter (where not kept.is_refused and not kept.is_correction and kept.is_list_off)
        as list_differs,
    count(*) filter (where not kept.is_refused and not kept.is_correction
        and kept.is_contracted_off) as contracted_differs,
    -- I7
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Purchase'
        and kept.commitment_discount_id is not null and kept.effective_cost <> 0)
        as covering_with_cost,
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Usage'
        and kept.commitment_discount_status is not null and kept.billed_cost <> 0)
        as covered_with_bill,
    -- I11
    count(*) filter (where not kept.is_refused and kept.commitment_discount_id is null
        and kept.commitment_discount_status is not null) as status_without_commitment,
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Usage'
        and kept.commitment_discount_id is not null
        and kept.commitment_discount_status is null) as commitment_without_status,
    -- I12
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Tax' and (
        kept.list_unit_price is not null or kept.pricing_quantity is not null
        or kept.sku_id is not null
    )) as priced_tax,
    -- I14
    count(*) filter (where not kept.is_refused and (
        (kept.region_id is null and kept.region_name is not null)
        or (kept.sub_account_id is null and kept.sub_account_name is not null)
    )) as name_without_id,
    -- I17
    count(*) filter (where not kept.is_refused and kept.tags is not null
        and not starts_with(ltrim(kept.tags), '{')) as strange_tags,
    count(*) filter (where not kept.is_refused
        and kept.tags is distinct from kept.written_tags
        and starts_with(ltrim(kept.tags), '{')) as completed_tags,
    -- I19
    count(*) filter (where not kept.is_refused and kept.charge_category = 'Credit' and (
        kept.list_cost <> kept.billed_cost or kept.contracted_cost <> kept.billed_cost
    )) as uneven_credit,
    -- I21
    count(*) filter (where not kept.is_refused and kept.is_correction
        and kept.charge_period_start >= kept.billing_period_start) as correction_in_period,
    sum(focus_moved_by(kept.written_billed_cost, settings.mark))
        filter (where not kept.is_refused) as billed_moved,
    count(focus_moved_by(kept.written_billed_cost, settings.mark))
        filter (where not kept.is_refused) as billed_rounded,
    sum(focus_moved_by(kept.written_effective_cost, settings.mark))
        filter (where not kept.is_refused) as effective_moved,
    count(focus_moved_by(kept.written_effective_cost, settings.mark))
        filter (where not kept.is_refused) as effective_rounded
from kept
cross join settings
group by kept.billing_currency
order by kept.billing_currency

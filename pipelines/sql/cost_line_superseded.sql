-- cost_line_superseded: earlier charges that a new delivery restates
-- grain:  one earlier cost_line row
-- units:  money in billing_currency
-- reads:  cost_line; $load_id and $files name the delivery just inserted
-- rule:   within invoice issuer, billing account and billing period. A delivery
--         covers the days from its first to its last usage charge of at most a
--         day; one that covers all days loaded so far restates the whole period,
--         a shorter one restates those days only. Charges longer than a day, and
--         charges that are not usage, restate charges of the very same period
--         and category; where a delivery has only longer usage charges (monthly
--         granularity) these cover the days they span.

with keyed as (
    select
        cost_line.rowid as row_id,
        coalesce(cost_line.invoice_issuer_name, cost_line.service_provider_name, '') as issuer,
        coalesce(
            cost_line.billing_account_id, cost_line.source || ':' || cost_line.source_file
        ) as account,
        cost_line.billing_period_start as period,
        cost_line.billing_currency,
        cost_line.charge_category,
        cost_line.charge_period_start,
        cost_line.charge_period_end,
        cost_line.billed_cost,
        cost_line.load_id,
        cost_line.charge_category = 'Usage' as is_usage,
        cost_line.charge_category = 'Usage'
            and cost_line.charge_period_end
                <= cost_line.charge_period_start + interval 1 day as is_daily,
        cost_line.load_id = $load_id
            and list_contains($files, cost_line.source_file) as is_fresh
    from cost_line
),

fresh_span as (
    select
        issuer,
        account,
        period,
        coalesce(
            min(charge_period_start) filter (where is_daily),
            min(charge_period_start) filter (where is_usage)
        ) as first_instant,
        coalesce(
            max(charge_period_end) filter (where is_daily),
            max(charge_period_end) filter (where is_usage)
        ) as last_instant
    from keyed
    where is_fresh
    group by issuer, account, period
),

earlier_span as (
    select
        keyed.issuer,
        keyed.account,
        keyed.period,
        coalesce(
            min(keyed.charge_period_start) filter (where keyed.is_daily),
            min(keyed.charge_period_start) filter (where keyed.is_usage)
        ) as first_instant,
        coalesce(
            max(keyed.charge_period_end) filter (where keyed.is_daily),
            max(keyed.charge_period_end) filter (where keyed.is_usage)
        ) as last_instant
    from keyed
    where not keyed.is_fresh
    group by keyed.issuer, keyed.account, keyed.period
),

covered as (
    select
        fresh_span.issuer,
        fresh_span.account,
        fresh_span.period,
        fresh_span.first_instant,
        fresh_span.last_instant,
        coalesce(
            fresh_span.first_instant <= earlier_span.first_instant
            and fresh_span.last_instant >= earlier_span.last_instant,
            false
        ) as is_whole
    from fresh_span
    inner join earlier_span
        on earlier_span.issuer = fresh_span.issuer
        and earlier_span.account = fresh_span.account
        and earlier_span.period = fresh_span.period
),

fresh_long as (
    select distinct
        issuer,
        account,
        period,
        charge_category,
        charge_period_start,
        charge_period_end
    from keyed
    where is_fresh and not is_daily
)

select
    keyed.row_id,
    keyed.load_id,
    keyed.issuer,
    keyed.account,
    keyed.period,
    keyed.billing_currency,
    keyed.billed_cost,
    covered.is_whole
from keyed
inner join covered
    on covered.issuer = keyed.issuer
    and covered.account = keyed.account
    and covered.period = keyed.period
where
    not keyed.is_fresh
    and (
        covered.is_whole
        or (
            keyed.is_usage
            and keyed.charge_period_start >= covered.first_instant
            and keyed.charge_period_end <= covered.last_instant
        )
        or (
            not keyed.is_daily
            and exists (
                select 1
                from fresh_long
                where
                    fresh_long.issuer = keyed.issuer
                    and fresh_long.account = keyed.account
                    and fresh_long.period = keyed.period
                    and fresh_long.charge_category = keyed.charge_category
                    and fresh_long.charge_period_start = keyed.charge_period_start
                    and fresh_long.charge_period_end = keyed.charge_period_end
            )
        )
    )

-- cost_line_change: what a load moved in the totals of the periods it touched
-- grain:  invoice issuer, billing account, billing period, billing_currency
-- units:  money in billing_currency
-- reads:  cost_line after the load; superseded (rows the load removed)
-- ties:   before = after - what the load brought + what it removed

with after_load as (
    select
        coalesce(invoice_issuer_name, service_provider_name, '') as issuer,
        coalesce(billing_account_id, source || ':' || source_file) as account,
        billing_period_start as period,
        billing_currency,
        count(*) as rows_after,
        sum(billed_cost) as billed_after,
        count(*) filter (where load_id = $load_id) as rows_brought,
        sum(billed_cost) filter (where load_id = $load_id) as billed_brought
    from cost_line
    group by all
),

removed as (
    select
        issuer,
        account,
        period,
        billing_currency,
        count(*) as rows_removed,
        sum(billed_cost) as billed_removed,
        bool_and(is_whole) as is_whole
    from superseded
    where load_id <> $load_id
    group by all
)

select
    $load_id as load_id,
    $source as source,
    'cost_line' as table_name,
    concat_ws(' · ', after_load.issuer, after_load.account, strftime(after_load.period, '%Y-%m-%d'))
        as key,
    after_load.billing_currency as currency,
    after_load.rows_after - after_load.rows_brought + coalesce(removed.rows_removed, 0)
        as rows_before,
    after_load.rows_after,
    cast(
        coalesce(after_load.billed_after, 0)
        - coalesce(after_load.billed_brought, 0)
        + coalesce(removed.billed_removed, 0) as decimal(38, 18)
    ) as billed_before,
    cast(after_load.billed_after as decimal(38, 18)) as billed_after,
    case
        when removed.is_whole is null then 'new charges, nothing replaced'
        when removed.is_whole then 'whole period replaced'
        else 'only the days this delivery covers were replaced'
    end as note
from after_load
left join removed
    on removed.issuer = after_load.issuer
    and removed.account = after_load.account
    and removed.period = after_load.period
    and removed.billing_currency = after_load.billing_currency
where after_load.rows_brought > 0 or removed.rows_removed > 0

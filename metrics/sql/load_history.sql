-- load_history: every load, newest first, with how far it moved billed totals
-- grain:  load
-- units:  money per currency as "CUR amount" text, currencies never added
-- reads:  load, load_change
-- ties:   moved equals the sum of billed_after - billed_before in load_change

with moved_by_currency as (
    select
        load_id,
        currency,
        sum(coalesce(billed_after, 0) - coalesce(billed_before, 0)) as moved
    from load_change
    group by load_id, currency
),

moved as (
    select
        load_id,
        list(currency order by currency) as currencies,
        list(moved order by currency) as amounts
    from moved_by_currency
    where currency is not null
    group by load_id
)

select
    load.load_id,
    load.source,
    load.kind,
    load.started_at,
    load.finished_at,
    load.status,
    load.files,
    load.rows_read,
    load.rows_accepted,
    load.rows_quarantined,
    load.rows_replaced,
    load.message,
    load.data_through,
    moved.currencies,
    moved.amounts
from load
left join moved on moved.load_id = load.load_id
order by load.load_id desc

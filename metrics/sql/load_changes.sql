-- load_changes: which totals a load moved, and by how much
-- grain:  one (load, table, key, currency)
-- units:  money in currency
-- reads:  load_change, load
-- ties:   moved = billed_after - billed_before; nothing counts as 0 there,
--         because a period that was not loaded before adds all of itself

select
    load_change.load_id,
    load.finished_at as loaded_at,
    load_change.source,
    load_change.table_name,
    load_change.key,
    load_change.currency,
    load_change.rows_before,
    load_change.rows_after,
    load_change.billed_before,
    load_change.billed_after,
    cast(
        coalesce(load_change.billed_after, 0) - coalesce(load_change.billed_before, 0)
        as decimal(38, 18)
    ) as moved,
    load_change.note
from load_change
left join load on load.load_id = load_change.load_id
order by load_change.load_id desc, load_change.source, load_change.key, load_change.currency

-- refused_row: each row kept out of the figures, whole, with the rule it broke
-- grain:  one refused row (row null: the file as a whole)
-- reads:  quarantine, load

select
    quarantine.source,
    quarantine.file,
    quarantine.row,
    quarantine.column_name as "column",
    quarantine.rule,
    quarantine.message,
    quarantine.raw,
    load.kind,
    load.finished_at as refused_at
from quarantine
left join load on load.load_id = quarantine.load_id
order by quarantine.source, quarantine.file, quarantine.row nulls first, quarantine.column_name

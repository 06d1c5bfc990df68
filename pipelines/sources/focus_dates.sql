-- focus_dates: what a file's dates say about the order of day and month, and about its ends
-- grain:  one row
-- reads:  landing; $day_order, $zone as far as known
-- rule:   whole months: every billing period runs from a first to a first of a month;
--         inclusive: its end is the last day, or the last second, of the period

with billing as (
    select distinct
        landing.BillingPeriodStart as start_text,
        landing.BillingPeriodEnd as end_text
    from landing
),

charge as (
    select distinct
        landing.ChargePeriodStart as start_text,
        landing.ChargePeriodEnd as end_text
    from landing
),

written as (
    select unnest([start_text, end_text]) as text from billing
    union
    select unnest([start_text, end_text]) as text from charge
),

slashed as (
    select
        try_cast(regexp_extract(written.text, '^ *(\d{1,2})/(\d{1,2})/', 1) as integer) as first_part,
        try_cast(regexp_extract(written.text, '^ *(\d{1,2})/(\d{1,2})/', 2) as integer) as second_part
    from written
),

billing_end as (
    select
        focus_clock(billing.start_text, 'month first') as month_first_start,
        focus_clock(billing.end_text, 'month first') as month_first_end,
        focus_clock(billing.start_text, 'day first') as day_first_start,
        focus_clock(billing.end_text, 'day first') as day_first_end,
        focus_clock(billing.end_text, $day_order) as known_end,
        focus_clock(billing.start_text, $day_order) as known_start
    from billing
    where billing.end_text is not null
),

charge_end as (
    select
        focus_clock(charge.start_text, $day_order) as known_start,
        focus_clock(charge.end_text, $day_order) as known_end
    from charge
    where charge.end_text is not null
),

slash_answer as (
    select
        count(*) filter (where slashed.first_part is not null) as slash_dates,
        count(*) filter (where slashed.first_part > 12) as first_is_day,
        count(*) filter (where slashed.second_part > 12) as second_is_day
    from slashed
),

billing_answer as (
    select
        coalesce(bool_and(
            day(month_first_start) = 1 and day(month_first_end) = 1
            and month_first_start < month_first_end
        ), false) as month_first_is_whole,
        coalesce(bool_and(
            day(day_first_start) = 1 and day(day_first_end) = 1
            and day_first_start < day_first_end
        ), false) as day_first_is_whole,
        coalesce(bool_and(strftime(known_end, '%H:%M:%S') = '23:59:59'), false)
            as billing_ends_at_last_second,
        coalesce(bool_and(
            known_end = date_trunc('day', known_end)
            and day(known_end + interval 1 day) = 1
            and day(known_start) = 1
        ), false) as billing_ends_on_last_day
    from billing_end
),

charge_answer as (
    select
        coalesce(bool_and(strftime(known_end, '%H:%M:%S') = '23:59:59'), false)
            as charge_ends_at_last_second,
        count(*) filter (where strftime(known_end, '%H:%M:%S') = '23:59:59')
            as charge_ends_some_last_second,
        coalesce(bool_and(
            known_end = date_trunc('day', known_end)
            and known_start = date_trunc('day', known_start)
        ), false) as charge_ends_on_days
    from charge_end
)

select
    slash_answer.slash_dates,
    slash_answer.first_is_day,
    slash_answer.second_is_day,
    billing_answer.month_first_is_whole,
    billing_answer.day_first_is_whole,
    billing_answer.billing_ends_at_last_second,
    billing_answer.billing_ends_on_last_day,
    charge_answer.charge_ends_at_last_second,
    charge_answer.charge_ends_some_last_second,
    charge_answer.charge_ends_on_days
from slash_answer
cross join billing_answer
cross join charge_answer

-- placed_charge: a month's charges by the first rule that takes them
-- grain:  month, currency, provider, category, sub account, service, rule (null: none took it)
-- units:  cost in currency on the basis asked for, unrounded
-- reads:  charge_group, allocation_rule
-- ties:   sum(cost) equals that of cost_line, per currency and month
-- order:  direct, metered, shared; within a step the lowest priority number, then
--         the name. A rule's rows are conditions that must all hold.

with condition as (
    select
        allocation_rule.rule,
        allocation_rule.valid_from,
        allocation_rule.valid_to,
        case allocation_rule.step when 'direct' then 1 when 'metered' then 2 else 3 end as step,
        allocation_rule.priority,
        allocation_rule.field,
        allocation_rule.operator,
        allocation_rule.value,
        list_transform(string_split(allocation_rule.value, ';'), lambda word: trim(word))
            as words,
        -- A JSON pointer takes any key; a path would need quoting rules of its own.
        '/' || replace(replace(substr(allocation_rule.field, 5), '~', '~0'), '/', '~1')
            as tag_pointer
    from allocation_rule
),

charge as (
    select
        row_number() over () as charge_id,
        charge_group.billing_month as month,
        charge_group.billing_currency as currency,
        charge_group.provider,
        charge_group.charge_category,
        charge_group.sub_account_id,
        charge_group.sub_account_name,
        charge_group.service_category,
        charge_group.service_name,
        charge_group.resource_id,
        charge_group.region_id,
        charge_group.sku_id,
        case when json_valid(charge_group.tags) then charge_group.tags end as tags,
        case when json_valid(charge_group.allocated_tags) then charge_group.allocated_tags end
            as allocated_tags,
        case $basis
            when 'billed' then charge_group.billed_cost
            when 'effective' then charge_group.effective_cost
            when 'list' then charge_group.list_cost
            when 'contracted' then charge_group.contracted_cost
        end as cost,
        charge_group.charges,
        case $basis
            when 'list' then charge_group.charges_with_list_cost
            when 'contracted' then charge_group.charges_with_contracted_cost
            else charge_group.charges
        end as charges_with_cost
    from charge_group
    where charge_group.billing_month = $month
),

compared as (
    select
        charge.charge_id,
        condition.rule,
        condition.valid_from,
        condition.step,
        condition.priority,
        condition.field = 'any' as is_any,
        condition.operator,
        condition.value,
        condition.words,
        case
            when condition.field like 'tag:%' then coalesce(
                json_extract_string(charge.tags, condition.tag_pointer),
                json_extract_string(charge.allocated_tags, condition.tag_pointer)
            )
            else case condition.field
                when 'sub_account_id' then charge.sub_account_id
                when 'sub_account_name' then charge.sub_account_name
                when 'service_name' then charge.service_name
                when 'service_category' then charge.service_category
                when 'resource_id' then charge.resource_id
                when 'region_id' then charge.region_id
                when 'provider' then charge.provider
                when 'sku_id' then charge.sku_id
            end
        end as found
    from charge
    inner join condition
        on (condition.valid_from is null or condition.valid_from <= cast(charge.month || '-01' as date))
        and (condition.valid_to is null or cast(charge.month || '-01' as date) < condition.valid_to)
),

matched as (
    select
        compared.charge_id,
        compared.rule,
        compared.valid_from,
        any_value(compared.step) as step,
        any_value(compared.priority) as priority
    from compared
    group by compared.charge_id, compared.rule, compared.valid_from
    having bool_and(
        compared.is_any
        or coalesce(
            case compared.operator
                when 'equals' then compared.found = compared.value
                when 'one_of' then list_contains(compared.words, compared.found)
                when 'starts_with' then starts_with(compared.found, compared.value)
            end,
            false
        )
    )
),

first_match as (
    select
        matched.charge_id,
        matched.rule,
        matched.valid_from
    from matched
    qualify row_number() over (
        partition by matched.charge_id
        order by matched.step, matched.priority, matched.rule, matched.valid_from desc nulls last
    ) = 1
)

select
    charge.month,
    charge.currency,
    charge.provider,
    charge.charge_category,
    coalesce(charge.sub_account_name, charge.sub_account_id) as sub_account,
    charge.service_category,
    charge.service_name as service,
    first_match.rule,
    first_match.valid_from as rule_from,
    sum(charge.cost) as cost,
    cast(sum(charge.charges) as bigint) as charges,
    cast(sum(charge.charges_with_cost) as bigint) as charges_with_cost,
    sum(greatest(charge.cost, 0)) as gross_cost
from charge
left join first_match on first_match.charge_id = charge.charge_id
group by all
order by all

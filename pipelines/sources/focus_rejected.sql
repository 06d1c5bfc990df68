-- refused rows of one FOCUS file: the first thing wrong, what else is, and the row whole
-- grain:  one refused row
-- reads:  judged (focus_judged.sql); $file is the file's name

with found as (
    select
        judged.source_row,
        judged.as_written,
        list_filter([
            case
                when judged.as_written.broken is not null then {
                    'column': cast(null as varchar),
                    'rule': 'cells',
                    'said': 'the row ' || judged.as_written.broken
                        || '. The export may have been cut short; export it again.'
                }
            end,
            case
                when judged.billed_cost is null then {
                    'column': 'BilledCost',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.BilledCost, 'number')
                }
            end,
            case
                when judged.effective_cost is null then {
                    'column': 'EffectiveCost',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.EffectiveCost, 'number')
                }
            end,
            case
                when judged.billing_period_start is null then {
                    'column': 'BillingPeriodStart',
                    'rule': 'date',
                    'said': focus_unreadable(judged.as_written.BillingPeriodStart, 'date')
                }
            end,
            case
                when judged.billing_period_end is null then {
                    'column': 'BillingPeriodEnd',
                    'rule': 'date',
                    'said': focus_unreadable(judged.as_written.BillingPeriodEnd, 'date')
                }
            end,
            case
                when judged.charge_period_start is null then {
                    'column': 'ChargePeriodStart',
                    'rule': 'date',
                    'said': focus_unreadable(judged.as_written.ChargePeriodStart, 'date')
                }
            end,
            case
                when judged.charge_period_end is null then {
                    'column': 'ChargePeriodEnd',
                    'rule': 'date',
                    'said': focus_unreadable(judged.as_written.ChargePeriodEnd, 'date')
                }
            end,
            case
                when judged.charge_category is null then {
                    'column': 'ChargeCategory',
                    'rule': 'category',
                    'said': focus_unreadable(judged.as_written.ChargeCategory, 'category')
                }
            end,
            case
                when judged.billing_currency is null then {
                    'column': 'BillingCurrency',
                    'rule': 'currency',
                    'said': focus_unreadable(judged.as_written.BillingCurrency, 'currency')
                }
            end,
            case
                when judged.billing_period_start >= judged.billing_period_end then {
                    'column': 'BillingPeriodEnd',
                    'rule': 'period',
                    'said': '"' || judged.as_written.BillingPeriodEnd
                        || '" is not after BillingPeriodStart "'
                        || judged.as_written.BillingPeriodStart
                        || '"; a period ends at the instant after its last one. '
                        || 'Correct it at its source.'
                }
            end,
            case
                when judged.charge_period_start >= judged.charge_period_end then {
                    'column': 'ChargePeriodEnd',
                    'rule': 'period',
                    'said': '"' || judged.as_written.ChargePeriodEnd
                        || '" is not after ChargePeriodStart "'
                        || judged.as_written.ChargePeriodStart
                        || '"; a period ends at the instant after its last one. '
                        || 'Correct it at its source.'
                }
            end,
            case
                when judged.commitment_discount_quantity is null and coalesce(trim(judged.as_written.CommitmentDiscountQuantity), '') <> '' then {
                    'column': 'CommitmentDiscountQuantity',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.CommitmentDiscountQuantity, 'number')
                }
            end,
            case
                when judged.consumed_quantity is null and coalesce(trim(judged.as_written.ConsumedQuantity), '') <> '' then {
                    'column': 'ConsumedQuantity',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.ConsumedQuantity, 'number')
                }
            end,
            case
                when judged.contracted_cost is null and coalesce(trim(judged.as_written.ContractedCost), '') <> '' then {
                    'column': 'ContractedCost',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.ContractedCost, 'number')
                }
            end,
            case
                when judged.contracted_unit_price is null and coalesce(trim(judged.as_written.ContractedUnitPrice), '') <> '' then {
                    'column': 'ContractedUnitPrice',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.ContractedUnitPrice, 'number')
                }
            end,
            case
                when judged.list_cost is null and coalesce(trim(judged.as_written.ListCost), '') <> '' then {
                    'column': 'ListCost',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.ListCost, 'number')
                }
            end,
            case
                when judged.list_unit_price is null and coalesce(trim(judged.as_written.ListUnitPrice), '') <> '' then {
                    'column': 'ListUnitPrice',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.ListUnitPrice, 'number')
                }
            end,
            case
                when judged.pricing_currency_contracted_unit_price is null and coalesce(trim(judged.as_written.PricingCurrencyContractedUnitPrice), '') <> '' then {
                    'column': 'PricingCurrencyContractedUnitPrice',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.PricingCurrencyContractedUnitPrice, 'number')
                }
            end,
            case
                when judged.pricing_currency_effective_cost is null and coalesce(trim(judged.as_written.PricingCurrencyEffectiveCost), '') <> '' then {
                    'column': 'PricingCurrencyEffectiveCost',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.PricingCurrencyEffectiveCost, 'number')
                }
            end,
            case
                when judged.pricing_currency_list_unit_price is null and coalesce(trim(judged.as_written.PricingCurrencyListUnitPrice), '') <> '' then {
                    'column': 'PricingCurrencyListUnitPrice',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.PricingCurrencyListUnitPrice, 'number')
                }
            end,
            case
                when judged.pricing_quantity is null and coalesce(trim(judged.as_written.PricingQuantity), '') <> '' then {
                    'column': 'PricingQuantity',
                    'rule': 'number',
                    'said': focus_unreadable(judged.as_written.PricingQuantity, 'number')
                }
            end
        ], lambda problem: problem is not null) as problems
    from judged
    where judged.is_refused
),

-- A row without all its cells says nothing else for certain.
told as (
    select
        found.source_row,
        found.as_written,
        case
            when found.problems[1].rule = 'cells' then found.problems[1:1] else found.problems
        end as problems
    from found
)

select
    told.source_row as "row",
    told.problems[1].column as "column",
    told.problems[1].rule as rule,
    concat(
        $file,
        ', row ',
        told.source_row,
        ', ',
        array_to_string(
            list_transform(
                told.problems,
                lambda problem: concat(problem.column || ': ', problem.said)
            ),
            ' Also '
        )
    ) as message,
    cast(
        json_merge_patch(
            json_merge_patch('{}', to_json(told.as_written)),
            '{"file_row_number": null, "broken": null}'
        ) as varchar
    ) as raw
from told
order by told.source_row

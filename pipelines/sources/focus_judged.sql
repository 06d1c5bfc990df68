-- focus_judged: a file's charges with exact numbers and instants, and whether each can be kept
-- grain:  one row of the file
-- units:  money in billing_currency; instants UTC, periods half-open
-- reads:  landing (the file as text under 1.4 names, null where a column is missing);
--         settings (one row: what the source's options and the file as a whole say)
-- note:   as_written, the whole row, is for refused rows: naming it reads every column
-- rule:   a charge needs its two costs, currency, periods and category; whatever
--         else is written must be readable; a period's end follows its start

with typed as (
    select
        landing.file_row_number + settings.first_row as source_row,
        focus_json(landing.AllocatedMethodDetails) as allocated_method_details,
        landing.AllocatedMethodId as allocated_method_id,
        landing.AllocatedResourceId as allocated_resource_id,
        landing.AllocatedResourceName as allocated_resource_name,
        focus_json(landing.AllocatedTags) as allocated_tags,
        landing.AvailabilityZone as availability_zone,
        focus_number(landing.BilledCost, settings.mark) as billed_cost,
        landing.BillingAccountId as billing_account_id,
        landing.BillingAccountName as billing_account_name,
        landing.BillingAccountType as billing_account_type,
        coalesce(upper(trim(landing.BillingCurrency)), settings.currency) as billing_currency,
        focus_instant(landing.BillingPeriodEnd, settings.day_order, settings.zone)
            + settings.billing_shift as billing_period_end,
        focus_instant(landing.BillingPeriodStart, settings.day_order, settings.zone) as billing_period_start,
        landing.CapacityReservationId as capacity_reservation_id,
        landing.CapacityReservationStatus as capacity_reservation_status,
        case
            when landing.ChargeCategory is null then settings.charge_category
            when landing.ChargeCategory
                in ('Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment')
                then landing.ChargeCategory
            when lower(trim(landing.ChargeCategory))
                in ('usage', 'purchase', 'tax', 'credit', 'adjustment')
                then upper(substr(trim(landing.ChargeCategory), 1, 1))
                    || lower(substr(trim(landing.ChargeCategory), 2))
        end as charge_category,
        landing.ChargeClass as charge_class,
        landing.ChargeDescription as charge_description,
        landing.ChargeFrequency as charge_frequency,
        focus_instant(landing.ChargePeriodEnd, settings.day_order, settings.zone)
            + settings.charge_shift as charge_period_end,
        focus_instant(landing.ChargePeriodStart, settings.day_order, settings.zone) as charge_period_start,
        landing.CommitmentDiscountCategory as commitment_discount_category,
        landing.CommitmentDiscountId as commitment_discount_id,
        landing.CommitmentDiscountName as commitment_discount_name,
        focus_number(landing.CommitmentDiscountQuantity, settings.mark) as commitment_discount_quantity,
        landing.CommitmentDiscountStatus as commitment_discount_status,
        landing.CommitmentDiscountType as commitment_discount_type,
        landing.CommitmentDiscountUnit as commitment_discount_unit,
        focus_json(landing.CommitmentProgramEligibilityDetails) as commitment_program_eligibility_details,
        focus_number(landing.ConsumedQuantity, settings.mark) as consumed_quantity,
        landing.ConsumedUnit as consumed_unit,
        focus_json(landing.ContractApplied) as contract_applied,
        focus_number(landing.ContractedCost, settings.mark) as contracted_cost,
        focus_number(landing.ContractedUnitPrice, settings.mark) as contracted_unit_price,
        focus_number(landing.EffectiveCost, settings.mark) as effective_cost,
        landing.HostProviderName as host_provider_name,
        landing.InvoiceDetailId as invoice_detail_id,
        landing.InvoiceId as invoice_id,
        landing.InvoiceIssuerName as invoice_issuer_name,
        focus_number(landing.ListCost, settings.mark) as list_cost,
        focus_number(landing.ListUnitPrice, settings.mark) as list_unit_price,
        landing.PricingCategory as pricing_category,
        landing.PricingCurrency as pricing_currency,
        focus_number(landing.PricingCurrencyContractedUnitPrice, settings.mark) as pricing_currency_contracted_unit_price,
        focus_number(landing.PricingCurrencyEffectiveCost, settings.mark) as pricing_currency_effective_cost,
        focus_number(landing.PricingCurrencyListUnitPrice, settings.mark) as pricing_currency_list_unit_price,
        focus_number(landing.PricingQuantity, settings.mark) as pricing_quantity,
        landing.PricingUnit as pricing_unit,
        landing.RegionId as region_id,
        landing.RegionName as region_name,
        landing.ResourceId as resource_id,
        landing.ResourceName as resource_name,
        landing.ResourceType as resource_type,
        landing.ServiceCategory as service_category,
        landing.ServiceName as service_name,
        landing.ServiceProviderName as service_provider_name,
        landing.ServiceSubcategory as service_subcategory,
        landing.SkuId as sku_id,
        landing.SkuMeter as sku_meter,
        focus_json(landing.SkuPriceDetails) as sku_price_details,
        landing.SkuPriceId as sku_price_id,
        landing.SubAccountId as sub_account_id,
        landing.SubAccountName as sub_account_name,
        landing.SubAccountType as sub_account_type,
        focus_json(landing.Tags) as tags,
        settings.focus_version,
        landing.broken is not null as is_broken,
        landing.BillingCurrency is not null as has_currency,
        coalesce(trim(landing.CommitmentDiscountQuantity), '') <> '' as has_commitment_discount_quantity,
        coalesce(trim(landing.ConsumedQuantity), '') <> '' as has_consumed_quantity,
        coalesce(trim(landing.ContractedCost), '') <> '' as has_contracted_cost,
        coalesce(trim(landing.ContractedUnitPrice), '') <> '' as has_contracted_unit_price,
        coalesce(trim(landing.ListCost), '') <> '' as has_list_cost,
        coalesce(trim(landing.ListUnitPrice), '') <> '' as has_list_unit_price,
        coalesce(trim(landing.PricingCurrencyContractedUnitPrice), '') <> '' as has_pricing_currency_contracted_unit_price,
        coalesce(trim(landing.PricingCurrencyEffectiveCost), '') <> '' as has_pricing_currency_effective_cost,
        coalesce(trim(landing.PricingCurrencyListUnitPrice), '') <> '' as has_pricing_currency_list_unit_price,
        coalesce(trim(landing.PricingQuantity), '') <> '' as has_pricing_quantity,
        landing.BilledCost as written_billed_cost,
        landing.EffectiveCost as written_effective_cost,
        landing.Tags as written_tags,
        -- To compare only: decimal(38, 18) to double costs 0.6 us a value, text 0.03 us.
        abs(
            try_cast(landing.ListCost as double)
            - try_cast(landing.ListUnitPrice as double) * try_cast(landing.PricingQuantity as double)
        ) > 1e-6 + 1e-6 * abs(try_cast(landing.ListCost as double)) as is_list_off,
        abs(
            try_cast(landing.ContractedCost as double)
            - try_cast(landing.ContractedUnitPrice as double)
            * try_cast(landing.PricingQuantity as double)
        ) > 1e-6 + 1e-6 * abs(try_cast(landing.ContractedCost as double)) as is_contracted_off,
        landing as as_written
    from landing
    cross join settings
)

select
    typed.*,
    (
        typed.is_broken
        or typed.billed_cost is null
        or typed.effective_cost is null
        or typed.billing_currency is null
        or typed.charge_category is null
        or typed.billing_period_start is null
        or typed.billing_period_end is null
        or typed.charge_period_start is null
        or typed.charge_period_end is null
        or typed.billing_period_start >= typed.billing_period_end
        or typed.charge_period_start >= typed.charge_period_end
        or (typed.commitment_discount_quantity is null and typed.has_commitment_discount_quantity)
        or (typed.consumed_quantity is null and typed.has_consumed_quantity)
        or (typed.contracted_cost is null and typed.has_contracted_cost)
        or (typed.contracted_unit_price is null and typed.has_contracted_unit_price)
        or (typed.list_cost is null and typed.has_list_cost)
        or (typed.list_unit_price is null and typed.has_list_unit_price)
        or (typed.pricing_currency_contracted_unit_price is null and typed.has_pricing_currency_contracted_unit_price)
        or (typed.pricing_currency_effective_cost is null and typed.has_pricing_currency_effective_cost)
        or (typed.pricing_currency_list_unit_price is null and typed.has_pricing_currency_list_unit_price)
        or (typed.pricing_quantity is null and typed.has_pricing_quantity)
    ) as is_refused
from typed

-- focus_rows: charges of one month as a FOCUS 1.0 export writes them
-- grain:  one charge; $rows of them
-- units:  USD

create or replace temp table charge as
select
    case when i % 3 = 0 then 'us-east-1a' end as AvailabilityZone,
    cast((hash(i) % 1000000000) / 1000000 as decimal(20, 11)) as BilledCost,
    '1234567890123' as BillingAccountId,
    'Example' as BillingAccountName,
    'USD' as BillingCurrency,
    '2026-10-01T00:00:00Z' as BillingPeriodEnd,
    '2026-09-01T00:00:00Z' as BillingPeriodStart,
    'Usage' as ChargeCategory,
    cast(null as varchar) as ChargeClass,
    '$0.40 per million requests of kind ' || (hash(i) % 500) as ChargeDescription,
    'Usage-Based' as ChargeFrequency,
    strftime(
        timestamp '2026-09-01' + to_hours(cast(i % 720 + 1 as integer)), '%Y-%m-%dT%H:%M:%SZ'
    ) as ChargePeriodEnd,
    strftime(
        timestamp '2026-09-01' + to_hours(cast(i % 720 as integer)), '%Y-%m-%dT%H:%M:%SZ'
    ) as ChargePeriodStart,
    case when i % 20 = 0 then 'Spend' end as CommitmentDiscountCategory,
    case when i % 20 = 0 then 'arn:example:plan/' || (hash(i) % 40) end as CommitmentDiscountId,
    cast(null as varchar) as CommitmentDiscountName,
    case when i % 20 = 0 then 'Used' end as CommitmentDiscountStatus,
    cast(null as varchar) as CommitmentDiscountType,
    cast((hash(i + 3) % 100000) / 1000 as decimal(18, 6)) as ConsumedQuantity,
    'Hours' as ConsumedUnit,
    cast((hash(i) % 1000000000) / 1000000 as decimal(20, 11)) as ContractedCost,
    cast(0.04 as decimal(10, 6)) as ContractedUnitPrice,
    cast((hash(i) % 1000000000) / 1000000 as decimal(20, 11)) as EffectiveCost,
    'Example Cloud' as InvoiceIssuerName,
    cast((hash(i) % 1000000000) / 990000 as decimal(20, 11)) as ListCost,
    cast(0.05 as decimal(10, 6)) as ListUnitPrice,
    'Standard' as PricingCategory,
    cast((hash(i + 3) % 100000) / 1000 as decimal(18, 6)) as PricingQuantity,
    'Hours' as PricingUnit,
    'Example Cloud' as ProviderName,
    'Example Cloud' as PublisherName,
    'us-east-1' as RegionId,
    'US East' as RegionName,
    'arn:example:compute:us-east-1:1234567890123:instance/i-' || (hash(i) % 200000) as ResourceId,
    cast(null as varchar) as ResourceName,
    'Instance' as ResourceType,
    case i % 4
        when 0 then 'Compute'
        when 1 then 'Storage'
        when 2 then 'Networking'
        else 'AI and Machine Learning'
    end as ServiceCategory,
    'Service ' || (hash(i) % 60) as ServiceName,
    'SKU' || (hash(i + 1) % 3000) as SkuId,
    'SKUP' || (hash(i + 1) % 3000) as SkuPriceId,
    'sub-' || (hash(i) % 80) as SubAccountId,
    'Sub ' || (hash(i) % 80) as SubAccountName,
    case
        when i % 10 > 0
            then '{"business_unit": "bu' || (hash(i) % 30) || '", "env": "prod", "owner": "team'
                || (hash(i + 9) % 90) || '"}'
    end as Tags
from range($rows) as numbers (i)

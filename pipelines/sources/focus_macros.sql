-- focus_macros: exact numbers and instants from text as exports write them
-- Parsing straight to decimal(38, 18) costs 4 us a value, to decimal(18, 12) 0.04 us
-- (measured), so the common shapes take the second way; both are exact.

-- A number without exponent, sign of a currency or thousands separators; null if it is none.
-- mark: '.' or ',' as the source says, or null: then "1,204" is refused, as it may mean 1.204.
create or replace temp macro focus_unadorned(text, mark) as
    case
        when mark = ',' and regexp_full_match(text, '[+-]?(\d{1,3}([. ]\d{3})+|\d+)(,\d*)?([eE][+-]?\d{1,3})?')
            then replace(replace(replace(text, '.', ''), ' ', ''), ',', '.')
        when mark = ',' then null
        when regexp_full_match(text, '[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?') then text
        when regexp_full_match(text, '[+-]?\d{1,3}(,\d{3})+\.\d+')
            or regexp_full_match(text, '[+-]?\d{1,3}(,\d{3}){2,}')
            or (mark = '.' and regexp_full_match(text, '[+-]?\d{1,3}(,\d{3})+'))
            then replace(text, ',', '')
        when regexp_full_match(text, '[+-]?[$€£¥￥] ?[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d*)?')
            then regexp_replace(text, '[$€£¥￥, ]', '', 'g')
        when regexp_full_match(text, '\([$€£¥￥]? ?(\d{1,3}(,\d{3})+|\d+)(\.\d*)?\)')
            then '-' || regexp_replace(text, '[$€£¥￥, ()]', '', 'g')
    end;

-- "1.5E-7" as "0.00000015": digits moved as text, so that none is lost.
create or replace temp macro focus_moved(digits, point) as
    case
        when point <= 0 then '0.' || repeat('0', -point) || digits
        when point >= strlen(digits) then digits || repeat('0', point - strlen(digits))
        else substr(digits, 1, point) || '.' || substr(digits, point + 1)
    end;

create or replace temp macro focus_without_exponent(text) as
    case
        when not regexp_matches(text, '[eE]') then text
        else regexp_extract(text, '^([+-]?)', 1) || focus_moved(
            replace(regexp_extract(text, '^[+-]?([0-9.]+)', 1), '.', ''),
            strlen(split_part(regexp_extract(text, '^[+-]?([0-9.]+)', 1), '.', 1))
            + cast(regexp_extract(text, '[eE]([+-]?\d+)$', 1) as integer)
        )
    end;

-- The lambdas bind a value once; a macro's argument is repeated wherever it stands, and
-- nested macros would grow to statements that take minutes to plan.
create or replace temp macro focus_plain(text, mark) as
    list_transform(
        [focus_unadorned(trim(text), mark)],
        lambda number: focus_without_exponent(number)
    )[1];

-- Digits up to the 18th decimal, and what stands after it: '' for most numbers.
create or replace temp macro focus_parts(plain) as
    {
        'kept': regexp_extract(plain, '^[+-]?[0-9]*\.?[0-9]{0,18}'),
        'tail': rtrim(substr(split_part(plain, '.', 2), 19), '0')
    };

-- Half to even: whether the digits after the 18th raise it.
create or replace temp macro focus_is_up(parts) as
    parts.tail > '5'
    or (parts.tail = '5' and contains('13579', substr(parts.kept, strlen(parts.kept), 1)));

create or replace temp macro focus_rounded(parts) as
    try_cast(parts.kept as decimal(38, 18)) + case
        when not focus_is_up(parts) then cast(0 as decimal(38, 18))
        when starts_with(parts.kept, '-') then cast('-0.000000000000000001' as decimal(38, 18))
        else cast('0.000000000000000001' as decimal(38, 18))
    end;

create or replace temp macro focus_number(text, mark) as
    case
        when mark is distinct from ',' and regexp_full_match(text, '-?\d{1,6}(\.\d{0,12})?')
            then cast(try_cast(text as decimal(18, 12)) as decimal(38, 18))
        when text is not null
            then list_transform(
                [focus_plain(text, mark)],
                lambda plain: list_transform(
                    [focus_parts(plain)], lambda parts: focus_rounded(parts)
                )[1]
            )[1]
    end;

-- What rounding added, in units of the 18th decimal; null where nothing was rounded.
create or replace temp macro focus_moved_by(text, mark) as
    case
        when strlen(text) > 20 or contains(lower(text), 'e-')
            then list_transform(
                [focus_parts(focus_plain(text, mark))],
                lambda parts: case
                    when parts.tail <> '' then (
                        case
                            when focus_is_up(parts) then cast(1 as decimal(38, 18))
                            else cast(0 as decimal(38, 18))
                        end
                        - cast('0.' || parts.tail as decimal(38, 18))
                    ) * case when starts_with(parts.kept, '-') then -1 else 1 end
                end
            )[1]
    end;

-- The clock time that a text writes, zone or no zone; order: 'month first', 'day first' or null.
create or replace temp macro focus_clock(text, day_order) as
    case
        when regexp_full_match(text, '\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d{1,6})?)?Z?')
            then try_cast(text as timestamp)
        when regexp_full_match(trim(text), '\d{1,2}/\d{1,2}/(\d{2}|\d{4})( \d{1,2}:\d\d(:\d\d)?( ?[AaPp][Mm])?)?')
            then case day_order
                when 'month first' then try_strptime(trim(text), [
                    '%m/%d/%y', '%m/%d/%Y', '%m/%d/%y %H:%M', '%m/%d/%Y %H:%M', '%m/%d/%y %H:%M:%S',
                    '%m/%d/%Y %H:%M:%S', '%m/%d/%y %I:%M %p', '%m/%d/%Y %I:%M %p',
                    '%m/%d/%y %I:%M:%S %p', '%m/%d/%Y %I:%M:%S %p'
                ])
                when 'day first' then try_strptime(trim(text), [
                    '%d/%m/%y', '%d/%m/%Y', '%d/%m/%y %H:%M', '%d/%m/%Y %H:%M', '%d/%m/%y %H:%M:%S',
                    '%d/%m/%Y %H:%M:%S', '%d/%m/%y %I:%M %p', '%d/%m/%Y %I:%M %p',
                    '%d/%m/%y %I:%M:%S %p', '%d/%m/%Y %I:%M:%S %p'
                ])
            end
        when regexp_full_match(
            trim(text),
            '\d{4}[-/]\d{1,2}[-/]\d{1,2}([Tt ]+\d{1,2}:\d\d(:\d\d(\.\d+)?)?)?( ?([Zz]|UTC|GMT|[+-]\d\d(:?\d\d)?))?'
        )
            then try_cast(
                regexp_extract(trim(text), '^\d{4}[-/]\d{1,2}[-/]\d{1,2}')
                || ' '
                || coalesce(
                    nullif(regexp_extract(text, '[Tt ]+(\d{1,2}:\d\d)', 1), '')
                    || coalesce(nullif(regexp_extract(text, ':\d\d(:\d\d)', 1), ''), ':00')
                    || regexp_extract(text, ':\d\d(\.\d{1,6})', 1),
                    '00:00:00'
                ) as timestamp
            )
    end;

-- Minutes east of UTC that a text writes; null where it names no zone.
create or replace temp macro focus_offset(text) as
    case
        when ends_with(text, 'Z') then 0
        when regexp_matches(text, '\d ?([Zz]|UTC|GMT) *$') then 0
        when regexp_matches(text, ':\d\d(\.\d+)? ?[+-]\d\d(:?\d\d)? *$')
            then (
                cast(regexp_extract(text, '[+-](\d\d)(:?\d\d)? *$', 1) as integer) * 60
                + coalesce(try_cast(regexp_extract(text, '[+-]\d\d:?(\d\d) *$', 1) as integer), 0)
            ) * case when regexp_matches(text, '-\d\d(:?\d\d)? *$') then -1 else 1 end
    end;

create or replace temp macro focus_instant(text, day_order, zone) as
    case
        when ends_with(text, 'Z') or (zone = 'UTC' and strlen(text) <= 19 and focus_offset(text) is null)
            then make_timestamptz(epoch_us(focus_clock(text, day_order)))
        when focus_offset(text) is not null
            then make_timestamptz(
                epoch_us(focus_clock(text, day_order)) - cast(focus_offset(text) as bigint) * 60000000
            )
        when text is not null then timezone(zone, focus_clock(text, day_order))
    end;

-- JSON text as it is; without its outer braces, completed; anything else as a JSON string.
create or replace temp macro focus_json(text) as
    case
        when text is null or json_valid(text) then text
        when json_valid('{' || text || '}') then '{' || text || '}'
        else cast(to_json(text) as varchar)
    end;

-- Why a cell cannot be read, in words.
create or replace temp macro focus_unreadable(text, rule) as
    case
        when (text is null or trim(text) = '') and rule = 'number'
            then 'the cell is empty, and an unknown cost is not 0. Fill it at its source.'
        when text is null or trim(text) = '' then 'the cell is empty. Fill it at its source.'
        when rule = 'number' and regexp_matches(text, '\d,\d')
            then '"' || text || '" is not a number. If the file uses decimal commas, '
                || 'set decimal = "," for the source; if the commas stand between thousands, '
                || 'set decimal = ".".'
        when rule = 'number' and regexp_matches(text, '^\s*[+-]?[$€£¥￥]?[0-9.]{20,}')
            then '"' || text || '" is too large: more than 20 digits before the point. '
                || 'Correct it at its source.'
        when rule = 'number' then '"' || text || '" is not a number. Correct it at its source.'
        when rule = 'date' then '"' || text || '" is not a date and time. '
            || 'Write it as 2026-11-30T00:00:00Z.'
        when rule = 'category' then '"' || text || '" is no charge category '
            || '(Usage, Purchase, Tax, Credit, Adjustment). Correct it at its source.'
        else '"' || text || '" cannot be read. Correct it at its source.'
    end;

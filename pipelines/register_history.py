"""The History sheet of a register: who changed which field of which item, and when."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from models.program.register import Entity, to_json
from models.program.register_words import HEADINGS, SHEETS
from pipelines.register_cells import value_of
from pipelines.sources import Rejection
from pipelines.tabular import CellError, Row, folded, locate, parse_instant, read_sheet

COLUMNS = ("entity", "id", "version", "at", "who", "how", "field", "was", "is")

CREATED = "*created"
"""A row that says only that an item came to be; its first state is worked back."""

Items = Mapping[tuple[str, str], tuple[Entity, dict[str, Any]]]


def read_history(
    path: Path, sheet: str, items: Items, *, zone: ZoneInfo, decimal: str
) -> tuple[list[Rejection], list[str]]:
    """Hang each item's versions on its row as JSON under `history`.

    items: by kind and id, the rows read from the other sheets. A history row that cannot
    be read is refused, and its item comes without history, which a note says;
    so does the history of an item that the file does not hold.
    """
    table = read_sheet(path, sheet=sheet, headings=[n for c in COLUMNS for n in HEADINGS[c].all])
    places = locate(table, {name: HEADINGS[name].all for name in COLUMNS})
    versions: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    refused: list[Rejection] = []
    spoilt: set[tuple[str, str]] = set()
    strangers: set[str] = set()
    for row in table.rows:
        cells = {n: row.cell(spots[0]) for n, spots in places.items() if spots}
        key = _key(items, cells)
        if key is None:
            strangers.add((cells.get("id") or "").strip())
            continue
        try:
            _take(versions.setdefault(key, {}), items[key][0], cells, zone, decimal)
        except CellError as error:
            spoilt.add(key)
            refused.append(_rejection(path, sheet, row, error))
    for key, found in versions.items():
        if key not in spoilt:
            entity, item = items[key]
            item["history"] = _as_json(entity, item, found)
    notes = []
    if spoilt:
        named = _listed({id for _, id in spoilt})
        notes.append(f"{path.name}: without history, since it cannot be read: {named}.")
    if strangers:
        notes.append(
            f"{path.name}: history without a row that could be read is left: {_listed(strangers)}."
        )
    return refused, notes


def _key(items: Items, cells: Mapping[str, str | None]) -> tuple[str, str] | None:
    """The item a history row is of; without a kind, the first of its id."""
    id, kind = (cells.get("id") or "").strip(), folded(cells.get("entity") or "")
    for name, known in items:
        if known == id and (not kind or kind in (folded(name), *map(folded, SHEETS[name].all))):
            return name, known
    return None


def _take(
    versions: dict[int, dict[str, Any]],
    entity: Entity,
    cells: Mapping[str, str | None],
    zone: ZoneInfo,
    decimal: str,
) -> None:
    number = cells.get("version") or ""
    if not number.isdecimal() or int(number) < 1:
        raise CellError("version", f'Version: "{number}" is not a version, 1, 2, 3 ...')
    when, who, name = cells.get("at"), cells.get("who"), (cells.get("field") or "").strip()
    if when is None or who is None:
        raise CellError("required", "At and Who are required.")
    step = versions.setdefault(
        int(number),
        {
            "version": int(number),
            "at": parse_instant(when, zone).isoformat(),
            "who": who.strip(),
            "how": cells.get("how") or "history",
            "changes": {},
        },
    )
    if name == CREATED:
        return
    field = entity[_field_name(entity, name)]
    step["changes"][field.name] = {
        "was": to_json(value_of(field, cells.get("was"), decimal=decimal)),
        "is": to_json(value_of(field, cells.get("is"), decimal=decimal)),
    }


def _field_name(entity: Entity, text: str) -> str:
    if text in entity.names:
        return text
    for name in entity.names:
        if folded(text) in {folded(spelling) for spelling in HEADINGS[name].all}:
            return name
    raise CellError("field", f'Field: "{text}" is not a field of a {entity.name}.')


def _as_json(
    entity: Entity, item: Mapping[str, Any], versions: Mapping[int, dict[str, Any]]
) -> str:
    steps = [versions[number] for number in sorted(versions)]
    if not steps[0]["changes"]:
        state = {name: to_json(item.get(name)) for name in entity.names}
        for field in entity.fields:
            if state[field.name] is None:
                state[field.name] = to_json(field.default)
        for step in reversed(steps[1:]):
            state |= {name: pair["was"] for name, pair in step["changes"].items()}
        steps[0]["changes"] = {
            name: {"was": None, "is": value} for name, value in state.items() if value is not None
        }
    return json.dumps(steps, ensure_ascii=False)


def _rejection(path: Path, sheet: str, row: Row, error: CellError) -> Rejection:
    return Rejection(
        row.number,
        None,
        error.rule,
        f"{path.name}, sheet {sheet}, row {row.number}: {error.message}",
        json.dumps([cell for cell in row.cells if cell is not None], ensure_ascii=False),
    )


def _listed(ids: set[str]) -> str:
    ordered = sorted(id or "(blank)" for id in ids)
    return ", ".join(ordered[:10]) + (" ..." if len(ordered) > 10 else "")

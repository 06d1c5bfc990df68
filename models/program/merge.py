"""Two people changed one item: what goes together, and what must be decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(frozen=True)
class Merge(Generic[V]):
    """What comes of laying one person's changes over another's.

    apply: values to write, by field: changed here, untouched there.
    clashes: fields both changed, differently: (theirs, yours).
    """

    apply: dict[str, V]
    clashes: dict[str, tuple[V, V]]


def merge(
    base: Mapping[str, V] | None, theirs: Mapping[str, V], yours: Mapping[str, V]
) -> Merge[V]:
    """Three-way merge of an item's fields.

    base: what both started from; None when that is unknown, so that every
        difference is a clash: nothing is overwritten on a guess.
    theirs: the item as it is now. yours: the fields one wants to write.
    A field changed by both to the same value is settled.
    """
    apply: dict[str, V] = {}
    clashes: dict[str, tuple[V, V]] = {}
    for name, mine in yours.items():
        current = theirs[name]
        if mine == current:
            continue
        if base is not None and name in base and mine == base[name]:
            continue
        if base is not None and name in base and current == base[name]:
            apply[name] = mine
        else:
            clashes[name] = (current, mine)
    return Merge(apply, clashes)

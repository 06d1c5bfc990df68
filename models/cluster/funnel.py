"""The utilisation funnel: from GPU-hours owned to GPU-hours of model arithmetic.

Each level lies inside the one above; the losses between them and what is left
at the bottom sum to the top. A level that nobody measured is None and its share
of the hours is a loss called not_measured: missing is not zero.
Source: METRICS.md, section 2.
"""

from collections.abc import Iterable
from dataclasses import dataclass

LEVELS = (
    "owned",
    "available",
    "allocated",
    "active",
    "sm_active",
    "tensor_active",
    "model_flops",
)

LOSSES = (
    "down",
    "planned_down",
    "idle",
    "not_measured",
    "held_idle",
    "small_kernels",
    "memory_bound",
    "recompute",
)
"""Between the levels, in order; see Funnel.losses."""


@dataclass(frozen=True)
class Measured:
    """What is known of a cluster, or of one tenant on it, in GPU-hours.

    owned, down, planned_down: None for a tenant, who owns nothing.
    allocated: held by jobs. measured: hours with an engine-active sample.
    active: engine-active; active_with_sm, active_with_tensor: its part on
        accelerators that also report SM, tensor activity; sm_active,
        tensor_active: those.
    run_hours: of training runs with an MFU; model_flops: MFU x those hours.
    """

    owned: float | None
    down: float | None
    planned_down: float | None
    allocated: float
    measured: float = 0.0
    active: float = 0.0
    active_with_sm: float = 0.0
    sm_active: float = 0.0
    active_with_tensor: float = 0.0
    tensor_active: float = 0.0
    run_hours: float = 0.0
    model_flops: float = 0.0


@dataclass(frozen=True)
class Funnel:
    """levels: GPU-hours by level, None where not measured (or not a tenant's).

    losses: GPU-hours by loss, absent where there is no such loss to tell.
    coverage: share (0 to 1) of the level above that the level's figure rests on.
    excess: GPU-hours by which a level's input exceeded the level above, which
        is an error of the data and is left out.
    """

    levels: dict[str, float | None]
    losses: dict[str, float]
    coverage: dict[str, float]
    excess: dict[str, float]

    @property
    def top(self) -> float:
        """The hours that losses and remainder sum to: owned, or a tenant's allocated."""
        return self.levels["owned"] or self.levels["allocated"] or 0.0

    @property
    def remainder(self) -> float:
        """What is left after all losses: the deepest level measured, 0 without any."""
        return max(self.top - sum(self.losses.values()), 0.0)


def funnel(facts: Measured) -> Funnel:
    """Levels, losses and coverage of one cluster or one tenant on it."""
    levels: dict[str, float | None] = dict.fromkeys(LEVELS)
    losses: dict[str, float] = {}
    coverage: dict[str, float] = {}
    excess: dict[str, float] = {}

    def inside(level: str, value: float, above: float) -> float:
        if value > above * (1 + 1e-9):
            excess[level] = value - above
        levels[level] = min(value, above)
        return min(value, above)

    allocated = facts.allocated
    if facts.owned is not None:
        levels["owned"] = facts.owned
        losses["down"] = min(facts.down or 0.0, facts.owned)
        losses["planned_down"] = min(facts.planned_down or 0.0, facts.owned - losses["down"])
        available = facts.owned - losses["down"] - losses["planned_down"]
        levels["available"] = available
        allocated = inside("allocated", facts.allocated, available)
        losses["idle"] = available - allocated
        expected = available
    else:
        levels["allocated"] = allocated
        expected = allocated
    coverage["active"] = min(facts.measured / expected, 1.0) if expected else 0.0
    seen = allocated * coverage["active"]
    if allocated > seen:
        losses["not_measured"] = allocated - seen
    if not facts.measured:
        return Funnel(levels, losses, coverage, excess)

    active = inside("active", facts.active, seen)
    losses["held_idle"] = seen - active
    deepest = active
    coverage["sm_active"] = _share(facts.active_with_sm, facts.active)
    if facts.active_with_sm:
        sm = inside("sm_active", active * facts.sm_active / facts.active_with_sm, deepest)
        losses["small_kernels"] = deepest - sm
        deepest = sm
    coverage["tensor_active"] = _share(facts.active_with_tensor, facts.active)
    if facts.active_with_tensor:
        tensor_share = facts.tensor_active / facts.active_with_tensor
        tensor = inside("tensor_active", active * tensor_share, deepest)
        losses["memory_bound"] = deepest - tensor
        deepest = tensor
    coverage["model_flops"] = _share(facts.run_hours, allocated)
    if facts.run_hours:
        model = inside("model_flops", facts.model_flops, deepest)
        losses["recompute"] = deepest - model
    return Funnel(levels, losses, coverage, excess)


def together(parts: Iterable[Funnel]) -> Funnel:
    """Funnels added level by level; a level counts what the parts that have it measured.

    Where a part stops above a level that another part has, its remainder is
    not_measured below, so that losses still sum to the top.
    """
    funnels = list(parts)
    deepest = max((_depth(one) for one in funnels), default=0)
    levels: dict[str, float | None] = {}
    losses: dict[str, float] = {}
    for position, level in enumerate(LEVELS):
        known = [value for one in funnels if (value := one.levels[level]) is not None]
        levels[level] = sum(known) if known and position <= deepest else None
    for one in funnels:
        for name, hours in one.losses.items():
            losses[name] = losses.get(name, 0.0) + hours
        if _depth(one) < deepest:
            losses["not_measured"] = losses.get("not_measured", 0.0) + one.remainder
    coverage = {
        level: _weighted([(one.coverage.get(level, 0.0), _above(one, level)) for one in funnels])
        for level in ("active", "sm_active", "tensor_active", "model_flops")
    }
    excess: dict[str, float] = {}
    for one in funnels:
        for level, hours in one.excess.items():
            excess[level] = excess.get(level, 0.0) + hours
    ordered = {name: losses[name] for name in LOSSES if name in losses}
    return Funnel(levels, ordered, coverage, excess)


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else 0.0


def _depth(one: Funnel) -> int:
    return max(
        (place for place, level in enumerate(LEVELS) if one.levels[level] is not None), default=0
    )


def _above(one: Funnel, level: str) -> float:
    base = "allocated" if level == "model_flops" else "available" if level == "active" else "active"
    return one.levels[base] or one.levels["allocated"] or 0.0


def _weighted(pairs: list[tuple[float, float]]) -> float:
    total = sum(weight for _, weight in pairs)
    return sum(share * weight for share, weight in pairs) / total if total else 0.0

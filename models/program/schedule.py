"""When each activity of a plan can and must happen: the critical path method.

Rules are those of METRICS section 5, learnt from dates that Microsoft Project
stored; each is tested against such files.
"""

from dataclasses import dataclass, field

from models.program.calendar import WorkingTime
from models.program.network import Activity, Link, Network


@dataclass
class Dates:
    """One activity's dates, as moments; slack in working seconds of its calendar.

    start, finish: when it is scheduled: early, or late for ALAP. allowed:
    finish that its predecessors allow, where a must-date overrules them.
    driver: the predecessor that sets the early start; None: a date does.
    """

    early_start: int = 0
    early_finish: int = 0
    late_start: int = 0
    late_finish: int = 0
    start: int = 0
    finish: int = 0
    total_slack: int = 0
    free_slack: int = 0
    is_critical: bool = False
    allowed: int | None = None
    driver: str | None = None


@dataclass
class Schedule:
    """The dates of every activity by uid, and the project's end."""

    dates: dict[str, Dates] = field(default_factory=dict)
    start: int = 0
    finish: int = 0


def schedule(network: Network) -> Schedule:
    """Early and late dates, slack and the critical flag of every activity.

    Forward: the latest of what the project's start, links and constraints
    allow. Backward from the latest early finish: the earliest of what links,
    constraints and deadlines ask for. Total slack is late minus early in the
    task's own calendar; critical is slack within the project's threshold.
    A plan scheduled from its finish runs backward first.
    """
    order = network.order()
    result = Schedule({uid: Dates() for uid in order}, network.start, network.start)
    if not order:
        return result
    incoming, outgoing = network.incoming(), network.outgoing()
    if not network.is_from_start and network.finish is not None:
        result.finish = network.finish
        _backward(network, order, outgoing, result)
        result.start = min(dates.late_start for dates in result.dates.values())
        _forward(network, order, incoming, result)
    else:
        _forward(network, order, incoming, result)
        result.finish = max(dates.early_finish for dates in result.dates.values())
        _backward(network, order, outgoing, result)
    for uid in order:
        activity, dates = network.activities[uid], result.dates[uid]
        dates.total_slack = _total_slack(activity, dates)
        dates.free_slack = _free_slack(network, activity, outgoing[uid], result)
        dates.is_critical = not activity.is_finished and dates.total_slack <= network.critical_slack
        _place(network, activity, dates)
    return result


def _forward(
    network: Network, order: list[str], incoming: dict[str, list[Link]], result: Schedule
) -> None:
    for uid in order:
        activity, dates = network.activities[uid], result.dates[uid]
        if activity.is_started:
            _run_on(activity, dates)
        elif activity.is_fixed:
            dates.early_start = activity.start or 0
            dates.early_finish = (
                activity.finish
                if activity.finish is not None
                else activity.calendar.add(dates.early_start, activity.duration)
            )
        else:
            _earliest(network, activity, dates, incoming[uid], result)


def _run_on(activity: Activity, dates: Dates) -> None:
    """A started task keeps its actual start and runs on for what remains."""
    dates.early_start = activity.actual_start or 0
    if activity.actual_finish is not None:
        dates.early_finish = activity.actual_finish
    elif activity.duration == 0:
        dates.early_finish = dates.early_start
    else:
        dates.early_finish = activity.calendar.add(_resumes(activity), activity.remaining)


def _resumes(activity: Activity) -> int:
    """When a started task's remaining work goes on: after the part done, or as stored."""
    done = activity.calendar.add(activity.actual_start or 0, activity.duration - activity.remaining)
    if activity.resume is None:
        return done
    return max(activity.resume, done, key=activity.calendar.position)


def _earliest(
    network: Network, activity: Activity, dates: Dates, links: list[Link], result: Schedule
) -> None:
    calendar, constraint = activity.calendar, activity.constraint
    bounds: list[tuple[int, str | None]] = [(result.start, None)]
    if activity.not_before is not None:
        bounds.append((activity.not_before, None))
    for link in links:
        before = result.dates[link.predecessor]
        origin = before.early_finish if link.link_type in ("FS", "FF") else before.early_start
        bound = _shifted(origin, link.lag, link, calendar)
        if link.link_type in ("FF", "SF"):
            bound = _back(calendar, bound, activity.duration)
        bounds.append((bound, link.predecessor))
    day = activity.constraint_date
    if day is not None and constraint == "SNET":
        bounds.append((day, None))
    elif day is not None and constraint == "FNET":
        bounds.append((_back(calendar, day, activity.duration), None))
    moment, dates.driver = max(bounds, key=lambda bound: (calendar.position(bound[0]), bound[0]))
    _set_early(activity, dates, moment)
    if day is not None and constraint in ("MSO", "MFO"):
        dates.allowed, dates.driver = dates.early_finish, None
        moment = day if constraint == "MSO" else _back(calendar, day, activity.duration)
        _set_early(activity, dates, moment)


def _set_early(activity: Activity, dates: Dates, moment: int) -> None:
    if activity.duration == 0:
        dates.early_start = dates.early_finish = moment
        return
    position = activity.calendar.position(moment)
    dates.early_start = activity.calendar.start(position)
    dates.early_finish = activity.calendar.finish(position + activity.duration)


def _backward(
    network: Network, order: list[str], outgoing: dict[str, list[Link]], result: Schedule
) -> None:
    for uid in reversed(order):
        activity, dates = network.activities[uid], result.dates[uid]
        if activity.actual_finish is not None:
            dates.late_start = activity.actual_start or activity.actual_finish
            dates.late_finish = activity.actual_finish
            continue
        bounds = [result.finish]
        for link in outgoing[uid]:
            bound = _latest(activity, link, network, result)
            if bound is not None:
                bounds.append(bound)
        bounds += _date_bounds(activity)
        _set_late(activity, dates, bounds)


def _latest(activity: Activity, link: Link, network: Network, result: Schedule) -> int | None:
    """The late finish that one successor leaves; None: it asks for nothing any more."""
    successor = network.activities[link.successor]
    after = result.dates[link.successor]
    if link.link_type in ("FF", "SF"):
        target = after.late_finish
    elif successor.is_started and not successor.is_finished:
        if link.link_type == "SS":
            return None
        target = after.late_finish if successor.duration == 0 else _resumes(successor)
    else:
        target = after.late_start
    bound = _shifted(target, -link.lag, link, successor.calendar)
    if activity.duration == 0 and link.lag and not link.is_elapsed:
        # Project writes a milestone's late date as the start of the next shift.
        bound = successor.calendar.start(successor.calendar.position(bound))
    if link.link_type in ("SS", "SF"):
        bound = _on(activity.calendar, bound, activity.duration)
    return bound


def _date_bounds(activity: Activity) -> list[int]:
    bounds = [] if activity.deadline is None else [activity.deadline]
    day = activity.constraint_date
    if day is not None and not activity.is_started:
        if activity.constraint in ("FNLT", "MFO"):
            bounds.append(day)
        elif activity.constraint in ("SNLT", "MSO"):
            bounds.append(_on(activity.calendar, day, activity.duration))
    return bounds


def _set_late(activity: Activity, dates: Dates, bounds: list[int]) -> None:
    calendar = activity.calendar
    moment = min(bounds, key=lambda bound: (calendar.position(bound), bound))
    if activity.constraint == "MFO" and activity.constraint_date is not None:
        moment = activity.constraint_date
    if activity.duration == 0:
        dates.late_start = dates.late_finish = moment
    else:
        position = calendar.position(moment)
        dates.late_finish = calendar.finish(position)
        dates.late_start = calendar.start(position - activity.duration)
    if activity.is_started:
        dates.late_start = activity.actual_start or 0


def _total_slack(activity: Activity, dates: Dates) -> int:
    """Working time between early and late; against what predecessors allow for a must-date."""
    if activity.is_finished:
        return 0
    calendar = activity.slack_calendar
    slack = calendar.between(dates.early_finish, dates.late_finish)
    if not activity.is_started:
        slack = min(slack, calendar.between(dates.early_start, dates.late_start))
    if dates.allowed is not None:
        slack = min(slack, calendar.between(dates.allowed, dates.late_finish))
    return slack


def _free_slack(network: Network, activity: Activity, links: list[Link], result: Schedule) -> int:
    """How far it can move without moving the early dates of any successor."""
    if activity.is_finished:
        return 0
    dates, calendar = result.dates[activity.uid], activity.slack_calendar
    found = [calendar.between(dates.early_finish, result.finish)]
    for link in links:
        successor, after = network.activities[link.successor], result.dates[link.successor]
        own = dates.early_finish if link.link_type in ("FS", "FF") else dates.early_start
        theirs = after.early_start if link.link_type in ("FS", "SS") else after.early_finish
        found.append(calendar.between(own, _shifted(theirs, -link.lag, link, successor.calendar)))
    return max(min(found), 0)


def _place(network: Network, activity: Activity, dates: Dates) -> None:
    """Scheduled dates: early ones; ALAP takes its free slack; from the finish, late ones."""
    dates.start, dates.finish = dates.early_start, dates.early_finish
    if activity.is_started or activity.is_fixed:
        return
    if not network.is_from_start and activity.constraint in ("ASAP", "ALAP"):
        dates.start, dates.finish = dates.late_start, dates.late_finish
    elif activity.constraint == "ALAP" and dates.free_slack > 0 and activity.duration:
        position = activity.calendar.position(dates.early_start) + dates.free_slack
        dates.start = activity.calendar.start(position)
        dates.finish = activity.calendar.finish(position + activity.duration)


def _shifted(moment: int, lag: int, link: Link, calendar: WorkingTime) -> int:
    """Lag counts in the successor's calendar, or on the clock if it is elapsed."""
    if lag == 0:
        return moment
    return moment + lag if link.is_elapsed else calendar.add(moment, lag)


def _back(calendar: WorkingTime, moment: int, duration: int) -> int:
    """The start of work of this duration that ends at the moment."""
    if duration == 0:
        return moment
    return calendar.start(calendar.position(moment) - duration)


def _on(calendar: WorkingTime, moment: int, duration: int) -> int:
    """The finish of work of this duration that starts at the moment."""
    return moment if duration == 0 else calendar.add(moment, duration)

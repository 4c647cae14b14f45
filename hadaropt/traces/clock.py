"""Calendar times of traces as exact seconds on a stated wall clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hadaropt.errors import TraceError, shown
from hadaropt.traces.decimals import is_missing

#: China has no summer time, so one offset holds for all of its traces.
SHANGHAI = timezone(timedelta(hours=8))
SHANGHAI_NAME = "Asia/Shanghai"

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def wall_seconds(text: str | None, place: str, *, zone: timezone | None = None) -> Fraction | None:
    """Return seconds since 1970-01-01 00:00 on a wall clock, None where the text is missing.

    Parameters
    ----------
    text : str or None
        An ISO 8601 date and time.
    place : str
        Where it stands, for the error.
    zone : timezone, optional
        With a zone, the text must carry an offset and is shown on that zone's clock. Without, it
        must carry none and is taken as written.

    Raises
    ------
    TraceError
        If the text is not such a time.
    """
    if text is None or is_missing(text):
        return None
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise TraceError(place, "must be a date and time", shown(text)) from None
    if (time.tzinfo is None) != (zone is None):
        rule = "must carry no UTC offset" if zone is None else "must carry a UTC offset"
        raise TraceError(place, rule, shown(text))
    if zone is not None:
        try:
            time = time.astimezone(zone).replace(tzinfo=None)
        except OverflowError:
            raise TraceError(place, "must lie in the years 1 to 9999", shown(text)) from None
    return Fraction((time - _EPOCH) // _MICROSECOND, 1_000_000)


def time_zone(name: str) -> ZoneInfo:
    """Return a time zone by its name, such as ``Europe/Berlin``.

    Raises
    ------
    TraceError
        If this machine knows none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        rule = "must be a time zone that this machine knows, such as Europe/Berlin"
        raise TraceError("zone", rule, shown(name)) from None


def zoned_seconds(
    text: str | None, place: str, zone: ZoneInfo, after: Fraction | None = None
) -> Fraction | None:
    """Return seconds since 1970-01-01 00:00 UTC of a local time, None where the text is missing.

    Where summer time ends, an hour is there twice: then it is the first that is not before
    ``after``, or the first if both are.

    Parameters
    ----------
    text : str or None
        An ISO 8601 date and time without UTC offset.
    place : str
        Where it stands, for the error.
    zone : ZoneInfo
    after : Fraction, optional
        A time, as this function returns it, that is known not to be later.

    Raises
    ------
    TraceError
        If the text is not such a time, or lies in the hour that summer time skips.
    """
    wall = wall_seconds(text, place)
    if wall is None:
        return None
    local = _EPOCH + timedelta(microseconds=int(wall * 1_000_000))
    found = []
    for fold in (0, 1):
        own = local.replace(tzinfo=zone, fold=fold)
        try:
            at = own.astimezone(UTC)
        except OverflowError:
            raise TraceError(place, "must lie in the years 1 to 9999", shown(text)) from None
        if at.astimezone(zone).replace(tzinfo=None) == local:
            found.append(Fraction((at.replace(tzinfo=None) - _EPOCH) // _MICROSECOND, 1_000_000))
    if not found:
        rule = f"must be a time of {zone.key}: summer time skips it (is the zone right?)"
        raise TraceError(place, rule, shown(text))
    return next((time for time in found if after is None or time >= after), found[0])

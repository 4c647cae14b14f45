"""Local times of a named zone: the hour that is there twice, and the one that is not."""

from fractions import Fraction

import pytest

from hadaropt.errors import TraceError
from hadaropt.traces import read_trace
from hadaropt.traces.clock import time_zone, wall_seconds, zoned_seconds

BERLIN = time_zone("Europe/Berlin")
HOUR = 3600
COLUMNS = {"submit": "q", "start": "s", "end": "e", "gpus": "n"}
HEADER = "JobID|Submit|Start|End|State|AllocTRES\n"


def at(text, after=None):
    return zoned_seconds(text, "here", BERLIN, after)


def test_seconds_are_those_of_utc():
    assert at("2024-01-15T12:00:00") == wall_seconds("2024-01-15T11:00:00", "here")
    assert at("2024-07-15T12:00:00.25") == wall_seconds("2024-07-15T10:00:00.25", "here")
    assert at(None) is None


def test_a_night_in_which_summer_time_begins_or_ends_is_as_long_as_it_was():
    assert at("2024-03-31T06:00:00") - at("2024-03-30T22:00:00") == 7 * HOUR
    assert at("2024-10-27T06:00:00") - at("2024-10-26T22:00:00") == 9 * HOUR


def test_the_hour_that_is_there_twice_is_the_first_that_is_not_too_early():
    first = at("2024-10-27T02:30:00")
    assert first - at("2024-10-27T01:30:00") == HOUR
    assert at("2024-10-27T02:30:00", first) == first
    assert at("2024-10-27T02:30:00", first + 1) == first + HOUR
    assert at("2024-10-27T02:30:00", first + 2 * HOUR) == first  # before what it must not be before


def test_the_hour_that_is_skipped_is_no_time():
    with pytest.raises(TraceError, match="must be a time of Europe/Berlin: summer time skips it"):
        at("2024-03-31T02:30:00")


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../etc/passwd", "x\0"])
def test_an_unknown_zone_is_refused(name):
    with pytest.raises(TraceError, match="zone"):
        time_zone(name)


def test_rows_of_named_columns_are_read_in_their_zone(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(
        "q,s,e,n\n"
        "2024-10-27T01:00:00,2024-10-27T02:50:00,2024-10-27T02:10:00,1\n"
        "2024-10-27T01:00:00,2024-10-27T01:00:00,2024-10-27T04:00:00,1\n"
    )
    trace = read_trace(path, columns=COLUMNS, zone="Europe/Berlin")
    assert [job.duration_seconds for job in trace.jobs] == [20 * 60, 4 * HOUR]
    assert trace.calendar == "UTC, from Europe/Berlin"
    plain = read_trace(path, columns=COLUMNS)
    assert [job.duration_seconds for job in plain.jobs] == [3 * HOUR]  # the first ends too early


def test_slurm_is_read_in_its_zone(tmp_path):
    path = tmp_path / "sacct.txt"
    row = (
        "7|2024-03-30T20:00:00|2024-03-30T22:00:00|2024-03-31T06:00:00|COMPLETED|gres/gpu:A100=2\n"
    )
    path.write_text(HEADER + row)
    (job,) = read_trace(path, zone="Europe/Berlin").jobs
    assert (job.attempts, job.duration_seconds) == (((2 * HOUR, 9 * HOUR),), Fraction(7 * HOUR))
    assert read_trace(path).jobs[0].duration_seconds == 8 * HOUR


def test_a_zone_is_only_for_local_times(tmp_path):
    path = tmp_path / "sacct.txt"
    row = "7|2024-03-30T20:00:00+01:00|2024-03-30T22:00:00+01:00|2024-03-31T06:00:00+02:00"
    path.write_text(HEADER + row + "|COMPLETED|gres/gpu:A100=2\n")
    trace = read_trace(path, zone="Europe/Berlin")  # offsets say more
    assert trace.calendar == "UTC" and trace.jobs[0].duration_seconds == 7 * HOUR
    other = tmp_path / "jobs.csv"
    other.write_text("job_id,num_gpu,submit_time,duration\n1,1,0,10\n")
    with pytest.raises(TraceError):
        read_trace(other, zone="Europe/Berlin")

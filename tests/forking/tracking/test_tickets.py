"""Tickets and what becomes of reports."""

from __future__ import annotations

import pickle

import pytest

from hadaropt.forking.tracking.tickets import Ticket, Verdict


def test_a_ticket_says_where_its_copy_is():
    ticket = Ticket("a", 2, 5, "n0")
    assert ticket.place == 'jobs["a"].rounds[5].copies["n0"]'
    assert pickle.loads(pickle.dumps(ticket)) == ticket


@pytest.mark.parametrize("changed", [{"job": "b"}, {"session": 1}, {"round": 4}, {"node": "n1"}])
def test_no_other_copy_has_the_same(changed):
    ticket = Ticket("a", 2, 5, "n0")
    assert ticket._replace(**changed) != ticket


def test_a_long_name_is_cut_in_messages():
    assert len(Ticket("x" * 500, 0, 0, "y" * 500).place) < 250


def test_verdicts_are_three():
    assert {verdict.value for verdict in Verdict} == {"accepted", "duplicate", "late"}

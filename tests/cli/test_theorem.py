"""``hadaropt theorem``: one theorem, all of them, and an id that there is not."""

import pytest

import hadaropt


def test_a_theorem_says_what_it_states_assumes_and_where_its_proof_is(run):
    answer = run("theorem", "T7")
    assert answer.code == 0
    for said in ("Zero-start price", "delta > 0", "OPT: ", "proofs/written/05-prices.md#t7"):
        assert said in answer.out
    assert "zero_competitive in proofs/coq/ZeroStart.v" in answer.out


def test_programs_read_the_same(run):
    document = run("theorem", "t2''", "--json").document
    stated = hadaropt.theorems["T2''"]
    assert (document["id"], document["statement"]) == (stated.id, stated.statement)
    assert document["symbols"] == dict(stated.symbols)
    assert [(place["name"], place["file"]) for place in document["coq"]] == list(stated.coq)


def test_without_an_id_all_are_listed(run):
    answer = run("theorem")
    assert answer.code == 0
    assert all(stated.title in answer.out for stated in hadaropt.theorems.values())
    listed = run("theorem", "--json").document["theorems"]
    assert [one["id"] for one in listed] == list(hadaropt.theorems)


@pytest.mark.parametrize("level", ["L1", "L2"])
def test_a_level_of_certificates_is_no_theorem(run, level):
    answer = run("theorem", level)
    assert answer.code == 2
    assert f"as a level of a certificate, {level} is in docs/verification.md" in answer.err
    assert "docs/verification.md" not in run("theorem", "T77").err


@pytest.mark.parametrize(("id", "near"), [("T77", "T7"), ("T99", "T9"), ("T10bi", "T10big")])
def test_an_unknown_id_names_the_nearest(run, id, near):
    answer = run("theorem", id)
    assert answer.code == 2
    how = "(hadaropt theorem lists all)"
    said = f'ID {id}: must be the id of a theorem {how}; did you mean "{near}"?'
    assert answer.err.splitlines()[0].endswith(said)

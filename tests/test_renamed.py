"""Old names are told the new ones."""

import copy
import inspect
import pickle
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.policies import Fifo
from hadaropt.results import Result
from tests.cli.conftest import make_instance


@pytest.mark.parametrize(
    ("old", "new"),
    [("objective", "value"), ("grade", "status"), ("primal", "schedule"), ("tree", "branching_")],
)
def test_an_old_name_of_a_result_says_the_new_one(old, new):
    found = Result(method="ilp", termination="optimal")
    with pytest.raises(AttributeError, match=f"'{old}': it is now {new}"):
        getattr(found, old)
    assert not hasattr(found, old)


def test_old_names_of_an_online_run_say_the_new_ones():
    run = hadaropt.run_online(make_instance(), Fifo())
    for old, new in (("primal", "value"), ("dual", "bound")):
        with pytest.raises(AttributeError, match=f"'{old}': it is now {new}"):
            getattr(run, old)
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        run.nonsense  # noqa: B018


def test_the_old_name_of_the_value_that_a_schedule_claims_says_the_new_one():
    claimed = hadaropt.Schedule((), value=Fraction(0))
    assert claimed.value == 0 and pickle.loads(pickle.dumps(claimed)) == claimed
    with pytest.raises(AttributeError, match="'objective': it is now value"):
        claimed.objective  # noqa: B018


def test_old_names_do_not_break_copies_and_inspection():
    found = Result(method="ilp", termination="optimal", value=Fraction(1))
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again == found and hash(again) == hash(found)
    assert dict(inspect.getmembers(found))["value"] == 1


def test_an_old_name_of_a_module_says_the_new_one_by_attribute_and_by_import():
    import hadaropt.results as results

    with pytest.raises(AttributeError, match=r"it is now hadaropt\.results\.Result"):
        results.SolveResult  # noqa: B018
    with pytest.raises(ImportError, match=r"it is now hadaropt\.results\.Result"):
        from hadaropt.results import SolveResult  # noqa: F401
    assert not hasattr(results, "SolveResult")

"""Names written on the command line."""

import pytest

from hadaropt.bench.ratio.contestants import contestant_names
from hadaropt.cli.common.names import chosen, one_of
from hadaropt.cli.common.options import UsageError

KNOWN = ("hadar", "yarn", "gavel:fifo_perf")


def test_a_list_is_split_at_commas_outside_brackets():
    names = contestant_names()
    text = "primal-dual[U=2,m=1/2], fifo"
    found = chosen("--policies", text, (), names, parameters=True)
    assert found == ("primal_dual:zero_start[U=2,m=1/2]", "fifo")
    assert chosen("--policies", None, ("fifo",), names) == ("fifo",)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("hadar,hadar", "names hadar twice"),
        ("gavel:fifo-perf,gavel:fifo_perf", "names gavel:fifo_perf twice"),
        ("hadar,,yarn", "holds an empty name"),
        ("hadar,", "holds an empty name"),
        (",", "selects nothing"),
        ("", "selects nothing"),
        ("hadar,yarm", "yarm: must be one of .*; did you mean yarn?"),
    ],
)
def test_no_name_is_dropped_silently(names, said):
    with pytest.raises(UsageError, match=f"^--schedulers .*{said}"):
        chosen("--schedulers", names, (), KNOWN)


def test_primal_dual_alone_is_the_one_with_the_default_price():
    assert one_of("--policy", "primal-dual", contestant_names()) == "primal_dual:zero_start"
    with pytest.raises(UsageError, match=r"^--schedulers primal_dual: must be one of hadar"):
        one_of("--schedulers", "primal_dual", KNOWN)
    assert one_of("--policy", "primal-dual", ("primal_dual", *KNOWN)) == "primal_dual"


@pytest.mark.parametrize("name", ["primal_dual:doubling", "primal-dual:forward-looking"])
def test_a_price_function_without_name_says_how_it_is_made(name):
    with pytest.raises(UsageError, match=rf"--p {name}: is for Python only: PrimalDual\(price="):
        one_of("--p", name, ("primal_dual:linear",))

"""What the ratio suite takes unless told."""

from hadaropt.bench.ratio import defaults
from hadaropt.bench.ratio.contestants import contestant_names
from hadaropt.generate import FAMILIES


def test_every_name_is_known():
    assert set(defaults.DEFAULT_FAMILIES) <= set(FAMILIES)
    assert set(defaults.DEFAULT_POLICIES) <= set(contestant_names())

"""What to train, and how."""

from __future__ import annotations

import pickle

import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking.training.options import Options, TrainingJob
from tests.forking.training.toy import Slope


def test_options_go_to_other_processes():
    for own in (Options(seed=3), TrainingJob(Slope(), 5, requires={"GPU": 1})):
        assert pickle.loads(pickle.dumps(own)) == own


def test_jobs_share_no_resources_by_default():
    assert TrainingJob(Slope(), 1).requires is not TrainingJob(Slope(), 1).requires


@pytest.mark.parametrize("optimiser", ["averages", "", None, "Reset"])
def test_an_unknown_optimiser_is_refused_before_anything_is_trained(optimiser):
    with pytest.raises(TrackerError, match=r"^optimiser = .*must be one of average, reset"):
        Options(optimiser=optimiser)
    for name in ("average", "reset"):
        assert Options(optimiser=name).optimiser == name

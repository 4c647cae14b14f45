"""The solver on inputs that are known to go wrong."""

import pytest

from hadaropt.offline import selftest


@pytest.mark.parametrize("found", [[0, 1.5, 1], None])
def test_wrong_answers_raise(found):
    with pytest.raises(selftest.WrongAnswerError):
        selftest._expect(found, "right")

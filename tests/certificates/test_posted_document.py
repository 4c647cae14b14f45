"""Price tables in certificates: strict reading, equal tables once."""

import copy
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.certificates import certify, posted_document
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.certificates.posted_document import posted_of
from hadaropt.errors import CertificateError
from hadaropt.policies import PrimalDual
from hadaropt.results import PostedPrices
from tests.certificates.samples import crowd

INSTANCE = crowd(4)
RUN = hadaropt.run_online(INSTANCE, PrimalDual())
DOCUMENT = certificate_to_document(INSTANCE, certify(INSTANCE, RUN, posted=True))


def test_equal_tables_are_told_once():
    prices = PostedPrices(Fraction(2), {(0, 0): (0, 1), (1, 0): (0, 1), (1, 1): (0, 2)})
    found = posted_of(prices)
    assert [table.prices for table in found.tables] == [(0, 1), (0, 2)]
    assert found.table_of == {(0, 0): 0, (1, 0): 0, (1, 1): 1}
    assert (found.price((1, 1), 1), found.charge((1, 1), 1, 3)) == (1, 3)


def test_bundles_may_be_charged_otherwise():
    found = posted_of(PostedPrices(Fraction(2), {(0, 0): (1, 5)}, {(0, 0): ((1, 3),)}))
    assert found.charge((0, 0), 0, 2) == 2
    for sold, units in ((1, 1), (0, 3)):
        with pytest.raises(CertificateError, match="must reach as far as the run does"):
            found.charge((0, 0), sold, units)
    with pytest.raises(CertificateError, match="must reach as far as the run does"):
        found.price((0, 0), 2)


def test_tables_that_are_too_large_are_left_out(monkeypatch):
    monkeypatch.setattr(posted_document, "MAX_ENTRIES", 3)
    assert posted_of(RUN.posted) is None
    assert certify(INSTANCE, RUN, posted=True).posted is None


def put(path, value):
    document = copy.deepcopy(DOCUMENT)
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("format",), "hadaropt-certificate/1", "is an unknown field"),
        (("theorem",), None, "posted, must be left out without a theorem"),
        (("posted",), [], "posted"),
        (("posted", "more"), 1, "more"),
        (("posted", "scale"), "0", "posted.scale = 0, must be > 0"),
        (("posted", "scale"), 4, "posted.scale"),
        (("posted", "tables", 0, "prices"), [], "must not be empty"),
        (("posted", "tables", 0, "prices", 0), "1/2", "must be an integer >= 0"),
        (("posted", "tables", 0, "prices", 0), "-1", "must be an integer >= 0"),
        (("posted", "tables", 0, "prices", 0), 1, "prices"),
        (("posted", "tables", 0, "charges"), [["x"]], "charges"),
        (("posted", "tables"), [], "must be one of the tables"),
        (("posted", "places", 0, "table"), 99, "posted.places.0..table"),
        (("posted", "places", 0, "round"), 99, "posted.places.0..round"),
        (("posted", "places", 0, "type"), "Z", "is not in the instance"),
        (("posted", "places", 0, "node"), "n0", "node"),
    ],
)
def test_malformed_tables_are_refused(path, value, why):
    with pytest.raises(CertificateError, match=why):
        certificate_from_document(put(path, value), INSTANCE)


def test_each_place_is_named_once():
    places = DOCUMENT["posted"]["places"]
    with pytest.raises(CertificateError, match="must name each place once"):
        certificate_from_document(put(("posted", "places"), places * 2), INSTANCE)

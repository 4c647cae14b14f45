import sys
from importlib import metadata

from hadaropt.cli import doctor
from hadaropt.offline import selftest


def test_this_installation_is_well(run):
    answer = run("doctor", "--json")
    document = answer.document
    assert [check for check in document["checks"] if not check["well"]] == []
    assert answer.code == 0 and document["well"] is True
    names = {check["check"] for check in document["checks"]}
    assert {f"solver: {name}" for name in selftest.CHECKS} <= names
    assert {"python", "highspy", "compiled kernels", "cache of compiled kernels"} <= names
    assert "cores" in document["notes"]


def test_people_read_what_is_wrong(run, monkeypatch):
    def lie() -> None:
        """Find 9."""
        raise selftest.WrongAnswerError("15, must be 9")

    monkeypatch.setitem(selftest.CHECKS, "tolerance", lie)
    answer = run("doctor")
    assert answer.code == 1
    assert "wrong: solver: tolerance" in answer.out
    assert "WrongAnswerError: 15, must be 9" in answer.out


def test_a_solver_release_with_wrong_optima_is_found(monkeypatch):
    true_version = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "1.14.0" if name == "highspy" else true_version(name)
    )
    wrong = [(what, found) for what, well, found in doctor._versions() if not well]
    assert wrong == [("highspy", "1.14.0, which reports wrong optima")]


def test_missing_packages_are_named(monkeypatch):
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    assert {what for what, well, _ in doctor._versions() if not well} == set(doctor.NEEDED)
    assert dict(doctor._extras())["matplotlib"].endswith("pip install 'hadaropt[plot]'")


def test_a_solver_or_kernels_that_cannot_be_loaded_are_a_finding(monkeypatch):
    monkeypatch.setitem(sys.modules, "hadaropt.offline.selftest", None)
    ((what, well, found),) = doctor._solver()
    assert (what, well) == ("solver", False) and "cannot be loaded" in found
    import hadaropt.kernels

    monkeypatch.delattr(hadaropt.kernels, "cache", raising=False)
    monkeypatch.setitem(sys.modules, "hadaropt.kernels.cache", None)
    ((what, well, found),) = doctor._kernels()
    assert (what, well) == ("compiled kernels", False) and "cannot be loaded" in found


def test_a_folder_that_cannot_be_written_is_a_finding(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    assert doctor._folder("cache", file / "below")[1] is False
    assert doctor._folder("cache", None)[1] is False
    assert doctor._folder("cache", tmp_path / "new")[1] is True
    assert list((tmp_path / "new").iterdir()) == []

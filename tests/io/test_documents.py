"""Text as documents."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import audit
from hadaropt.errors import InstanceError
from hadaropt.io import (
    instance_from_document,
    instance_sha256,
    read_instance,
)
from tests.io.documents import EXAMPLE, WHOLE, refused


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("", "is not valid JSON: Expecting value at line 1, column 1"),
        (WHOLE[:-2], "at line "),
        ('{\n "format": 1,\n "name" 2}', "at line 3, column 9"),
        (WHOLE.replace('"num_rounds": 12', '"num_rounds": 012'), "at line 5, column 17"),
        (WHOLE.replace('"round_seconds": 360', '"round_seconds": NaN'), "NaN, must hold finite"),
        (WHOLE.replace("360", "-Infinity"), "-Infinity, must hold finite numbers only"),
        (WHOLE.replace('"num_rounds"', '"name"'), 'must not hold the key "name" twice'),
        (WHOLE.replace('"P100": 1.5', '"V100": 1.5'), 'must not hold the key "V100" twice'),
        ("[]", "must be a JSON object"),
        ("3", "must be a JSON object"),
        ("[" * 100_000, "is nested too deeply"),
        (b"\xff\xfe{}", "must be UTF-8: byte 0 is not"),
        (WHOLE.replace('"tiny"', '"\\ud800"'), "must not hold half a character"),
        (WHOLE.replace('"a"', '"\\uDC00"'), "must not hold half a character"),
    ],
)
def test_bad_text(text: str | bytes, fragment: str, tmp_path: Path) -> None:
    message = refused(text, tmp_path, read_instance)
    assert message.startswith("x.json") and fragment in message


def test_a_whole_character_written_as_two_escapes_is_legal(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(WHOLE.replace('"a"', '"\\ud83d\\ude00"'), encoding="utf-8")
    instance = read_instance(path)
    assert instance.jobs[0].name == "\U0001f600"
    assert re.fullmatch("[0-9a-f]{64}", instance_sha256(instance))


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_cut_gzip_is_refused(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(WHOLE.encode())[:cut])
    with pytest.raises(InstanceError, match=r"x\.json\.gz"):
        read_instance(path)


def test_numbers_are_their_literal_text(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    long = "0.1000000000000000055511151231257827"
    path.write_text(WHOLE.replace('"V100": 4.0', f'"V100": {long}'))
    assert read_instance(path).jobs[0].throughput["V100"] == Fraction(long)
    path.write_text(WHOLE.replace('"V100": 4.0', '"V100": 0.1'))
    assert read_instance(path).jobs[0].throughput["V100"] == Fraction(1, 10)


def test_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE.encode())
    assert read_instance(path) == instance_from_document(EXAMPLE)


@pytest.mark.parametrize("given", [b"tiny.json", 3, None])
def test_what_is_no_path_is_named(given: object) -> None:
    with pytest.raises(TypeError, match=r"^path = .*, must be a path: str or os\.PathLike$"):
        read_instance(given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^source = .*, must be a path"):
        audit(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (lzma.compress(WHOLE.encode()), "xz"),
        (bz2.compress(WHOLE.encode()), "bzip2"),
        (gzip.compress(WHOLE.encode()), "gzip"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_packed_in_another_way_is_said(
    data: bytes, kind: str, packed: bool, tmp_path: Path
) -> None:
    file = tmp_path / ("x.json.gz" if packed else "x.json.zst")
    file.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InstanceError, match=f"is a {kind} file; unpack it"):
        read_instance(file)

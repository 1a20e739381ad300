import gzip
from pathlib import Path

import pytest
from eyewall_latency.matrix import MatrixError, read_matrix


def written(tmp_path: Path, content: str | bytes, *, packed: bool = False) -> Path:
    path = tmp_path / "matrix.tsv"
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if packed else raw)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_a_matrix_is_read_plain_or_compressed_in_either_unit(tmp_path: Path, packed: bool) -> None:
    path = written(tmp_path, "0\t20\n40\t0\n", packed=packed)
    assert read_matrix(path).seconds == ((None, 0.020), (0.040, None))
    assert read_matrix(path, unit="s").seconds == ((None, 20.0), (40.0, None))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0\t1\t2\n1\t0\t2\n", "row 1: 3 cells, but the file has 2 rows"),
        ("0\t1\n1\n", "row 2: 1 cells"),
        ("0\t1\nabc\t0\n", "row 2, column 1: 'abc' is not a number"),
        ("0\t\n1\t0\n", "row 1, column 2: empty: a hole"),
        ("0\t0\n1\t0\n", "row 1, column 2: 0: a hole"),
        ("0\tnan\n1\t0\n", "row 1, column 2: nan: a hole"),
        ("0\t-5\n1\t0\n", "row 1, column 2: -5: a hole"),
        ("0\tinf\n1\t0\n", "row 1, column 2: inf is more than 60 s"),
        ("0\t60001\n1\t0\n", "row 1, column 2: 60001 is more than 60 s"),
        ("", "no rows"),
        ("0\n", "one host alone"),
        (b"\x00\xff\x80", "not text"),
        (b"\x1f\x8b\x08\x00broken", "damaged gzip"),
    ],
)
def test_what_is_no_matrix_is_refused_with_the_place(
    tmp_path: Path, content: str | bytes, words: str
) -> None:
    with pytest.raises(MatrixError, match=words):
        read_matrix(written(tmp_path, content))


def test_a_torn_gzip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn.gz"
    path.write_bytes(gzip.compress(b"0\t1\n1\t0\n" * 100)[:30])
    with pytest.raises(MatrixError, match="damaged gzip"):
        read_matrix(path)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(MatrixError, match="No such file"):
        read_matrix(tmp_path / "none.tsv")
    with pytest.raises(MatrixError, match="directory"):
        read_matrix(tmp_path)


def test_holes_are_left_out_and_counted_where_asked_for(tmp_path: Path) -> None:
    matrix = read_matrix(written(tmp_path, "0\t0\n40\t0\n"), skip_holes=True)
    assert matrix.seconds == ((None, None), (0.040, None))
    assert matrix.holes == 1

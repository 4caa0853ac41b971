"""Streams of text files: by ending, by first bytes, and never shorter than they are."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.format.compressed import CODEC_SUFFIXES, CompressedOutput, TextInput
from spark_paimon.schema import Field, StringType
from spark_paimon.storage import qualify, storage_for
from spark_paimon.storage.local import LocalStorage

LINES = b"".join(b"%d,some text,%d\n" % (at, at * at % 977) for at in range(60_000))
CODECS = [codec for codec in CODEC_SUFFIXES if codec != "none"]


def read(path: Path) -> bytes:
    storage, file = storage_for(qualify(path.parent)), FileSlice(qualify(path), partition="dt=1")
    with TextInput(storage, file, "db.t", "csv") as text:
        return b"".join(text.chunks())


def write(path: Path, codec: str, *pieces: bytes, level: int = 1) -> bytes:
    output = CompressedOutput(storage_for(qualify(path.parent)), qualify(path), codec, level)
    for piece in pieces:
        output.write(piece)
    output.close()
    assert output.size() == path.stat().st_size
    return path.read_bytes()


def packed(codec: str, data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("codec", list(CODEC_SUFFIXES))
@pytest.mark.parametrize(
    "pieces", [[], [b"a"], [LINES[:7], b"", LINES[7:]], [LINES * 8]], ids=["0", "1", "3", "8"]
)
def test_what_is_written_is_read(tmp_path: Path, codec: str, pieces: list[bytes]) -> None:
    path = tmp_path / f"x.csv{CODEC_SUFFIXES[codec]}"
    written = write(path, codec, *pieces)
    assert read(path) == b"".join(pieces)
    assert (
        codec == "none"
        or len(LINES) < sum(map(len, pieces))
        or len(written) < 60
        or len(written) < len(LINES)
    )


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("lost", [1, 3, 9, 1000, "all"])
def test_a_truncated_file_is_an_error(tmp_path: Path, codec: str, lost: int | str) -> None:
    path = tmp_path / f"x.csv{CODEC_SUFFIXES[codec]}"
    written = write(path, codec, LINES)
    path.write_bytes(written[: 0 if lost == "all" else -int(lost)])
    with pytest.raises(errors.IllegalStateError, match=f"read as {codec} compressed CSV") as caught:
        read(path)
    assert caught.value.condition == "FILE_UNREADABLE"


@pytest.mark.parametrize("codec", CODECS)
def test_plain_text_with_the_ending_of_a_codec_is_an_error(tmp_path: Path, codec: str) -> None:
    path = tmp_path / f"x.csv{CODEC_SUFFIXES[codec]}"
    path.write_bytes(LINES)
    with pytest.raises(errors.IllegalStateError, match="FILE_UNREADABLE"):
        read(path)


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd", "lz4"])
@pytest.mark.parametrize("name", ["x.csv", "x", "00000_0", "x.parquet"])
def test_p84_a_compressed_file_is_recognised_without_its_ending(
    tmp_path: Path, codec: str, name: str
) -> None:
    (tmp_path / name).write_bytes(packed(codec, LINES))
    assert read(tmp_path / name) == LINES


@pytest.mark.parametrize("level", range(1, 10))
@pytest.mark.parametrize("data", [b"", b"a\n"], ids=["empty", "one line"])
def test_p84_bzip2_of_every_level_is_recognised(tmp_path: Path, level: int, data: bytes) -> None:
    (tmp_path / "x").write_bytes(bz2.compress(data, level))
    assert read(tmp_path / "x") == data


def test_a_file_is_opened_once_and_closed(tmp_path: Path) -> None:
    streams: list[BinaryIO] = []

    class Watched(LocalStorage):
        def open_input(self, path: str) -> BinaryIO:
            streams.append(super().open_input(path))
            return streams[-1]

    column = [Field(0, "a", StringType())]
    for name in ("csv", "json", "text"):
        for part in (FileSlice(qualify(tmp_path / "x")), FileSlice(qualify(tmp_path / "x"), 8, 8)):
            (tmp_path / "x").write_bytes(b'{"a":1}\n' * 3)
            reading = file_format(name).read(Watched(), part, ReadRequest("t", column, column))
            assert next(reading).num_rows > 0
            reading.close()  # type: ignore[attr-defined]
            assert [stream.closed for stream in streams] == [True]
            streams.clear()
    (tmp_path / "x").write_bytes(b"PAR1\x00\x00\x00\x00PAR1")
    with pytest.raises(errors.IllegalStateError, match="FILE_FORMAT_MISMATCH"):
        next(iter(file_format("csv").read(Watched(), FileSlice(part.path), ReadRequest("t", column, column))))
    assert [stream.closed for stream in streams] == [True]


def test_files_of_several_members_are_read_whole(tmp_path: Path) -> None:
    for name, data in {
        "x.gz": gzip.compress(b"a\n") + gzip.compress(b"b\n"),
        "x.bz2": bz2.compress(b"a\n") + bz2.compress(b"b\n"),
        "x.zst": packed("zstd", b"a\n") + packed("zstd", b"b\n"),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert read(tmp_path / name) == b"a\nb\n"


def test_the_standard_lz4_frame_is_read_as_well(tmp_path: Path) -> None:
    (tmp_path / "x.lz4").write_bytes(packed("lz4", LINES))
    assert read(tmp_path / "x.lz4") == LINES


@pytest.mark.parametrize(("suffix", "codec"), [(".snappy", "snappy"), (".lz4", "lz4_raw")])
def test_hadoop_blocks_may_have_several_chunks(tmp_path: Path, suffix: str, codec: str) -> None:
    data = b""
    for block in (LINES[:300_000], b"", LINES[300_000:]):
        data += len(block).to_bytes(4, "big")
        for at in range(0, len(block), 77_777):
            chunk = pa.Codec(codec).compress(block[at : at + 77_777], asbytes=True)
            data += len(chunk).to_bytes(4, "big") + chunk
    (tmp_path / f"x{suffix}").write_bytes(data)
    assert read(tmp_path / f"x{suffix}") == LINES


def test_something_behind_the_data_is_an_error(tmp_path: Path) -> None:
    for name, data in {"x.deflate": zlib.compress(b"a"), "x.zst": packed("zstd", b"a")}.items():
        (tmp_path / name).write_bytes(data + b"garbage")
        with pytest.raises(errors.IllegalStateError, match="FILE_UNREADABLE"):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("head", "found"),
    [(b"PAR1\x15\x04\x15\x00", "PARQUET"), (b"ORC\x08\x03\x10", "ORC"), (b"Obj\x01\x04", "AVRO"),
     (b"PK\x03\x04\x00", "ZIP"), (b"\x00\x01", "MOSAIC")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_another_format_is_named_in_the_error(tmp_path: Path, head: bytes, found: str, name: str) -> None:
    (tmp_path / name).write_bytes(head + bytes(20) + (b"MOSA" if found == "MOSAIC" else b""))
    with pytest.raises(errors.IllegalStateError, match=f"dt=1 of db.t should be CSV.*but is {found}"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1,x\n",
        b"ORC,1\n",
        b"BZhang\n",
        b"a,MOSA",
        b"a,b,PAR1",
        b"",
        b"\n",
        b"BZh",
        b"BZh9,1AY",
        "äöüßéPAR1".encode(),
    ],
)
def test_text_that_looks_like_a_format_is_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    assert read(tmp_path / "x") == data


def test_a_higher_level_of_zstd_makes_smaller_files(tmp_path: Path) -> None:
    text = Path(__file__).read_bytes()
    low, high = (write(tmp_path / f"{level}.zst", "zstd", text, level=level) for level in (1, 19))
    assert len(high) < len(low)
    assert read(tmp_path / "19.zst") == text


def test_our_gzip_and_bzip2_are_everyones(tmp_path: Path) -> None:
    assert gzip.decompress(write(tmp_path / "x.gz", "gzip", LINES)) == LINES
    assert bz2.decompress(write(tmp_path / "x.bz2", "bzip2", LINES)) == LINES
    assert zlib.decompress(write(tmp_path / "x.deflate", "deflate", LINES)) == LINES


def test_a_file_that_is_not_there_stays_that_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "x.csv")

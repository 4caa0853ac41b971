"""CSV: what a file means, and that both parsers agree about it."""

from __future__ import annotations

import datetime
import gzip
import os
from base64 import b64decode
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.format import csv_parser
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.csv import FORMAT
from spark_paimon.format.csv_dialect import Dialect
from spark_paimon.format.csv_records import Records, UnclosedQuoteError
from spark_paimon.options import TableOptions
from spark_paimon.schema import ArrayType, Field, IntType, StringType, VariantType, parse_type, to_arrow
from spark_paimon.storage import qualify, storage_for

Rows = list[tuple[Any, ...]]


def fields(*types: str) -> list[Field]:
    return [Field(at, chr(ord("a") + at), parse_type(text)) for at, text in enumerate(types)]


def read(
    path: Path,
    columns: Sequence[Field],
    options: Mapping[str, str] | None = None,
    *,
    selected: Sequence[Field] | None = None,
    start: int = 0,
    length: int = -1,
    **request: Any,
) -> Rows:
    chosen = columns if selected is None else selected
    asked = ReadRequest("db.t", columns, chosen, options or {}, **request)
    storage = storage_for(qualify(path.parent))
    batches = list(FORMAT.read(storage, FileSlice(qualify(path), start, length), asked))
    assert all(batch.schema.equals(to_arrow(chosen), check_metadata=True) for batch in batches)
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def content(tmp_path: Path, data: bytes, name: str = "x.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def write(
    path: Path, columns: Sequence[Field], rows: Rows, options: Mapping[str, str] | None = None
) -> bytes:
    request = WriteRequest("db.t", columns, "none", options or {})
    writer = FORMAT.open_writer(storage_for(qualify(path.parent)), qualify(path), request)
    names = [column.name for column in columns]
    writer.write(
        pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows], to_arrow(columns))
    )
    writer.close()
    assert writer.size() == path.stat().st_size
    return path.read_bytes()


TWO = fields("STRING", "STRING")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"a,b\n", [("a", "b")]),
        (b"a,b", [("a", "b")]),
        (b"\xef\xbb\xbfa,b\r\nc,d\r\n", [("a", "b"), ("c", "d")]),
        (b'\xef\xbb\xbf"a",b\n', [("a", "b")]),
        (b'"a""b","c\\"d"\n', [('a"b', 'c"d')]),
        (b'"a\\\\","b\\n"\n', [("a\\", "b\\n")]),
        (b'a\\,b\\"\n', [("a\\", 'b\\"')]),
        (b'"x\ny","1\r\n2"\nz,\n', [("x\ny", "1\r\n2"), ("z", None)]),
        (b'5" pipe,6"\n', [('5" pipe', '6"')]),
        (b'"a"b,"c"\n', [("ab", "c")]),
        (b"a\rb,c\n", [("a\rb", "c")]),
        (b" a , b \n", [(" a ", " b ")]),
        (b"a\n\nb,c,d\n", [("a", None), (None, None), ("b", "c")]),
        ("é,\U0001f600\n".encode(), [("é", "\U0001f600")]),
        (b"a,\xff\nb,c\n", [("a", None), ("b", "c")]),
        (b"a\x00b,c\n", [("a\x00b", "c")]),
    ],
)
def test_what_a_file_means(tmp_path: Path, text: bytes, rows: Rows) -> None:
    assert read(content(tmp_path, text), TWO) == rows


def test_p75_one_column_loses_no_row_and_keeps_null_and_empty_apart(tmp_path: Path) -> None:
    one, rows = fields("STRING"), [("abc",), (None,), ("def",), ("",), (" ",)]
    for number, options in enumerate(({}, {"nullvalue": "\\N"}, {"nullvalue": "x"})):
        written = write(tmp_path / f"{number}.csv", one, rows, options)
        assert read(tmp_path / f"{number}.csv", one, options) == rows, written


def test_p76_null_is_the_unquoted_literal(tmp_path: Path) -> None:
    columns = fields("INT", "STRING")
    path = content(tmp_path, b'1,\n2,""\n3,\\N\n4,"\\N"\n')
    assert read(path, columns, {"nullvalue": "\\N"}) == [(1, ""), (2, ""), (3, None), (4, "\\N")]
    assert read(path, columns) == [(1, None), (2, ""), (3, "\\N"), (4, "\\N")]
    rows: Rows = [(1, None), (2, ""), (3, "\\N"), (None, "a")]
    assert write(tmp_path / "w1", columns, rows) == b'1,\n2,""\n3,"\\\\N"\n,a\n'
    assert write(tmp_path / "w2", columns, rows, {"nullvalue": "\\N"}) == (b'1,\\N\n2,""\n3,"\\\\N"\n\\N,a\n')
    assert read(tmp_path / "w1", columns) == rows
    assert read(tmp_path / "w2", columns, {"nullvalue": "\\N"}) == rows


@pytest.mark.parametrize("ragged", [b"", b"1\n"], ids=["by Arrow", "by the exact rules"])
@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
def test_p76_in_quotes_too_null_is_what_cannot_be_a_value(tmp_path: Path, mode: str, ragged: bytes) -> None:
    columns = fields("INT", "DATE", "BYTES", "BINARY(2)", "STRING")
    path = content(tmp_path, b'"","","","",""\n,,,,\n"NULL","NULL","NULL","NULL","NULL"\n' + ragged)
    rows: Rows = [
        *[(None, None, b"", None, "")] * 2,
        (None, None, b64decode("NULL"), None, "NULL"),  # which is Base64
        *[(1, None, None, None, None)][: len(ragged)],
    ]
    options = {"mode": mode, "nullvalue": "NULL"}
    assert read(path, columns, options) == rows
    assert read(path, columns, options, selected=columns[4:]) == [row[4:] for row in rows]
    path = content(tmp_path, b'"","","","",""\n,,,,\n' + ragged)
    assert read(path, columns, {"mode": mode}) == [rows[0], (None,) * 5, *rows[3:]]


def test_p76_a_value_that_is_spelled_like_null_stays_one(tmp_path: Path) -> None:
    columns, rows = fields("DOUBLE", "INT"), [(0.0, 0), (None, None)]
    for literal in ("0", "NaN"):
        write(tmp_path / literal, columns, rows, {"nullvalue": literal})
        assert read(tmp_path / literal, columns, {"nullvalue": literal}) == rows


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"csv.quote-character": ""}, "csv.quote-character"),
        ({"quote": "''"}, "csv.quote-character"),
        ({"escape": "ab"}, "csv.escape-character"),
        ({"sep": '"'}, "csv.field-delimiter"),
        ({"escape": ","}, "csv.escape-character"),
        ({"sep": "\n"}, "csv.line-delimiter"),
        ({"lineSep": ",\n"}, "csv.field-delimiter"),
        ({"sep": "\r"}, "csv.line-delimiter"),
        ({"quote": "\r"}, "csv.quote-character"),
        ({"nullvalue": "a,b"}, "csv.null-literal"),
        ({"nullvalue": '"'}, "csv.null-literal"),
    ],
)
def test_p78_options_that_cannot_work_are_refused_with_their_keys(
    options: dict[str, str], named: str
) -> None:
    with pytest.raises(errors.InvalidInputError, match=named):
        FORMAT.check(TWO, TableOptions(options), "db.t")


@pytest.mark.parametrize("key", ["csv.field-delimiter", "field-delimiter", "seq", "sep", "delimiter"])
def test_p79_every_spelling_of_the_delimiter_counts(tmp_path: Path, key: str) -> None:
    path = content(tmp_path, b"1;2\n")
    assert read(path, fields("INT", "INT"), {key: ";"}) == [(1, 2)]
    assert write(tmp_path / "w", fields("INT", "INT"), [(1, 2)], {key: ";"}) == b"1;2\n"


@pytest.mark.parametrize("key", ["csv.line-delimiter", "lineSep"])
def test_p79_every_spelling_of_the_line_delimiter_counts(tmp_path: Path, key: str) -> None:
    path = content(tmp_path, b"1,2||3,4||")
    assert read(path, fields("INT", "INT"), {key: "||"}) == [(1, 2), (3, 4)]


def test_p84_a_gzip_file_without_its_ending_is_read_and_a_foreign_file_refused(tmp_path: Path) -> None:
    assert read(content(tmp_path, gzip.compress(b"a,b\n")), TWO) == [("a", "b")]
    foreign = content(tmp_path, b"PAR1\x15\x04\x15\x00" + bytes(20) + b"\x00\x00\x00\x00PAR1")
    with pytest.raises(errors.IllegalStateError, match="should be CSV, but is PARQUET") as caught:
        read(foreign, TWO)
    assert caught.value.condition == "FILE_FORMAT_MISMATCH"


def test_p84_a_header_is_skipped_once_and_its_names_are_checked(tmp_path: Path) -> None:
    options = {"header": "true"}
    assert read(content(tmp_path, b"a,B\n1,2\n"), TWO, options) == [("1", "2")]
    assert read(content(tmp_path, b'"a","b"'), TWO, options) == []
    assert read(content(tmp_path, b""), TWO, options) == []
    assert read(content(tmp_path, b"a\n1\n"), TWO, options) == [("1", None)]
    swapped = content(tmp_path, b"b,a\n1,2\n")
    with pytest.raises(errors.IllegalStateError) as caught:
        read(swapped, TWO, options)
    for part in ("x.csv", "(b, a) instead of (a, b)", "column 1", "'csv.enforce-header' to 'false'"):
        assert part in str(caught.value)
    assert read(swapped, TWO, {**options, "csv.enforce-header": "false"}) == [("1", "2")]
    with pytest.raises(errors.IllegalStateError, match="FILE_HEADER_MISMATCH"):
        read(content(tmp_path, b"a,B\n1,2\n"), TWO, options, case_sensitive=True)
    written = write(tmp_path / "w", [Field(0, 'x"y', IntType())], [(1,)], options)
    assert written == b'"x\\"y"\n1\n'
    assert read(tmp_path / "w", [Field(0, 'x"y', IntType())], options) == [(1,)]


def test_j11_blanks_and_carriage_returns_survive(tmp_path: Path) -> None:
    rows: Rows = [(" a ", "\r"), ("\t", "a\rb"), ("\r\n", " "), ("\u00a0", "\u2028")]
    write(tmp_path / "x", TWO, rows)
    assert read(tmp_path / "x", TWO) == rows


RAGGED = b"1,x,2\n3,y\n4,z,5,6\nq,w,7\n8,v,r\n9,u,10\n"


@pytest.mark.parametrize("extra", [b"", b"\n"], ids=["even", "blank line"])
def test_modes(tmp_path: Path, extra: bytes) -> None:
    columns = fields("INT", "STRING", "INT")
    path = content(tmp_path, b"1,x,2\nq,w,7\n8,v,r\n9,u,10\n" + extra)
    blank: Rows = [(None, None, None)] if extra else []
    kept: Rows = [(1, "x", 2), (9, "u", 10)]
    assert read(path, columns) == [kept[0], (None, None, None), (8, "v", None), kept[1], *blank]
    assert read(path, columns, {"mode": "dropmalformed"}) == kept + blank
    with pytest.raises(errors.IllegalStateError, match=r"record 2: column a holds no INT") as caught:
        read(path, columns, {"mode": "FAILFAST"})
    assert caught.value.condition == "FILE_RECORD_MALFORMED"


def test_ragged_rows_are_filled_and_cut(tmp_path: Path) -> None:
    columns = fields("INT", "STRING", "INT")
    path = content(tmp_path, b"1,x,2\n3,y\n4,z,5,6\n")
    for mode in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
        assert read(path, columns, {"mode": mode}) == [(1, "x", 2), (3, "y", None), (4, "z", 5)]


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_malformedness_does_not_depend_on_the_selected_columns(tmp_path: Path, mode: str) -> None:
    columns = fields("INT", "STRING", "INT")
    path = content(tmp_path, b"1,x,2\nq,w,7\n8,v,r\n9,u,10\n1,\xff,3\n")
    everything = read(path, columns, {"mode": mode})
    for selection in ([0], [1], [2], [2, 1], [2, 0, 1]):
        rows = read(path, columns, {"mode": mode}, selected=[columns[at] for at in selection])
        assert rows == [tuple(row[at] for at in selection) for row in everything]
    counted = ReadRequest("t", columns, [], {"mode": mode})
    batches = FORMAT.read(storage_for(qualify(tmp_path)), FileSlice(qualify(path)), counted)
    assert sum(batch.num_rows for batch in batches) == len(everything)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_files_of_another_width_take_the_fast_way_as_well(width: int) -> None:
    records = Records(Dialect.of(TableOptions({})))
    block = b"".join(b",".join(b"%d" % (at + row) for at in range(width)) + b"\n" for row in range(3))
    found = csv_parser.parse_by_arrow(block, records, 3, [0, 2])
    assert found is not None
    assert found.texts[0].to_pylist() == ["0", "1", "2"]
    assert found.texts[2].to_pylist() == (["2", "3", "4"] if width > 2 else [None] * 3)


def test_a_quote_that_is_never_closed_is_an_error_in_every_mode(tmp_path: Path) -> None:
    for mode in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
        with pytest.raises(errors.IllegalStateError, match="a quote is never closed"):
            read(content(tmp_path, b'1,x\n2,"y\n3,z\n'), TWO, {"mode": mode})


def test_null_in_a_column_that_is_not_null_is_an_error(tmp_path: Path) -> None:
    columns = fields("INT", "INT NOT NULL")
    assert read(content(tmp_path, b"1,2\n"), columns) == [(1, 2)]
    with pytest.raises(errors.IllegalStateError, match="FILE_RECORD_MALFORMED.*column b is NOT NULL"):
        read(content(tmp_path, b"1,2\n3\n"), columns)
    with pytest.raises(errors.IllegalStateError, match="FILE_COLUMN_MISSING.*no column b"):
        read(content(tmp_path, b"3\n4\n"), columns)


TYPES = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(38, 38)", "CHAR(3)",
    "VARCHAR(5)",
    "STRING", "BINARY(2)", "BYTES", "DATE", "TIME(0)", "TIME(6)", "TIMESTAMP(0)", "TIMESTAMP(6)",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
)  # fmt: skip
UTC = datetime.timezone.utc
EXTREMES: Rows = [
    (True, -128, -32768, -(2**31), -(2**63), 0.1, 5e-324, Decimal("0." + "9" * 38), "a  ", "ü", "\U0001f600",
     b"\x00\xff", b"", datetime.date(1, 1, 1), datetime.time(23, 59, 59), datetime.time(0, 0, 0, 1),
     datetime.datetime(1582, 10, 10), datetime.datetime(1, 1, 1), datetime.datetime(1, 1, 1, tzinfo=UTC)),
    (False, 127, 32767, 2**31 - 1, 2**63 - 1, -1.5, 1.7976931348623157e308, Decimal("-1E-38"), "", "NULL",
     '"\n', b"ab", b"\n,", datetime.date(9999, 12, 31), datetime.time(), datetime.time(12),
     datetime.datetime(2262, 5, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
     datetime.datetime(1500, 1, 1, 1, 2, 3, 4000, UTC)),
    (None,) * len(TYPES),
]  # fmt: skip


@pytest.mark.parametrize("codec", FORMAT.codecs)
@pytest.mark.parametrize(
    "options",
    [{}, {"nullvalue": "-", "sep": "."}, {"sep": "||", "lineSep": "#\n", "header": "true"},
     {"escape": '"'}, {"quote": "'", "escape": "'", "sep": "\t", "lineSep": "\r\n"},
     {"quote": "¦", "escape": "§", "sep": "é"}],
    ids=str,
)  # fmt: skip
def test_every_type_comes_back(tmp_path: Path, codec: str, options: dict[str, str]) -> None:
    columns = [Field(at, f"c{at}", parse_type(text)) for at, text in enumerate(TYPES)]
    FORMAT.check(columns, TableOptions(options), "db.t")
    storage, path = storage_for(qualify(tmp_path)), tmp_path / f"x{FORMAT.extension(codec)}"
    batch = pa.RecordBatch.from_pylist(
        [dict(zip(to_arrow(columns).names, row, strict=True)) for row in EXTREMES], to_arrow(columns)
    )
    writer = FORMAT.open_writer(storage, qualify(path), WriteRequest("t", columns, codec, options))
    writer.write(batch)
    writer.close()
    (found,) = FORMAT.read(storage, FileSlice(qualify(path)), ReadRequest("t", columns, columns, options))
    assert found.equals(batch)


@pytest.mark.parametrize("kind", [ArrayType(IntType()), VariantType()])
def test_types_without_text_are_refused(kind: Any) -> None:
    with pytest.raises(errors.UnsupportedError, match="FORMAT_TYPE_UNSUPPORTED.*CSV.*column x of db.t"):
        FORMAT.check([Field(0, "x", kind)], TableOptions({}), "db.t")


def test_slices_are_sewn_together_where_records_end(tmp_path: Path) -> None:
    lines = [b'%d,"a\n""%d"\n' % (at, at) if at % 3 else b"%d,plain\n" % at for at in range(2000)]
    path = content(tmp_path, b"a,b\n" + b"".join(lines))
    size = path.stat().st_size
    options = {"header": "true"}
    columns = fields("INT", "STRING")
    storage = storage_for(qualify(tmp_path))
    whole = read(path, columns, options)
    assert len(whole) == 2000
    for target in (1, 17, 1000, size - 1, size, size + 1):
        cuts = FORMAT.cuts(storage, qualify(path), size, target, TableOptions(options))
        assert cuts == sorted(set(cuts))
        assert all(0 < cut < size for cut in cuts)
        assert bool(cuts) == (target < size - 20)
        edges = [0, *cuts, size]
        pieces = [
            read(path, columns, options, start=start, length=end - start) for start, end in pairwise(edges)
        ]
        assert [row for piece in pieces for row in piece] == whole
    assert FORMAT.sliceable("x.csv", TableOptions({}))
    assert not FORMAT.sliceable("x.csv.gz", TableOptions({}))
    assert not FORMAT.sliceable("x.csv", TableOptions({"lineSep": "|"}))


def test_a_compressed_file_without_its_ending_is_not_cut(tmp_path: Path) -> None:
    path = content(tmp_path, gzip.compress(b"1,2\n" * 1000))
    assert FORMAT.cuts(storage_for(qualify(tmp_path)), qualify(path), 100, 10, TableOptions({})) == []


def test_batches_have_at_most_the_rows_asked_for(tmp_path: Path) -> None:
    path = content(tmp_path, b"1,2\n" * 25)
    request = ReadRequest("t", TWO, TWO, batch_rows=10)
    batches = FORMAT.read(storage_for(qualify(tmp_path)), FileSlice(qualify(path)), request)
    assert [batch.num_rows for batch in batches] == [10, 10, 5]


DIALECTS = [
    {}, {"escape": '"'}, {"nullvalue": "\\N"}, {"nullvalue": "a"}, {"lineSep": "\r\n"}, {"sep": "ab"},
    {"sep": "||", "lineSep": "#"}, {"sep": "aa"}, {"lineSep": "aa", "sep": "\n"},
    {"sep": "ab", "lineSep": "bc"}, {"quote": "é"}, {"quote": "b", "escape": "c", "sep": "a"},
]  # fmt: skip
# A longer search: HYPOTHESIS_EXAMPLES=20000.
MANY = int(os.environ.get("HYPOTHESIS_EXAMPLES", "600"))
PIECES = st.sampled_from(
    [b'"', b'"', b",", b",", b"\n", b"\n", b"\r", b"\\", b"a", b"b", b"c", b"||", b"#", b" ", b"\\N", b'""',
     "é".encode(), b"\xff", b"\xef\xbb\xbf", b"\t", b"\x00", b"\r\n", b'",', b'\n"', b',"']
)  # fmt: skip


@settings(max_examples=MANY, deadline=None)
@given(st.lists(PIECES, max_size=24).map(b"".join), st.sampled_from(DIALECTS), st.integers(1, 3))
def test_both_parsers_find_the_same_fields(block: bytes, options: dict[str, str], columns: int) -> None:
    records = Records(Dialect.of(TableOptions(options)))
    wanted = list(range(columns))
    try:
        exact = csv_parser.parse_exactly(block, records, columns, wanted)
    except UnclosedQuoteError:
        return  # never handed to Arrow
    quick = csv_parser.parse_by_arrow(block, records, columns, wanted)
    if quick is not None:
        assert quick.rows == exact.rows
        assert {at: texts.to_pylist() for at, texts in quick.texts.items()} == {
            at: texts.to_pylist() for at, texts in exact.texts.items()
        }
        assert not exact.broken


@settings(max_examples=MANY, deadline=None)
@given(
    st.lists(PIECES, max_size=24).map(b"".join),
    st.sampled_from(DIALECTS),
    st.lists(st.integers(1, 9), min_size=1),
)
def test_blocks_end_where_records_end(data: bytes, options: dict[str, str], sizes: list[int]) -> None:
    records = Records(Dialect.of(TableOptions(options)))
    chunks, at = [], 0
    while at < len(data):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(data[at : at + size])
        at += size
    try:
        whole = records.rows(data.removeprefix(csv_parser.BOM), 2)
    except UnclosedQuoteError:
        with pytest.raises(UnclosedQuoteError):
            _rows_of(chunks, records)
        return
    assert _rows_of(chunks, records) == whole


def _rows_of(chunks: list[bytes], records: Records) -> list[Any]:
    return [row for _, block in csv_parser.record_blocks(chunks, records) for row in records.rows(block, 2)]


TEXTS = st.one_of(st.none(), st.text(st.sampled_from('a,"\\\n\r |#\ufeffé;N'), max_size=6))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8), st.sampled_from(DIALECTS[:9]), st.booleans())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: Rows, options: dict[str, str], one_column: bool
) -> None:
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    columns = [Field(0, "a", StringType())] if one_column else TWO
    expected = [row[:1] for row in rows] if one_column else rows
    write(path, columns, expected, options)
    assert read(path, columns, options) == expected

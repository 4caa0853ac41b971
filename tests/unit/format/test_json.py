"""JSON: what a line means, and that Arrow is asked only where it agrees."""

from __future__ import annotations

import datetime
import gzip
import json
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
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.json import FORMAT
from spark_paimon.format.json_parser import ArrowJson
from spark_paimon.format.json_values import Assembler, objects_of
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    Field,
    IntType,
    MapType,
    MultisetType,
    RowType,
    StringType,
    VariantType,
    parse_type,
    to_arrow,
)
from spark_paimon.storage import qualify, storage_for

Rows = list[tuple[Any, ...]]
UTC = datetime.timezone.utc


def fields(**types: Any) -> list[Field]:
    return [Field(at, name, parse_type(kind)) for at, (name, kind) in enumerate(types.items())]


def content(tmp_path: Path, data: bytes | str, name: str = "x.json") -> Path:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


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


def write(
    path: Path,
    columns: Sequence[Field],
    rows: Rows,
    options: Mapping[str, str] | None = None,
    codec: str = "none",
) -> bytes:
    storage = storage_for(qualify(path.parent))
    writer = FORMAT.open_writer(storage, qualify(path), WriteRequest("db.t", columns, codec, options or {}))
    names = [column.name for column in columns]
    writer.write(
        pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows], to_arrow(columns))
    )
    writer.close()
    return path.read_bytes()


A = fields(a="INT")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("\ufeff", []),
        ('\ufeff{"a":1}', [(1,)]),
        ('{"a":1}\r\n{"a":2}\r\n', [(1,), (2,)]),
        ('{"a":1}\n\n  \n{"a":2}', [(1,), (2,)]),
        ('{}\n{"b":{"a":3}}\n{"a":null}', [(None,), (None,), (None,)]),
        ('{"a":"7"}\n{"a":8}', [(7,), (8,)]),
        ('{"a":1,"a":2}', [(2,)]),
        ('{"a":1,"b":2,"b":[]}', [(1,)]),
        ('{"b":"}\\n{","a":1}', [(1,)]),
    ],
)
def test_what_a_file_means(tmp_path: Path, text: str, rows: Rows) -> None:
    assert read(content(tmp_path, text), A) == rows


MALFORMED = [
    '{"a":1}{"a":2}',
    '{"a":1} {"a":2}',
    '{"a":1} x',
    '[{"a":1}]',
    "3",
    "null",
    '"x"',
    "{",
    '{"a":4.5}',
    '{"a":1e2}',
    '{"a":2147483648}',
    '{"a":"x"}',
    '{"a":{}}',
    '{"a":[1]}',
    '{"a":true}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":1} null {"a":2}',
    '{"b":"\\ud800"}',
    '{"a":01}',
    '{"a":NaN}',
    '{"b":"\t"}',
    "\ufeff{}",
    '{"a":""}',
]


@pytest.mark.parametrize(
    "line", [*(line.encode() for line in MALFORMED), b'{"b":"\xff"}', b"[" * 100_000], ids=repr
)
def test_p82_a_malformed_line_is_an_error_or_a_row_of_nulls(tmp_path: Path, line: bytes) -> None:
    path = content(tmp_path, b'{"a":1}\n' + line + b'\n{"a":3}\n')
    with pytest.raises(errors.IllegalStateError, match=r"x\.json' of db\.t has .* at line 2: "):
        read(path, A)
    assert read(path, A, {"json.ignore-parse-errors": "true"}) == [(1,), (None,), (3,)]


def test_p82_keys_match_exactly_and_then_ignoring_case(tmp_path: Path) -> None:
    path = content(tmp_path, '{"A":1}\n{"A":1,"a":2}\n{"a":2,"A":1}\n{"\\u0041":4}\n')
    assert read(path, A) == [(1,), (2,), (2,), (4,)]
    assert read(path, A, case_sensitive=True) == [(None,), (2,), (2,), (None,)]
    nested = fields(r={"type": "ROW", "fields": [{"id": 1, "name": "X", "type": "INT"}]})
    assert read(content(tmp_path, '{"R":{"x":1}}'), nested) == [({"X": 1},)]


def test_p81_a_bom_is_skipped_and_other_encodings_are_refused(tmp_path: Path) -> None:
    path = content(tmp_path, '{"a":1}\n'.encode("utf-16"))
    with pytest.raises(errors.IllegalStateError, match="FILE_RECORD_MALFORMED.*at line 1"):
        read(path, A)


@pytest.mark.parametrize("delimiter", ["\n", "||", "\r\n", "#", "aba"])
def test_p81_any_line_delimiter(tmp_path: Path, delimiter: str) -> None:
    options, columns = {"json.line-delimiter": delimiter}, fields(x="INT", y="STRING")
    rows: Rows = [(1, "é"), (None, None), (3, "\n\r")]
    assert write(tmp_path / "w", columns, rows, options).decode().count(delimiter) == 3
    assert read(tmp_path / "w", columns, options) == rows
    if delimiter in ("||", "#", "aba"):
        with pytest.raises(errors.InvalidInputError, match="FILE_VALUE_REFUSED.*json.line-delimiter"):
            write(tmp_path / "v", columns, [(1, f"x{delimiter}")], options)


def test_p84_a_gzip_file_without_its_ending_is_read_and_a_foreign_file_refused(tmp_path: Path) -> None:
    assert read(content(tmp_path, gzip.compress(b'{"a":1}\n')), A) == [(1,)]
    with pytest.raises(errors.IllegalStateError, match="should be JSON, but is ORC"):
        read(content(tmp_path, b"ORC\x08\x03" + bytes(30)), A)


def test_what_is_malformed_does_not_depend_on_the_selected_columns(tmp_path: Path) -> None:
    columns = fields(a="INT", b="DATE")
    path = content(tmp_path, '{"a":1,"b":"2024-01-01"}\n{"a":2,"b":"x"}\n')
    with pytest.raises(errors.IllegalStateError, match="line 2: the value of b is no DATE"):
        read(path, columns, selected=columns[:1])
    assert read(path, columns, {"json.ignore-parse-errors": "true"}, selected=columns[:1]) == [(1,), (None,)]


def test_a_column_that_is_not_null_must_be_there(tmp_path: Path) -> None:
    columns = fields(a="INT NOT NULL")
    with pytest.raises(errors.IllegalStateError, match="FILE_COLUMN_MISSING.*no column a"):
        read(content(tmp_path, '{"b":1}'), columns)
    with pytest.raises(errors.IllegalStateError, match="column a is NOT NULL"):
        read(content(tmp_path, '{"a":1}\n{}\n'), columns)


SCALARS = {
    "c0": "BOOLEAN",
    "c1": "TINYINT",
    "c2": "SMALLINT",
    "c3": "INT",
    "c4": "BIGINT",
    "c5": "FLOAT",
    "c6": "DOUBLE",
    "c7": "DECIMAL(38, 38)",
    "c8": "CHAR(3)",
    "c9": "STRING",
    "d0": "BINARY(2)",
    "d1": "BYTES",
    "d2": "DATE",
    "d3": "TIME(6)",
    "d4": "TIMESTAMP(0)",
    "d5": "TIMESTAMP(6)",
    "d6": "TIMESTAMP(3) WITH LOCAL TIME ZONE",
}
EXTREMES: Rows = [
    (
        True,
        -128,
        -32768,
        -(2**31),
        -(2**63),
        0.1,
        5e-324,
        Decimal("0." + "9" * 38),
        "a  ",
        "\U0001f600\x00\x1f",
        b"\x00\xff",
        b"",
        datetime.date(1, 1, 1),
        datetime.time(0, 0, 0, 1),
        datetime.datetime(1582, 10, 10),
        datetime.datetime(1, 1, 1),
        datetime.datetime(1, 1, 1, tzinfo=UTC),
    ),
    (
        False,
        127,
        32767,
        2**31 - 1,
        2**63 - 1,
        -1.5,
        1.7976931348623157e308,
        Decimal("-1E-38"),
        "",
        '"\\\n\u2028\t',
        b"ab",
        b"\n,",
        datetime.date(9999, 12, 31),
        datetime.time(12),
        datetime.datetime(2262, 5, 1),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime.datetime(1500, 1, 1, 1, 2, 3, 4000, UTC),
    ),
    (None,) * len(SCALARS),
]


@pytest.mark.parametrize("codec", FORMAT.codecs)
def test_every_scalar_comes_back(tmp_path: Path, codec: str) -> None:
    columns = fields(**SCALARS)
    write(tmp_path / f"x{FORMAT.extension(codec)}", columns, EXTREMES, codec=codec)
    found = read(tmp_path / f"x{FORMAT.extension(codec)}", columns)
    assert [row[:5] + row[6:] for row in found] == [row[:5] + row[6:] for row in EXTREMES]
    assert [row[5] for row in found] == [pytest.approx(0.1), -1.5, None]


def test_numbers_are_scalars_and_the_rest_strings_decimals_too(tmp_path: Path) -> None:
    columns = fields(i="INT", d="DECIMAL(5, 2)", f="DOUBLE", b="BOOLEAN", s="STRING", t="DATE")
    written = write(
        tmp_path / "x",
        columns,
        [(1, Decimal("0.5"), float("nan"), True, 'a"', datetime.date(2024, 1, 6)), (None,) * 6],
    )
    assert written.decode().splitlines() == [
        '{"i":1,"d":"0.50","f":"NaN","b":true,"s":"a\\"","t":"2024-01-06"}',
        '{"i":null,"d":null,"f":null,"b":null,"s":null,"t":null}',
    ]


def test_floating_point_oddities_come_back(tmp_path: Path) -> None:
    columns = fields(f="FLOAT", d="DOUBLE")
    rows = [
        (float("inf"), float("-inf")),
        (float("-inf"), float("inf")),
        (float("nan"), float("nan")),
        (1e20, -0.0),
    ]
    assert b'"d":-0.0}' in write(tmp_path / "x", columns, rows)  # as Spark writes it
    assert repr(read(tmp_path / "x", columns)) == repr(
        [*rows[:3], (pa.scalar(1e20, pa.float32()).as_py(), -0.0)]
    )
    assert read(content(tmp_path, '{"d":Infinity}'), columns) == [(None, float("inf"))]
    for line in ('{"f":1e39}', '{"d":1e400}', '{"d":"1e400"}'):
        with pytest.raises(errors.IllegalStateError, match="malformed"):
            read(content(tmp_path, line), columns)


NESTED = fields(
    l={"type": "ARRAY", "element": {"type": "ARRAY", "element": "DATE"}},
    m={"type": "MAP", "key": "STRING", "value": {"type": "MAP", "key": "DATE", "value": "INT"}},
    s={"type": "MULTISET", "element": "TIMESTAMP(0)"},
    r={
        "type": "ROW",
        "fields": [
            {"id": 5, "name": 'x"', "type": "DOUBLE"},
            {"id": 6, "name": "y", "type": {"type": "ARRAY", "element": "STRING"}},
        ],
    },
)
DAY = datetime.date(2024, 1, 6)
NESTED_ROWS: Rows = [
    (
        [[DAY, None], None, []],
        [("a", [(DAY, 1)]), ('"', None), ("", [])],
        [(datetime.datetime(1, 1, 1), 2)],
        {'x"': float("inf"), "y": ["\n", None]},
    ),
    ([], [], [], {'x"': None, "y": None}),
    (None, None, None, None),
]


def test_nested_values_come_back(tmp_path: Path) -> None:
    written = write(tmp_path / "x", NESTED, NESTED_ROWS)
    assert json.loads(written.splitlines()[0]) == {
        "l": [["2024-01-06", None], None, []],
        "m": {"a": {"2024-01-06": 1}, '"': None, "": {}},
        "s": {"0001-01-01 00:00:00": 2},
        "r": {'x"': "Infinity", "y": ["\n", None]},
    }
    assert read(tmp_path / "x", NESTED) == NESTED_ROWS


def test_a_part_of_a_batch_is_written_right(tmp_path: Path) -> None:
    schema = to_arrow(NESTED)
    names = schema.names
    batch = pa.RecordBatch.from_pylist(
        [dict(zip(names, row, strict=True)) for row in NESTED_ROWS * 3], schema
    )
    storage = storage_for(qualify(tmp_path))
    writer = FORMAT.open_writer(storage, qualify(tmp_path / "x"), WriteRequest("t", NESTED, "none"))
    writer.write(batch.slice(2, 4))
    writer.close()
    assert read(tmp_path / "x", NESTED) == (NESTED_ROWS * 3)[2:6]


def test_lists_and_structs_take_the_fast_way(tmp_path: Path) -> None:
    columns = fields(
        l={"type": "ARRAY", "element": "INT"},
        r={"type": "ROW", "fields": [{"id": 5, "name": "x", "type": "DECIMAL(5, 2)"}]},
        d={"type": "ARRAY", "element": "DOUBLE"},
    )
    for decimal in ("1.5", '"1.5"'):
        block = f'{{"l":[1,null],"r":{{"x":{decimal}}},"d":[0.1,1]}}\n{{"l":null,"r":{{}}}}'.encode()
        found = ArrowJson(columns, False, "UTC").columns(block, b"\n")
        assert found is not None
        assert [array.to_pylist() for array in found] == [
            [[1, None], None],
            [{"x": Decimal("1.50")}, {"x": None}],
            [[0.1, 1.0], None],
        ]
    for value in ("Inf", "-NaN"):
        assert ArrowJson(columns, False, "UTC").columns(f'{{"z":{value}}}'.encode(), b"\n") is None
    for value in ("NaN", "Infinity", "Inf", '"1"', "1e400"):
        assert ArrowJson(columns, False, "UTC").columns(f'{{"d":[{value}]}}'.encode(), b"\n") is None


def test_slices_are_sewn_together_at_lines(tmp_path: Path) -> None:
    path = content(tmp_path, "".join(f'{{"a":{at}}}\n' + "\n" * (at % 3) for at in range(500)))
    size = path.stat().st_size
    storage = storage_for(qualify(tmp_path))
    for target in (1, 7, 100, size - 1, size, size * 2):
        cuts = FORMAT.cuts(storage, qualify(path), size, target, TableOptions({}))
        pieces = [read(path, A, start=at, length=end - at) for at, end in pairwise([0, *cuts, size])]
        assert [row for piece in pieces for row in piece] == [(at,) for at in range(500)]
    packed = content(tmp_path, gzip.compress(path.read_bytes()), "y.json")
    assert FORMAT.cuts(storage, qualify(packed), size, 10, TableOptions({})) == []
    assert len(read(packed, A, length=packed.stat().st_size)) == 500


def test_counting_reads_no_columns(tmp_path: Path) -> None:
    path = content(tmp_path, '{"a":1}\n{"a":2}\n')
    request = ReadRequest("t", A, [])
    batches = FORMAT.read(storage_for(qualify(tmp_path)), FileSlice(qualify(path)), request)
    assert [batch.num_rows for batch in batches] == [2]


def test_variant_is_refused() -> None:
    with pytest.raises(errors.UnsupportedError, match="FORMAT_TYPE_UNSUPPORTED.*JSON.*column x of db.t"):
        FORMAT.check([Field(0, "x", ArrayType(VariantType()))], TableOptions({}), "db.t")


@pytest.mark.parametrize(
    ("kind", "codec", "options", "right"),
    [
        (StringType(), "gzip", {}, True),
        (MapType(StringType(), IntType()), "none", {}, True),
        (MapType(IntType(), IntType()), "none", {}, False),
        (ArrayType(MultisetType(IntType())), "none", {}, False),
        (parse_type("TIME(3)"), "none", {}, False),
        (parse_type("DECIMAL(5, 2)"), "none", {}, False),
        (ArrayType(RowType((Field(1, "x", parse_type("DECIMAL(5, 2)")),))), "none", {}, False),
        (StringType(), "zstd", {}, False),
        (StringType(), "none", {"json.line-delimiter": "|"}, False),
    ],
)
def test_where_spark_writes(kind: Any, codec: str, options: dict[str, str], right: bool) -> None:
    why = FORMAT.why_python_writes([Field(0, "a", kind)], TableOptions(options), codec)
    assert (why is None) == right


COLUMNS = fields(a="INT", b="STRING", c="DOUBLE", d="DECIMAL(4, 1)", e="BOOLEAN", f="FLOAT", g="DATE")
VALUES = st.sampled_from(
    [
        "1",
        '"1"',
        "null",
        "true",
        '"true"',
        "1.0",
        '"1.5"',
        "1.25",
        "1e2",
        "-0",
        "1e39",
        "1e400",
        '"NaN"',
        "NaN",
        "Inf",
        "-Infinity",
        "-NaN",
        '"x"',
        '"\\ud800"',
        '"\\u0041"',
        "[]",
        "{}",
        '"2024-01-06"',
        '""',
        "+1",
        "01",
        '"+1"',
        '".5"',
        '"1e1"',
        '" 1"',
        '"0x1"',
        "Infinity",
    ]
)
KEYS = st.sampled_from(['"a"', '"b"', '"c"', '"d"', '"e"', '"f"', '"g"', '"A"', '"z"', '"\\u0061"'])
OBJECTS = st.lists(st.tuples(KEYS, VALUES), max_size=4).map(
    lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
)
LINES = st.one_of(
    OBJECTS, OBJECTS, OBJECTS, st.sampled_from(["", " ", "\r", "{}{}", "{", "}", "{} null {}", "x"])
)


@settings(max_examples=1200, deadline=None)
@given(st.lists(LINES, max_size=4).map("\n".join), st.booleans())
def test_arrow_is_asked_only_where_it_agrees(text: str, case_sensitive: bool) -> None:
    block = text.encode()
    quick = ArrowJson(COLUMNS, case_sensitive, "UTC").columns(block, b"\n")
    if quick is None:
        return
    objects, _, wrong = objects_of(block, b"\n")
    assembler = Assembler(case_sensitive, "UTC")
    exact = assembler.columns(objects, COLUMNS)
    assert not wrong
    assert not assembler.wrong
    assert repr([array.to_pylist() for array in quick]) == repr([array.to_pylist() for array in exact])

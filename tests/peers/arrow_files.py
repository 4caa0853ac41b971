"""Files as pyarrow writes and reads them when nobody asks it for anything special, and its special ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from spark_paimon.schema import Field, to_arrow

PARQUET_VARIANTS = ("default", "int96", "large", "views", "dictionary", "format 1.0")


def write_parquet(path: Path, table: pa.Table, variant: str = "default", compression: str = "snappy") -> None:
    """One Parquet file.

    Parameters
    ----------
    variant
        ``int96`` for timestamps as Impala and old Spark store them, ``large``, ``views`` and ``dictionary``
        for Arrow types that the file remembers, ``format 1.0`` for what the oldest readers know.
    """
    import pyarrow.parquet

    if variant == "large":
        table = _with_types(table, _large)
    elif variant == "views":
        table = _with_types(table, lambda kind: pa.string_view() if pa.types.is_string(kind) else kind)
    elif variant == "dictionary":
        table = _with_types(
            table, lambda kind: pa.dictionary(pa.int32(), kind) if pa.types.is_string(kind) else kind
        )
    pyarrow.parquet.write_table(
        table,
        path,
        compression=compression,
        use_deprecated_int96_timestamps=variant == "int96",
        version="1.0" if variant == "format 1.0" else "2.6",
        # A few pages and row groups instead of one.
        row_group_size=20,
    )


def read_parquet(path: Path, fields: Sequence[Field]) -> pa.Table:
    """Rows of a Parquet file, as the columns of a table."""
    import pyarrow.parquet

    # Each file by itself: a directory would add columns.
    with pyarrow.parquet.ParquetFile(path) as file:
        return as_columns(file.read(), fields)


def writes_orc(field: Field) -> bool:
    """Whether pyarrow can store a column in ORC; its timestamps are nanoseconds."""
    return not _mentions(field, pa.types.is_time)


def write_orc(path: Path, table: pa.Table, compression: str = "zstd") -> None:
    """One ORC file; columns with a zone are stored as such, the others as timestamps without one."""
    import pyarrow.orc

    pyarrow.orc.write_table(table, path, compression=compression, stripe_size=4096, batch_size=16)


def read_orc(path: Path, fields: Sequence[Field]) -> pa.Table:
    """Rows of an ORC file, as the columns of a table."""
    import pyarrow.orc

    return as_columns(pyarrow.orc.read_table(path), fields)


def writes_csv(field: Field) -> bool:
    """Whether pyarrow writes a column as text that has its meaning: bytes it writes as they are."""
    return not _mentions(field, lambda kind: pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind))


def write_csv(
    path: Path, table: pa.Table, header: bool = True, delimiter: str = ",", quoting: str = "needed"
) -> None:
    """One CSV file; quotes are doubled, NULL is nothing and the empty string two quotes."""
    import pyarrow.csv

    options = pyarrow.csv.WriteOptions(include_header=header, delimiter=delimiter, quoting_style=quoting)
    pyarrow.csv.write_csv(table, path, options)


def read_csv(path: Path, fields: Sequence[Field], escape: str | bool = "\\", double: bool = True) -> pa.Table:
    """Rows of a CSV file without header; NULL is nothing, two quotes are the empty string."""
    import pyarrow.csv

    schema = to_arrow(fields)
    return as_columns(
        pyarrow.csv.read_csv(
            path,
            pyarrow.csv.ReadOptions(column_names=schema.names),
            pyarrow.csv.ParseOptions(escape_char=escape, double_quote=double, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=schema,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        ),
        fields,
    )


def read_json(path: Path, fields: Sequence[Field]) -> pa.Table:
    """Rows of a file of JSON lines, by a reader that wants JSON's own numbers and Booleans."""
    import pyarrow.json

    options = pyarrow.json.ParseOptions(explicit_schema=to_arrow(fields), newlines_in_values=False)
    return as_columns(pyarrow.json.read_json(path, parse_options=options), fields)


def as_columns(table: pa.Table, fields: Sequence[Field]) -> pa.Table:
    """Cast to the types of columns, e.g. seconds that were stored as milliseconds; a lossy cast fails."""
    schema = to_arrow(fields)
    return table.select(schema.names).cast(schema)


def _mentions(field: Field, applies: Callable[[pa.DataType], bool]) -> bool:
    def within(kind: pa.DataType) -> bool:
        return applies(kind) or any(within(kind.field(at).type) for at in range(kind.num_fields))

    return within(to_arrow([field]).field(0).type)


def _with_types(table: pa.Table, change: Callable[[pa.DataType], pa.DataType]) -> pa.Table:
    fields = [field.with_type(change(field.type)) for field in table.schema]
    columns = [
        column.dictionary_encode() if pa.types.is_dictionary(field.type) else column.cast(field.type)
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _large(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string(kind):
        return pa.large_string()
    if pa.types.is_binary(kind):
        return pa.large_binary()
    if pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type):
        return pa.large_list(kind.value_field.with_type(_large(kind.value_type)))
    return kind

"""Arrow arrays as pyarrow's ORC writer needs them.

It has two faults that make it write other rows than it is given, without a word: it forgets that a struct
begins in the middle of its buffers, and it takes what stands in the fields of a NULL struct inside of another
struct for a value. Neither matters to a struct that begins at the beginning and whose NULLs are NULL in its
fields too.

ORC has no times of the day: they are stored as the numbers of their milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def for_orc(array: pa.Array) -> pa.Array:
    """The same values for the writer; copied only where structs have an offset or NULLs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = pa.array([{"a": 1}, {"a": 2}]).slice(1)
    >>> rows.offset, for_orc(rows).offset, for_orc(rows).to_pylist()
    (1, 0, [{'a': 2}])
    """
    import pyarrow as pa
    from pyarrow import compute, types

    kind = array.type
    if types.is_time32(kind):
        return array.view(pa.int32())
    if types.is_struct(kind):
        children = [array.field(at) for at in range(kind.num_fields)]
        if array.null_count or any(child.offset for child in children):
            rows = pa.array(range(len(array)), pa.int64())
            rows = compute.if_else(array.is_valid(), rows, pa.scalar(None, pa.int64()))
            children = [child.take(rows) for child in children]
        children = [for_orc(child) for child in children]
        fields = [kind.field(at).with_type(child.type) for at, child in enumerate(children)]
        fields = [field.with_nullable(True) for field in fields]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    if types.is_list(kind):
        values = for_orc(array.values)
        result: Any = pa.list_(kind.value_field.with_type(values.type))
        return pa.Array.from_buffers(result, len(array), array.buffers()[:2], -1, array.offset, [values])
    if types.is_map(kind):
        keys, items = for_orc(array.keys), for_orc(array.items)
        result = pa.map_(kind.key_field.with_type(keys.type), kind.item_field.with_type(items.type))
        entries = pa.StructArray.from_arrays([keys, items], fields=[result.key_field, result.item_field])
        return pa.Array.from_buffers(result, len(array), array.buffers()[:2], -1, array.offset, [entries])
    return array

"""Blocks of whole lines of a text file, or of a part of it."""

from __future__ import annotations

from collections.abc import Iterator

from spark_paimon.format.base import FileSlice
from spark_paimon.format.compressed import TextInput, codec_of_name
from spark_paimon.storage import Storage

# Arrow parses JSON faster from pieces that stay in the processor's cache.
_CHUNK = 512 << 10
BOM = b"\xef\xbb\xbf"


def line_blocks(
    storage: Storage, file: FileSlice, table: str, format_name: str, delimiter: bytes
) -> Iterator[bytes]:
    """Read the lines that begin inside a slice; every block but the last ends with the delimiter.

    A BOM at the beginning of the file is left out. A part of a compressed file is the whole of it.

    Raises
    ------
    IllegalStateError
        ``FILE_FORMAT_MISMATCH``, ``FILE_UNREADABLE``.
    """
    with TextInput(storage, file, table, format_name) as text:
        limit = file.start + file.length if text.codec == "none" and file.length >= 0 else -1
        # The line that begins exactly at the start is ours, so the delimiter before it has to be seen.
        begin = max(0, file.start - len(delimiter))
        chunks = text.chunks(begin, _CHUNK)
        yield from _blocks(chunks, delimiter, begin, limit, inside_line=file.start > 0)


def _blocks(
    chunks: Iterator[bytes], delimiter: bytes, begin: int, limit: int, *, inside_line: bool
) -> Iterator[bytes]:
    buffer = bytearray()
    at = begin  # offset of the buffer in the file
    at_beginning = begin == 0 and not inside_line
    for chunk in chunks:
        known = max(0, len(buffer) - len(delimiter) + 1)
        buffer += chunk
        if at_beginning:
            if len(buffer) < len(BOM):
                continue
            if buffer.startswith(BOM):
                at += _drop(buffer, len(BOM))
            known, at_beginning = 0, False
        if inside_line:
            found = buffer.find(delimiter, known)
            if found < 0:
                continue
            at += _drop(buffer, found + len(delimiter))
            inside_line, known = False, 0
        if 0 <= limit <= at:
            return
        if 0 <= limit <= at + len(buffer):
            end = buffer.find(delimiter, max(0, limit - len(delimiter) - at))
            if end >= 0:
                yield bytes(buffer[: end + len(delimiter)])
                return
            continue
        end = _last_end(buffer, delimiter, known)
        if end:
            yield bytes(buffer[:end])
            at += _drop(buffer, end)
    if buffer and not inside_line and not (at_beginning and buffer == BOM) and not 0 <= limit <= at:
        yield bytes(buffer)


def _drop(buffer: bytearray, length: int) -> int:
    del buffer[:length]
    return length


def _last_end(buffer: bytearray, delimiter: bytes, known: int) -> int:
    """Offset behind the last delimiter; 0 when there is none. Before `known` none begins."""
    found = buffer.rfind(delimiter, known)
    if found < 0:
        return 0
    if any(delimiter.endswith(delimiter[:at]) for at in range(1, len(delimiter))):
        # Delimiters that can overlap are told apart from the left.
        return len(buffer) - len(bytes(buffer).split(delimiter)[-1])
    return found + len(delimiter)


def plain_cuts(storage: Storage, path: str, size: int, target: int, format_name: str) -> list[int]:
    """Multiples of a target size: :func:`line_blocks` finds the lines from any offset."""
    if codec_of_name(path) != "none":
        return []
    with TextInput(storage, FileSlice(path), "", format_name) as text:
        return list(range(target, size, target)) if text.codec == "none" else []

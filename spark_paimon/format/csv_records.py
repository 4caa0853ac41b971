"""Where CSV records end, and what their fields are: the exact rules.

A field that begins with the quote ends with the next quote that is neither doubled nor escaped; what follows
it up to the delimiter belongs to the field as well. In any other field a quote is a character. The escape
character means something inside quotes only, before a quote or another escape character.

Blocks of bytes that are examined here begin where a record begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from spark_paimon.format.csv_dialect import Dialect

#: A row: the bytes of its fields, None for NULL.
Row = list[bytes | None]


class UnclosedQuoteError(ValueError):
    """A quoted field goes on up to the end of the file."""


class Records:
    r"""Records of one dialect.

    Examples
    --------
    >>> from spark_paimon.options import TableOptions
    >>> records = Records(Dialect.of(TableOptions({})))
    >>> records.rows(b'1,"a\n""b"\n,\n', 2)
    [[b'1', b'a\n"b'], [None, None]]
    >>> records.last_end(b'1,2\n3,"x\n')
    4
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._line_ends = (b"\r\n", b"\n") if dialect.line == b"\n" else (dialect.line,)

    @cached_property
    def _body(self) -> bytes:
        """Pattern of what stands between two quotes."""
        quote, escape = re.escape(self.dialect.quote), re.escape(self.dialect.escape)
        if len(self.dialect.quote) == len(self.dialect.escape) == 1:
            plain = b"[^" + quote + escape + b"]"
        else:
            plain = b"(?:(?!" + quote + b"|" + escape + rb")[\s\S])"
        special = quote + quote
        if self.dialect.escape != self.dialect.quote:
            special += b"|" + escape + b"(?:" + quote + b"|" + escape + b")?"
        return plain + b"*(?:(?:" + special + b")" + plain + b"*)*"

    @cached_property
    def _field_pattern(self) -> re.Pattern[bytes]:
        quote = re.escape(self.dialect.quote)
        ends = b"|".join(re.escape(end) for end in (self.dialect.field, *self._line_ends))
        quoted = b"(?:" + quote + b"(?P<body>" + self._body + b")(?P<closed>" + quote + b")?)?"
        return re.compile(quoted + rb"(?P<rest>[\s\S]*?)(?P<end>" + ends + rb"|\Z)")

    @cached_property
    def _quoted_pattern(self) -> re.Pattern[bytes]:
        quote = re.escape(self.dialect.quote)
        before = rb"\A|" + re.escape(self.dialect.field) + b"|" + re.escape(self.dialect.line)
        return re.compile(b"(?P<before>" + before + b")" + quote + self._body + b"(?:" + quote + b")?")

    @cached_property
    def _unquote_pattern(self) -> re.Pattern[bytes]:
        quote, escape = re.escape(self.dialect.quote), re.escape(self.dialect.escape)
        doubled = quote + b"(" + quote + b")"
        if self.dialect.escape == self.dialect.quote:
            return re.compile(doubled + b"()")
        return re.compile(doubled + b"|" + escape + b"(" + quote + b"|" + escape + b")")

    def rows(self, block: bytes, columns: int) -> list[Row]:
        """Fields of all records of a block; the last record may lack its line end.

        A blank line of a table of several columns is a row without fields.

        Raises
        ------
        UnclosedQuoteError
            The last field is quoted, and its closing quote is missing.
        """
        if self.dialect.quote not in block and self.dialect.separable:
            return self._plain_rows(block, columns)
        rows: list[Row] = []
        row: Row = []
        null = self.dialect.null
        for found in self._field_pattern.finditer(block):
            if found.start() == len(block) and not row:
                break
            body, rest, end = found["body"], found["rest"], found["end"]
            if body is None:
                row.append(None if rest == null else rest)
            elif found["closed"] is None:
                raise UnclosedQuoteError("a quote is never closed")
            else:
                row.append(self._unquote_pattern.sub(_kept, body) + rest)
            if end != self.dialect.field:
                blank = len(row) == 1 and body is None and not rest and columns > 1
                rows.append([] if blank else row)
                row = []
        return rows

    def _plain_rows(self, block: bytes, columns: int) -> list[Row]:
        lines = block.split(self.dialect.line)
        last = lines.pop()
        if len(self._line_ends) > 1:
            lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
        if last:
            lines.append(last)
        field, null = self.dialect.field, self.dialect.null
        return [
            [None if value == null else value for value in line.split(field)] if line or columns == 1 else []
            for line in lines
        ]

    def last_end(self, block: bytes) -> int:
        """Offset behind the last complete record of a block; 0 when there is none."""
        line = self.dialect.line
        for start, end in self._open_spans(block, backwards=True):
            at = block.rfind(line, start, end)
            if at >= 0:
                return at + len(line)
        return 0

    def first_end(self, block: bytes, position: int) -> int:
        """Offset of the first end of a record that is not before a position; -1 when there is none."""
        line = self.dialect.line
        for start, end in self._open_spans(block):
            if end >= position:
                at = block.find(line, max(start, position - len(line)), end)
                if at >= 0:
                    return at + len(line)
        return -1

    def doubled(self, block: bytes) -> bytes:
        """The block with every escaped quote doubled instead, and escaped escapes plain; simple dialects."""
        quote, escape = self.dialect.quote, self.dialect.escape
        pair = re.compile(re.escape(escape) + b"(" + re.escape(quote) + b"|" + re.escape(escape) + b")")

        def respell(found: re.Match[bytes]) -> bytes:
            text = found[0]
            if escape not in text:
                return text
            return pair.sub(lambda pair: quote + quote if pair[1] == quote else escape, text)

        return self._quoted_pattern.sub(respell, block)

    def _open_spans(self, block: bytes, *, backwards: bool = False) -> Iterable[tuple[int, int]]:
        """Parts of a block in which every line delimiter ends a record, in order or the last one first."""
        if not self.dialect.separable or (self.dialect.quote in block and not self.dialect.simple):
            spans = self._field_ends(block)
        elif self.dialect.quote not in block:
            return [(0, len(block))]
        elif (parts := self._regular_parts(block)) is not None:
            return _outer_spans(parts, len(block) if backwards else 0)
        elif self._lines_are_records(block):
            return [(0, len(block))]
        else:
            spans = self._searched_spans(block)
        return reversed(list(spans)) if backwards else spans

    @cached_property
    def _record_pattern(self) -> str:
        """A line whose quoted fields are all closed, for RE2; simple dialects."""
        quote, escape, field = (
            re.escape(mark).decode("latin-1")
            for mark in (self.dialect.quote, self.dialect.escape, self.dialect.field)
        )
        inside = f"[^{quote}{escape}]|{quote}{quote}"
        if escape != quote:
            inside += f"|{escape}(?s:.)"
        # A quote behind the closing one would make the two a doubled one.
        other = f"(?:[^{quote}{field}][^{field}]*)?"
        one = f"(?:{quote}(?:{inside})*{quote}{other}|{other})"
        return f"^{one}(?:{field}{one})*$"

    def _lines_are_records(self, block: bytes) -> bool:
        """Whether no quoted field holds a line break; much faster than a search for one."""
        import pyarrow
        import pyarrow.compute

        lines = pyarrow.array(block.split(self.dialect.line)[:-1], pyarrow.binary())
        whole = pyarrow.compute.match_substring_regex(lines, self._record_pattern)
        return bool(pyarrow.compute.all(whole, min_count=0).as_py())

    def _field_ends(self, block: bytes) -> Iterator[tuple[int, int]]:
        for found in self._field_pattern.finditer(block):
            if found["end"] in self._line_ends:
                yield found.start("end"), found.end()

    def _searched_spans(self, block: bytes) -> Iterator[tuple[int, int]]:
        start = 0
        for found in self._quoted_pattern.finditer(block):
            yield start, found.end("before")
            start = found.end()
        yield start, len(block)

    def _regular_parts(self, block: bytes) -> list[bytes] | None:
        """The block cut at its quotes, if every second part lies between two quoted fields; otherwise None.

        Much faster than the pattern, and right for files whose quotes do nothing but surround fields.
        """
        quote, field, line = self.dialect.quote, self.dialect.field, self.dialect.line
        if self.dialect.escape != quote and self.dialect.escape in block:
            return None
        parts = block.split(quote)
        first = parts[0]
        if first and not first.endswith((field, line)):
            return None
        closed = len(parts) % 2 == 1
        outer = parts[2:-1:2] if closed else parts[2::2]
        if closed and parts[-1] and not parts[-1].startswith((field, *self._line_ends)):
            return None
        text = quote + quote.join(outer) + quote
        if outer and quote + quote in text:
            return None
        begun = sum(text.count(quote + end) for end in (field, *self._line_ends))
        ended = text.count(field + quote) + text.count(line + quote)
        return parts if begun == ended == len(outer) else None


def _kept(found: re.Match[bytes]) -> bytes:
    return found[1] or found[2]


def _outer_spans(parts: list[bytes], end: int) -> Iterator[tuple[int, int]]:
    """Where every second part lies, from the front (`end` is 0) or from the end of the block."""
    if not end:
        at = 0
        for number, part in enumerate(parts):
            if number % 2 == 0:
                yield at, at + len(part)
            at += len(part) + 1
        return
    for number in range(len(parts) - 1, -1, -1):
        start = end - len(parts[number])
        if number % 2 == 0:
            yield start, end
        end = start - 1

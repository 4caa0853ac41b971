"""Text files as streams of bytes, plain or compressed.

What a file is follows from the ending of its name; a file without a known ending that begins like a gzip,
zstd, bzip2 or lz4 file is one.
Hadoop's codecs snappy and lz4 put blocks into a frame of their own: the size of a
block, then chunks with the size of each, all as four bytes, the highest first.

A compressed file that ends too early is an error. Memory stays bounded: nothing holds more than some chunks.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from spark_paimon import errors
from spark_paimon.format.base import FileSlice
from spark_paimon.format.signature import CODECS, HEAD_LENGTH, TAIL_LENGTH, found_format, mismatch
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow

#: Codecs of text files, and the endings of their names.
CODEC_SUFFIXES = {
    "none": "",
    "gzip": ".gz",
    "bzip2": ".bz2",
    "deflate": ".deflate",
    "snappy": ".snappy",
    "lz4": ".lz4",
    "zstd": ".zst",
}
#: Bytes that are read, decompressed or handed on at once.
CHUNK = 4 << 20

_CODEC_OF_SUFFIX = {suffix: codec for codec, suffix in CODEC_SUFFIXES.items() if suffix}
_ARROW_CODECS = {"gzip": "gzip", "bzip2": "bz2", "zstd": "zstd", "lz4": "lz4"}
# What a block of Hadoop's frame holds at most before compression. Readers have buffers of 256 KB, in which a
# block that compression makes larger has to fit as well.
_HADOOP_BLOCK = 64 << 10
_LARGEST_BLOCK = 1 << 30
_LZ4_FRAME = b"\x04\x22\x4d\x18"
_READ_ERRORS = (OSError, ValueError, EOFError, zlib.error)
_GUESSED_RATIO = 4


def codec_of_name(path: str) -> str:
    """Codec that the ending of a file name tells.

    Examples
    --------
    >>> codec_of_name("file:/t/a.csv.gz"), codec_of_name("file:/t/a.csv"), codec_of_name("file:/t/A.ZST")
    ('gzip', 'none', 'zstd')
    """
    return _CODEC_OF_SUFFIX.get(PurePosixPath(path).suffix.lower(), "none")


class TextInput:
    """A text file that is open for reading.

    Parameters
    ----------
    file
        Which; its length does not matter here.
    table, format_name
        For messages.

    Attributes
    ----------
    codec
        By the name of the file, or by its first bytes where the name tells none.

    Raises
    ------
    IllegalStateError
        ``FILE_FORMAT_MISMATCH``: the file is visibly no text file, or compressed by another codec than its
        name says. The part at the beginning of a file is where this is checked.
    """

    def __init__(self, storage: Storage, file: FileSlice, table: str, format_name: str) -> None:
        self._file, self._table, self._format = file, table, format_name
        self._stream = storage.open_input(file.path)
        try:
            self.codec = self._checked_codec()
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> TextInput:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def _checked_codec(self) -> str:
        named = codec_of_name(self._file.path)
        if self._file.start > 0:
            return named
        head = self._stream.read(HEAD_LENGTH)
        size = self._stream.seek(0, 2)
        self._stream.seek(max(0, size - TAIL_LENGTH))
        found = found_format(head, self._stream.read(TAIL_LENGTH))
        if named == "none":
            if found in (None, *CODECS):
                return found or "none"
            raise mismatch(self._file, self._table, self._format, found)
        if found not in (None, named) and not (found == "gzip" and named == "deflate"):
            raise mismatch(self._file, self._table, f"{self._format} compressed by {named}", found)
        return named

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[bytes]:
        """Read the text piece by piece, decompressed, up to its end.

        Parameters
        ----------
        start
            Where to begin in a plain file.
        size
            Most bytes of a piece of a plain file.

        Raises
        ------
        IllegalStateError
            ``FILE_UNREADABLE``.
        """
        stream = self._stream
        try:
            if self.codec == "none":
                stream.seek(start)
                yield from iter(lambda: stream.read(size), b"")
            else:
                stream.seek(0)
                yield from _decompressed(stream, self.codec)
        except (errors.PaimonError, FileNotFoundError):
            raise
        except _READ_ERRORS as error:
            name = self._format.upper()
            raise errors.IllegalStateError(
                "FILE_UNREADABLE",
                path=self._file.path,
                table=self._table,
                format=name if self.codec == "none" else f"{self.codec} compressed {name}",
                reason=str(error) or "it ends too early",
            ) from error


def _decompressed(stream: BinaryIO, codec: str) -> Iterator[bytes]:
    head = stream.read(len(_LZ4_FRAME))
    stream.seek(0)
    if not head:
        raise EOFError("it is empty, which no compressed file is")
    if codec == "deflate":
        yield from _inflated(stream)
    elif codec == "snappy" or (codec == "lz4" and head != _LZ4_FRAME):
        yield from _hadoop_blocks(stream, codec)
    else:
        import pyarrow

        source = pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, mode="r"), _ARROW_CODECS[codec])
        yield from iter(lambda: source.read(CHUNK), b"")


def _inflated(stream: BinaryIO) -> Iterator[bytes]:
    inflater = zlib.decompressobj()
    while not inflater.eof:
        data = inflater.unconsumed_tail or stream.read(CHUNK)
        piece = inflater.decompress(data, CHUNK)
        if not data and not piece:
            raise EOFError("it ends in the middle of the compressed data")
        if piece:
            yield piece
    if inflater.unused_data or stream.read(1):
        raise ValueError("something stands behind the end of the compressed data")


def _hadoop_blocks(stream: BinaryIO, codec: str) -> Iterator[bytes]:
    while True:
        size = _frame_number(stream, may_end=True)
        if size is None:
            return
        while size > 0:
            length = _frame_number(stream)
            chunk = _exactly(stream, length or 0)
            plain = _snappy_chunk(chunk, size) if codec == "snappy" else _lz4_chunk(chunk, size)
            size -= len(plain)
            yield plain


def _frame_number(stream: BinaryIO, *, may_end: bool = False) -> int | None:
    data = stream.read(4)
    if may_end and not data:
        return None
    number = int.from_bytes(data if len(data) == 4 else _exactly(stream, 4, data), "big")
    if number > _LARGEST_BLOCK:
        raise ValueError(f"a block of {number} bytes: the file is not what its name says")
    return number


def _exactly(stream: BinaryIO, length: int, begun: bytes = b"") -> bytes:
    data = begun
    while len(data) < length:
        more = stream.read(length - len(data))
        if not more:
            raise EOFError("it ends in the middle of a block")
        data += more
    return data


def _snappy_chunk(chunk: bytes, most: int) -> bytes:
    # The plain length stands in front: seven bits a byte, the lowest first.
    length = shift = 0
    for byte in chunk[:5]:
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if not 0 < length <= most:
        raise ValueError("a snappy chunk that is larger than its block")
    return _decompress("snappy", chunk, length)


def _lz4_chunk(chunk: bytes, most: int) -> bytes:
    """Decompress a chunk of unknown length: normally all that its block still lacks."""
    plain = _decompress("lz4_raw", chunk, most)
    low, high = 0, most  # the length is behind low and at most high: a shorter buffer is refused
    probe = most - 1
    while low < high:
        try:
            plain = _decompress("lz4_raw", chunk, probe)
            high = probe
        except OSError:
            low = probe + 1
        probe = (low + high) // 2
    if high == 0:
        raise ValueError("an empty lz4 chunk")
    return plain[:high]


def _decompress(codec: str, chunk: bytes, length: int) -> bytes:
    import pyarrow

    plain: bytes = pyarrow.Codec(codec).decompress(chunk, decompressed_size=length, asbytes=True)
    return plain


class CompressedOutput:
    """A new file, written through a codec.

    Parameters
    ----------
    storage, path
        Where.
    codec
        One of :data:`CODEC_SUFFIXES`.
    level
        Level of zstd.
    """

    def __init__(self, storage: Storage, path: str, codec: str, level: int = 1) -> None:
        self._stream = storage.open_output(path)
        self._codec = codec
        self._level = level
        self._buffer = bytearray()
        self._written = 0
        self._compressor: Any = None
        if codec == "gzip":
            self._compressor = zlib.compressobj(wbits=31)
        elif codec == "deflate":
            self._compressor = zlib.compressobj()
        elif codec == "bzip2":
            import bz2

            self._compressor = bz2.BZ2Compressor()

    def write(self, data: bytes | pyarrow.Buffer) -> None:
        """Append plain bytes."""
        if self._codec == "none":
            self._put(data)
        elif self._compressor is not None:
            self._put(self._compressor.compress(data))
        else:
            self._buffer += memoryview(data)
            if len(self._buffer) >= CHUNK:
                self._flush_blocks()

    def size(self) -> int:
        """Bytes of the file so far; what is not compressed yet is estimated."""
        return self._written + len(self._buffer) // _GUESSED_RATIO

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Close the file, without completing it, when what is done inside fails."""
        try:
            yield
        except BaseException:
            self._stream.close()
            raise

    def close(self) -> None:
        """Write what is left, and close the file."""
        with self._stream:
            if self._compressor is not None:
                self._put(self._compressor.flush())
            elif self._codec != "none" and (self._buffer or not self._written):
                self._flush_blocks()

    def _put(self, data: bytes | pyarrow.Buffer) -> None:
        view = memoryview(data)
        self._stream.write(view)
        self._written += view.nbytes

    def _flush_blocks(self) -> None:
        import pyarrow

        data = bytes(self._buffer)
        self._buffer.clear()
        if self._codec == "zstd":
            self._put(pyarrow.Codec("zstd", compression_level=self._level).compress(data, asbytes=True))
            return
        codec = pyarrow.Codec("snappy" if self._codec == "snappy" else "lz4_raw")
        for at in range(0, len(data), _HADOOP_BLOCK):
            block = data[at : at + _HADOOP_BLOCK]
            packed = codec.compress(block, asbytes=True)
            self._put(len(block).to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed)
        if not data:
            self._put(b"\x00\x00\x00\x00")  # an empty block, so that the file is no truncated one

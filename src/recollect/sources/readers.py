"""Read a file into a Document: its bytes once, decoded, with "\\n" line ends; or say why it is not text.

Not here: which files to read (files), titles and chunks (chunking).
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat

from recollect.sources import notebooks, reasons
from recollect.sources.files import DEFAULT_MAX_BYTES, File
from recollect.sources.languages import PROSE, language_of
from recollect.types import Document, Skipped

HEAD_BYTES = 8192
"""How much is looked at to tell text from binary; git decides by NUL bytes in its first 8,000."""

MAX_CONTROL_SHARE = 0.05
"""More control characters than this mean binary. Terminal recordings stay under it, compressed data is at 0.1."""

MAX_HIGH_SHARE = 0.30
"""More bytes over 127 than this are no Western single-byte text: French has 0.05, Cyrillic or Chinese 0.6 and more."""

MAX_AVERAGE_LINE = 5_000
MAX_LINE = 200_000
"""Lines longer than these (in characters, on average and at all) mean minified or generated code or data."""

# O_NONBLOCK: a pipe that took the file's place would wait for a writer for ever. Windows lacks it.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# UTF-32 before UTF-16: the little-endian BOM of one begins with that of the other.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x08\x1b") + b"\x7f"
_HIGH = bytes(range(128, 256))


def read(file: File) -> Document | Skipped:
    """Read `file` and decode it; never raises for what is on disk.

    The document's size and time are those at the time of reading; `hash` is that of the raw bytes.
    `metadata` holds "encoding" when it is not UTF-8, "damaged" (characters replaced by U+FFFD) when it
    nearly is, and "notebook" for a Jupyter notebook, whose text and line numbers are those of its cells
    rendered as Markdown. A file that changed while it was being read is Skipped as unreadable.
    """
    loaded = _load(file)
    if isinstance(loaded, Skipped):
        return loaded
    data, status = loaded
    decoded = _decode(data)
    if isinstance(decoded, str):
        return Skipped(file.path, decoded)
    text, metadata = decoded
    # A NUL after the head is damage, not text: SQLite's functions would cut the text there.
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    language = language_of(file.path, text[:HEAD_BYTES])
    if file.path.endswith(".ipynb") and (rendered := notebooks.render(text)) is not None:
        text, language, metadata = rendered, "markdown", {**metadata, "notebook": True}
    if language not in PROSE and (detail := _giant_lines(text)):
        return Skipped(file.path, reasons.MINIFIED, detail)
    return Document(
        path=file.path,
        text=text,
        language=language,
        hash=hashlib.blake2b(data, digest_size=16).hexdigest(),
        size_bytes=status.st_size,
        mtime_ns=status.st_mtime_ns,
        metadata=metadata,
    )


def _load(file: File) -> tuple[bytes, os.stat_result] | Skipped:
    """The bytes of a file and its status, unless it is gone, locked, no file, grown too large, or changing."""
    limit = max(file.size_bytes, DEFAULT_MAX_BYTES)
    try:
        with open(os.open(file.absolute, _OPEN_FLAGS), "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return Skipped(file.path, reasons.UNREADABLE, "it is no longer a regular file")
            if status.st_size > limit:
                return Skipped(file.path, reasons.TOO_LARGE, f"it grew to {status.st_size:,} bytes")
            data = _read_all(stream.fileno(), status.st_size)
            after = os.fstat(stream.fileno())
    except OSError as error:
        return Skipped(file.path, reasons.UNREADABLE, error.strerror or type(error).__name__)
    if (after.st_mtime_ns, after.st_size, len(data)) != (status.st_mtime_ns, status.st_size, status.st_size):
        return Skipped(file.path, reasons.UNREADABLE, "it changed while it was being read")
    return data, status


def _read_all(descriptor: int, size_bytes: int) -> bytes:
    """Up to one byte more than `size_bytes`: enough to notice that the file grew."""
    parts = []
    wanted = size_bytes + 1
    while wanted > 0 and (part := os.read(descriptor, wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _decode(data: bytes) -> tuple[str, dict[str, object]] | str:
    """The text and what to note about it, or the reason why there is none."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decode_marked(data[len(bom) :], encoding)
    head = data[:HEAD_BYTES]
    if b"\0" in head or _share(head, _CONTROLS) > MAX_CONTROL_SHARE:
        return reasons.BINARY
    try:
        return data.decode("utf-8"), {}
    except UnicodeDecodeError:
        return _decode_unmarked(data)


def _decode_marked(data: bytes, encoding: str) -> tuple[str, dict[str, object]] | str:
    """Decode what follows a byte order mark; bytes that only look like one are binary."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return _decode_unmarked(data) if encoding == "utf-8" else reasons.BINARY
    head = text[:HEAD_BYTES].encode("utf-8")
    if b"\0" in head or _share(head, _CONTROLS) > MAX_CONTROL_SHARE:
        return reasons.BINARY
    return text, {} if encoding == "utf-8" else {"encoding": encoding}


def _decode_unmarked(data: bytes) -> tuple[str, dict[str, object]] | str:
    """Decode text that is not valid UTF-8: nearly UTF-8, else Western single-byte where that is plausible."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    whole = sum(character > "\x7f" for character in text) - damaged
    if whole >= 10 * damaged:  # one cut character in a UTF-8 file must not make mojibake of all others
        return text, {"damaged": damaged}
    if _share(data, _HIGH) > MAX_HIGH_SHARE:
        return reasons.NOT_TEXT
    try:
        return data.decode("cp1252"), {"encoding": "cp1252"}
    except UnicodeDecodeError:  # one of the five bytes that cp1252 leaves undefined
        return reasons.NOT_TEXT


def _share(data: bytes, which: bytes) -> float:
    return 1 - len(data.translate(None, which)) / len(data) if data else 0.0


def _giant_lines(text: str) -> str:
    """What is wrong with the lengths of the lines, or ''."""
    lines = text.removesuffix("\n").split("\n")
    longest = max(map(len, lines))
    average = len(text) // len(lines)
    if longest <= MAX_LINE and average <= MAX_AVERAGE_LINE:
        return ""
    return f"{len(lines):,} lines of {average:,} characters on average, the longest has {longest:,}"

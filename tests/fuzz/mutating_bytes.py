"""Files a little different from good ones: bytes, tokens, fields and lines changed, from a seeded source of chance."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[bytes, Random], bytes]

TOKENS: tuple[bytes, ...] = (
    *(
        b"\0",
        b"\xef\xbb\xbf",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\x85",
        b"\xa0",
        b"\x1b[31m",
        b"\x1a",
    ),
    *(b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80"),
    *(b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1e999", b"-1e999", b"1e-400", b"-0", b"0", b"00", b"-1", b"1.5"),
    *(b"9" * 20, b"9" * 400, b"9" * 5000, b"18446744073709551616", b"9223372036854775808", b"-9223372036854775809"),
    *(b"1_0", b"0x10", "١٢".encode(), b"1,5", b"+1", b".5", b"5.", b"1e", b"--1", b"1e5", b"2147483648"),
    *(b" ", b"  ", b"\t", b",", b";", b"|", b"#", b'"', b'""', b"'", b"\\", b"\\u0000", b"\\ud800", b":", b"=", b"-"),
    *(b"{", b"}", b"[", b"]", b"()", b"<", b">", b"</DOC>", b"<DOC>", b"<top>", b"&#0;", b"&amp;", b"<!--", b".I 1\n"),
    *(b"null", b"true", b"None", b"", b"x" * 300, b"*", b"**", b"..", b"../", b"/", b"%s", b"{0}", b"@10", b"qid:"),
)
"""What readers stumble over: ends and marks of text, bytes that are no text, numbers that are none or too large."""

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1, mtime=0),
    "bz2": lambda data: bz2.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
}


def mutated(data: bytes, seeds: Sequence[bytes], chance: Random) -> bytes:
    """A file near this one. One change in half of the cases, so that many are refused late or not at all."""
    for _ in range(min(1 + int(chance.expovariate(0.9)), 8)):
        mutations, weights = (GENTLE, None) if chance.random() < 0.55 else (ROUGH, ROUGH_WEIGHTS)
        mutation = chance.choices(mutations, weights)[0]
        data = (
            spliced(data, chance.choice(seeds), chance)
            if mutation is flip and chance.random() < 0.1
            else mutation(data, chance)
        )
    return data[:MOST_BYTES]


MOST_BYTES = 400_000


# Gentle: what is left is mostly a file of its kind ------------------------------------------------------------------


def duplicate_line(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    lines.insert(chance.randint(0, len(lines)), chance.choice(lines))
    return b"".join(lines)


def drop_line(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def swap_lines(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


_WORD = re.compile(rb"[^\s,:{}\[\]\"']+")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def copy_word(data: bytes, chance: Random) -> bytes:
    """One word takes the place of another."""
    words = list(_WORD.finditer(data))
    if not words:
        return data
    return _put(data, chance.choice(words), chance.choice(words).group())


def other_number(data: bytes, chance: Random) -> bytes:
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return data
    return _put(data, chance.choice(numbers), chance.choice(NUMBERS))


NUMBERS = (
    b"0",
    b"1",
    b"2",
    b"3",
    b"-1",
    b"0.5",
    b"1e3",
    b"7",
    b"10",
    b"100",
    b"-0.0",
    b"1e-7",
    b"123456789012",
    b"3.0",
)


def grow_word(data: bytes, chance: Random) -> bytes:
    words = list(_WORD.finditer(data))
    if not words:
        return data
    word = chance.choice(words)
    return _put(data, word, word.group() + chance.choice((b"2", b"a", b"_", "é".encode(), b"-", b".")))


def blank_line(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(chance.randint(0, len(lines)), chance.choice((b"\n", b"# comment\n", b"  \n")))
    return b"".join(lines)


def line_ends(data: bytes, chance: Random) -> bytes:
    """All ends of lines, or some, of another system; or none at the end."""
    if chance.random() < 0.3:
        return data.rstrip(b"\n")
    if chance.random() < 0.6:
        return data.replace(b"\n", b"\r\n")
    return b"".join(chance.choice((b"\r\n", b"\n", b"\r")) if byte == 10 else bytes((byte,)) for byte in data)


def begin_with_mark(data: bytes, chance: Random) -> bytes:
    return b"\xef\xbb\xbf" + data


# Rough: what is left may be anything --------------------------------------------------------------------------------


def flip(data: bytes, chance: Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def overwrite(data: bytes, chance: Random) -> bytes:
    place = chance.randint(0, len(data))
    return data[:place] + chance.randbytes(chance.choice((1, 2, 4))) + data[place + chance.choice((0, 1, 4)) :]


def insert_token(data: bytes, chance: Random) -> bytes:
    place = chance.randint(0, len(data))
    return data[:place] + chance.choice(TOKENS) + data[place:]


def token_for_word(data: bytes, chance: Random) -> bytes:
    words = list(_WORD.finditer(data))
    return _put(data, chance.choice(words), chance.choice(TOKENS)) if words else chance.choice(TOKENS)


def truncate(data: bytes, chance: Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def cut_out(data: bytes, chance: Random) -> bytes:
    first, last = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
    return data[:first] + data[min(last, first + chance.choice((1, 3, 40))) :]


def swap_columns(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    place = chance.randrange(len(lines))
    separator = b"\t" if b"\t" in lines[place] else b"," if b"," in lines[place] else b" "
    fields = lines[place].rstrip(b"\r\n").split(separator)
    chance.shuffle(fields)
    lines[place] = separator.join(fields) + b"\n"
    return b"".join(lines)


def drop_field(data: bytes, chance: Random) -> bytes:
    words = list(_WORD.finditer(data))
    return _put(data, chance.choice(words), b"") if words else data


def long_line(data: bytes, chance: Random) -> bytes:
    place = chance.randint(0, len(data))
    return (
        data[:place]
        + chance.choice((b"x", b" ", b"1", b"a,", b'"', b"\t")) * chance.choice((5000, 70_000))
        + data[place:]
    )


def nest(data: bytes, chance: Random) -> bytes:
    place = chance.randint(0, len(data))
    return (
        data[:place]
        + chance.choice((b"[", b'{"a":', b"(", b"<b>", b"not ")) * chance.choice((50, 3000, 30_000))
        + data[place:]
    )


def other_encoding(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    name = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"))
    return text.encode(name, "replace")


def compress(data: bytes, chance: Random) -> bytes:
    return COMPRESSORS[chance.choice(list(COMPRESSORS))](data)


def spliced(data: bytes, other: bytes, chance: Random) -> bytes:
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def repeat(data: bytes, chance: Random) -> bytes:
    return data * chance.choice((2, 3, 50)) if len(data) < 4000 else data + data


def _put(data: bytes, match: re.Match[bytes], token: bytes) -> bytes:
    return data[: match.start()] + token + data[match.end() :]


GENTLE: tuple[Mutation, ...] = (
    *(duplicate_line, drop_line, swap_lines, copy_word, copy_word, other_number, other_number, other_number),
    *(grow_word, grow_word, blank_line, line_ends, begin_with_mark),
)
ROUGH: tuple[Mutation, ...] = (
    *(flip, overwrite, insert_token, token_for_word, truncate, cut_out, swap_columns, drop_field),
    *(long_line, nest, other_encoding, compress, repeat),
)
ROUGH_WEIGHTS = (3, 2, 5, 6, 2, 3, 3, 3, 0.3, 0.4, 0.6, 0.6, 0.6)

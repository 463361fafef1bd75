"""Time-ordered ids: flax, UUIDv7, ULID and TypeID, also behind a prefix, as specified in spec/.

>>> customer_id = prefixed(flax, 'cus')
>>> id = customer_id.generate()  # 'cus_Kpcan0M1FakODT4k'
>>> customer_id.parse(id) == id
True
>>> customer_id.range(datetime(2026, 11, 1, tzinfo=timezone.utc), datetime(2026, 12, 1, tzinfo=timezone.utc))
Range(gte='cus_Kj5SD-----------', lt='cus_KskR------------')
"""

import math
import os
import re
import secrets
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Callable, NamedTuple, Optional, Union

__all__ = ['Family', 'IdError', 'Prefixed', 'Range', 'flax', 'prefixed', 'typeid', 'ulid', 'uuid7']

#: Unix milliseconds, or a datetime with a time zone.
Time = Union[int, float, datetime]

_UNIX = datetime(1970, 1, 1, tzinfo=timezone.utc)


class IdError(ValueError):
    """A refused id, time or option. `code` is one of spec/README.md; `position` counts characters from 0."""

    def __init__(self, code: str, message: str, position: Optional[int] = None):
        super().__init__(message)
        self.code = code
        self.position = position


class Range(NamedTuple):
    """The ids from `gte` on, and below `lt` unless it is None."""

    gte: str
    lt: Optional[str]


class _Ids:
    """What families have with and without a prefix."""

    name: str

    def parse(self, text: object) -> str:
        """The text, if it is an id. Raises IdError."""
        self.decode(text)
        return text  # type: ignore[return-value]

    def is_id(self, text: object) -> bool:
        try:
            self.decode(text)
        except IdError:
            return False
        return True

    def time(self, text: object) -> datetime:
        """When the id was generated, in UTC. A datetime ends in the year 9999, where `time_ms` goes on."""
        return _UNIX + timedelta(milliseconds=self.time_ms(text))

    def decode(self, text: object) -> bytes:
        raise NotImplementedError

    def time_ms(self, text: object) -> int:
        """When the id was generated, in Unix milliseconds."""
        raise NotImplementedError


class Family(_Ids):
    """Ids of one layout: a big-endian number that begins with its time."""

    def __init__(
        self,
        name: str,
        size: int,
        epoch_ms: int,
        time_bits: int,
        to_text: Callable[[int], str],
        from_text: Callable[[str, str], int],
        fixed: 'tuple[int, int]',
        new: Callable[['Family', int], int],
        at: Callable[['Family', int], int],
    ):
        self.name = name
        self.size = size
        self.epoch_ms = epoch_ms
        self.last_ms = epoch_ms + 2**time_bits - 1
        self._shift = 8 * size - time_bits
        self._to_text, self._from_text = to_text, from_text
        self._mask, self._fixed = fixed
        self._new, self._at = new, at
        self.length = len(to_text(0))
        self._lock = threading.Lock()
        self._last = -1

    def generate(self) -> str:
        """A new id of the current millisecond. Threads and forked processes may share a family."""
        return self._to_text(self._new(self, self._within(time.time_ns() // 1_000_000)))

    def generate_at(self, at: Time) -> str:
        """A new id of that time; fractions of a millisecond are rounded down."""
        ms = _ms(at)
        return self._to_text(self._at(self, self._within(ms if math.isinf(ms) else math.floor(ms))))

    def decode(self, text: object) -> bytes:
        return self._number(text).to_bytes(self.size, 'big')

    def encode(self, data: bytes) -> str:
        if len(data) != self.size:
            raise IdError('INVALID_LENGTH', f'{self.name}: an id has {self.size} bytes, not {len(data)}')
        number = int.from_bytes(data, 'big')
        self._check_fixed(number, data.hex())
        return self._to_text(number)

    def time_ms(self, text: object) -> int:
        return self.epoch_ms + (self._number(text) >> self._shift)

    def lower_bound(self, at: Time) -> str:
        """The smallest id of that time; fractions of a millisecond are rounded up."""
        ms = _ms(at)
        ms = max(self.epoch_ms, ms if math.isinf(ms) else math.ceil(ms))
        return self._smallest_of(self._within(ms))

    def range(self, start: Time, end: Time) -> Range:
        """The ids with start <= time < end."""
        start_ms, end_ms = _ms(start), _ms(end)
        if start_ms > end_ms:
            raise IdError('INVALID_OPTION', f'{self.name}: a range begins at {start} and ends before it, at {end}')
        if start_ms > self.last_ms:
            return Range(self.lower_bound(self.epoch_ms), self.lower_bound(self.epoch_ms))
        return Range(self.lower_bound(start), None if end_ms > self.last_ms else self.lower_bound(end))

    def _number(self, text: object) -> int:
        if not isinstance(text, str):
            raise IdError('INVALID_TYPE', f'{self.name}: an id must be a str, not {type(text).__name__}')
        _check_ascii(self.name, text)
        number = self._from_text(self.name, text)
        if number >= 1 << 8 * self.size:
            raise IdError('NOT_CANONICAL', f'{self.name}: {text!r} has more than {8 * self.size} bits')
        self._check_fixed(number, text)
        return number

    def _check_fixed(self, number: int, shown: str) -> None:
        if number & self._mask != self._fixed:
            raise IdError('NOT_CANONICAL', f'{self.name}: {shown!r} is no UUID of version 7')

    def _within(self, ms: float) -> int:
        if not self.epoch_ms <= ms <= self.last_ms:
            raise IdError('TIME_OUT_OF_RANGE', f'{self.name}: {ms} is not from {self.epoch_ms} to {self.last_ms}')
        return int(ms)

    def _smallest_of(self, ms: int) -> str:
        return self._to_text((ms - self.epoch_ms) << self._shift | self._fixed)


class Prefixed(_Ids):
    """Ids of a family behind a prefix and `_`: `cus_Kpcan0M1FakODT4k`."""

    def __init__(self, base: Family, prefix: str):
        self.base, self.prefix, self.name = base, prefix, prefix
        self._head = prefix + '_'

    def generate(self) -> str:
        return self._head + self.base.generate()

    def generate_at(self, at: Time) -> str:
        return self._head + self.base.generate_at(at)

    def decode(self, text: object) -> bytes:
        return self.base.decode(self._bare(text))

    def encode(self, data: bytes) -> str:
        return self._head + self.base.encode(data)

    def time_ms(self, text: object) -> int:
        return self.base.time_ms(self._bare(text))

    def lower_bound(self, at: Time) -> str:
        return self._head + self.base.lower_bound(at)

    def range(self, start: Time, end: Time) -> Range:
        """The ids with start <= time < end."""
        gte, lt = self.base.range(start, end)
        return Range(self._head + gte, None if lt is None else self._head + lt)

    def _bare(self, text: object) -> str:
        if not isinstance(text, str):
            raise IdError('INVALID_TYPE', f'{self.name}: an id must be a str, not {type(text).__name__}')
        _check_ascii(self.name, text)
        # Another prefix may begin with this one, as a_b_ with a_.
        rest = len(text) - self.base.length
        is_another = rest > len(self._head) and text[rest - 1] == '_' and self.base.is_id(text[rest:])
        if is_another or not text.startswith(self._head):
            raise IdError('WRONG_PREFIX', f'{self.name}: an id must begin with {self._head!r}, not {text!r}', 0)
        bare = text[len(self._head) :]
        try:
            self.base.decode(bare)
        except IdError as error:
            position = None if error.position is None else error.position + len(self._head)
            raise IdError(error.code, f'{self.name}: {text!r}: {error}', position) from error
        return bare


def prefixed(base: Family, prefix: str) -> Prefixed:
    """The family's ids behind a prefix: 1 to 63 of a-z, 0-9 and `_`, with a letter first and no `_` last."""
    if not re.fullmatch('[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?', prefix):
        raise IdError('INVALID_OPTION', f'{prefix!r} is no prefix: 1 to 63 of a-z, 0-9 and _, a letter first, no _ last')
    return Prefixed(base, prefix)


def typeid(prefix: str) -> Prefixed:
    """TypeIDs: a prefix of a-z and `_`, and a UUIDv7 in base 32."""
    if not re.fullmatch('[a-z](?:[a-z_]{0,61}[a-z])?', prefix):
        raise IdError('INVALID_OPTION', f'{prefix!r} is no prefix of TypeIDs: 1 to 63 of a-z and _, letters at both ends')
    return Prefixed(_suffix, prefix)


def _ms(at: Time) -> float:
    if isinstance(at, datetime):
        if at.tzinfo is None:
            raise IdError('INVALID_TIME', f'{at!r} has no time zone')
        return (at - _UNIX) / timedelta(milliseconds=1) if at.microsecond % 1000 else (at - _UNIX) // timedelta(milliseconds=1)
    if isinstance(at, bool) or not isinstance(at, (int, float)) or math.isnan(at):
        raise IdError('INVALID_TIME', f'{at!r} is not a time: Unix milliseconds, or a datetime with a time zone')
    return at


def _check_ascii(name: str, text: str) -> None:
    for position, character in enumerate(text):
        if ord(character) > 127:
            raise IdError('INVALID_CHARACTER', f'{name}: {character!r} at {position} of {text!r} is not ASCII', position)


def _base(alphabet: str, length: int) -> 'tuple[Callable[[int], str], Callable[[str, str], int]]':
    bits = (len(alphabet) - 1).bit_length()
    digits = {character: digit for digit, character in enumerate(alphabet)}

    def to_text(number: int) -> str:
        return ''.join(alphabet[number >> bits * place & len(alphabet) - 1] for place in range(length - 1, -1, -1))

    def from_text(name: str, text: str) -> int:
        _check_length(name, text, length)
        number = 0
        for position, character in enumerate(text):
            if character not in digits:
                raise _foreign(name, text, position)
            number = number << bits | digits[character]
        return number

    return to_text, from_text


def _uuid_to_text(number: int) -> str:
    text = f'{number:032x}'
    return f'{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}'


def _uuid_from_text(name: str, text: str) -> int:
    _check_length(name, text, 36)
    for position, character in enumerate(text):
        if character not in ('-' if position in (8, 13, 18, 23) else '0123456789abcdef'):
            raise _foreign(name, text, position)
    return int(text.replace('-', ''), 16)


def _check_length(name: str, text: str, length: int) -> None:
    if len(text) != length:
        raise IdError('INVALID_LENGTH', f'{name}: an id has {length} characters, not {len(text)}: {text!r}')


def _foreign(name: str, text: str, position: int) -> IdError:
    return IdError('INVALID_CHARACTER', f'{name}: {text[position]!r} at {position} of {text!r} is not allowed', position)


def _random(family: Family, ms: int) -> int:
    return (ms - family.epoch_ms) << family._shift | secrets.randbits(family._shift)


def _random_uuid(family: Family, ms: int) -> int:
    return ms << 80 | secrets.randbits(80) & ~family._mask | family._fixed


def _counted_uuid(family: Family, ms: int) -> int:
    """Method 1 of RFC 9562, section 6.2: 18 bits count within a millisecond, from their lower half on."""
    with family._lock:
        last_ms, counter = family._last >> 18, family._last & 0x3FFFF
        if ms > last_ms or counter == 0x3FFFF:
            family._last = family._within(max(ms, last_ms + 1)) << 18 | secrets.randbits(17)
        else:
            family._last += 1
        ms, counter = family._last >> 18, family._last & 0x3FFFF
    return ms << 80 | 7 << 76 | counter >> 6 << 64 | 2 << 62 | (counter & 0x3F) << 56 | secrets.randbits(56)


def _next_ulid(family: Family, ms: int) -> int:
    with family._lock:
        if ms > family._last >> 80:
            family._last = ms << 80 | secrets.randbits(80)
        elif family._last & (1 << 80) - 1 == (1 << 80) - 1:
            raise IdError('SEQUENCE_EXHAUSTED', 'ulid: all ids of this millisecond are used up')
        else:
            family._last += 1
        return family._last


_ANY = (0, 0)
_VERSION_7 = (0xF << 76 | 3 << 62, 7 << 76 | 2 << 62)
_CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
_FLAX = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

#: 96 bits: the millisecond since 2015 and 56 random bits; 16 characters.
flax = Family('flax', 12, 1420070400000, 40, *_base(_FLAX, 16), _ANY, _random, _random)
#: UUIDs of version 7; each is larger than the one before, in a process.
uuid7 = Family('uuid7', 16, 0, 48, _uuid_to_text, _uuid_from_text, _VERSION_7, _counted_uuid, _random_uuid)
#: ULIDs; each is larger than the one before, in a process.
ulid = Family('ulid', 16, 0, 48, *_base(_CROCKFORD, 26), _ANY, _next_ulid, _random)
_suffix = Family('typeid', 16, 0, 48, *_base(_CROCKFORD.lower(), 26), _VERSION_7, _counted_uuid, _random_uuid)


def _start_again() -> None:
    """A forked process must not go on with its parent's numbers, nor wait for a lock of its threads."""
    for family in (uuid7, ulid, _suffix):
        family._lock, family._last = threading.Lock(), -1


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_start_again)

// Package snoflax makes time-ordered ids: flax, UUIDv7, ULID and TypeID, also behind a prefix, as specified in spec/.
package snoflax

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"sync"
	"time"
)

// An Error refuses an id, a time or an option.
type Error struct {
	Code     string // one of spec/README.md
	Message  string
	Position int // in bytes from 0, or -1
}

func (e *Error) Error() string { return e.Message }

func refuse(code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...), -1}
}

func refuseAt(position int, format string, args ...any) *Error {
	return &Error{"INVALID_CHARACTER", fmt.Sprintf(format, args...), position}
}

// A Range holds the ids from Gte on, and below Lt unless it is empty.
type Range struct{ Gte, Lt string }

// A Family is ids of one layout: big-endian numbers that begin with their time. Goroutines may share it.
type Family struct {
	name, head   string
	size, length int
	epochMs      int64
	timeBits     int
	isVersion7   bool
	toText       func([]byte) string
	fromText     func(name, text string) ([]byte, *Error)
	next         func(f *Family, ms int64) ([]byte, error)
	state        *state
}

type state struct {
	sync.Mutex
	ms      int64
	counter int    // uuid7 and typeid
	last    []byte // ulid
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var (
	// Flax has the millisecond since 2015 and 56 random bits, in 16 characters.
	Flax = newFamily("flax", 12, 16, 1420070400000, 40, false, "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", (*Family).random)
	// UUID7 has UUIDs of version 7; each is larger than the one before, in a process.
	UUID7 = newFamily("uuid7", 16, 36, 0, 48, true, "", (*Family).counted)
	// ULID has ULIDs; each is larger than the one before, in a process.
	ULID = newFamily("ulid", 16, 26, 0, 48, false, crockford, (*Family).increased)

	suffix = newFamily("typeid", 16, 26, 0, 48, true, strings.ToLower(crockford), (*Family).counted)
)

func newFamily(name string, size, length int, epochMs int64, timeBits int, isVersion7 bool, alphabet string, next func(*Family, int64) ([]byte, error)) *Family {
	f := &Family{name: name, size: size, length: length, epochMs: epochMs, timeBits: timeBits, isVersion7: isVersion7, next: next, state: &state{ms: -1}}
	f.toText, f.fromText = uuidToText, uuidFromText
	if alphabet != "" {
		f.toText, f.fromText = baseOf(alphabet, size, length)
	}
	return f
}

var isPrefix = regexp.MustCompile(`^[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?$`)
var isTypeIDPrefix = regexp.MustCompile(`^[a-z](?:[a-z_]{0,61}[a-z])?$`)

// Prefixed gives the family's ids behind a prefix: 1 to 63 of a-z, 0-9 and _, with a letter first and no _ last.
func Prefixed(base *Family, prefix string) (*Family, error) {
	if base.head != "" {
		return nil, refuse("INVALID_OPTION", "%s has a prefix already", base.name)
	}
	if !isPrefix.MatchString(prefix) {
		return nil, refuse("INVALID_OPTION", "%q is no prefix: 1 to 63 of a-z, 0-9 and _, a letter first, no _ last", prefix)
	}
	f := *base
	f.name, f.head = prefix, prefix+"_"
	return &f, nil
}

// TypeID gives TypeIDs: a prefix of a-z and _, and a UUIDv7 in base 32.
func TypeID(prefix string) (*Family, error) {
	if !isTypeIDPrefix.MatchString(prefix) {
		return nil, refuse("INVALID_OPTION", "%q is no prefix of TypeIDs: 1 to 63 of a-z and _, letters at both ends", prefix)
	}
	return Prefixed(suffix, prefix)
}

// Generate makes a new id of the current millisecond.
func (f *Family) Generate() (string, error) {
	ms, err := f.within(float64(time.Now().UnixMilli()))
	if err != nil {
		return "", err
	}
	bytes, err := f.next(f, ms)
	if err != nil {
		return "", err
	}
	return f.head + f.toText(bytes), nil
}

// GenerateAt makes a new id of that time; fractions of a millisecond are rounded down.
func (f *Family) GenerateAt(at time.Time) (string, error) { return f.generateAtMs(msOf(at)) }

func (f *Family) generateAtMs(at float64) (string, error) {
	ms, err := f.within(math.Floor(at))
	if err != nil {
		return "", err
	}
	bytes, _ := f.random(ms)
	return f.head + f.toText(bytes), nil
}

// Parse checks that the text is an id.
func (f *Family) Parse(text string) error {
	_, err := f.Decode(text)
	return err
}

// Decode gives the bytes of an id.
func (f *Family) Decode(text string) ([]byte, error) {
	for position, character := range text {
		if character > 127 {
			return nil, refuseAt(position, "%s: %q at %d of %q is not ASCII", f.name, character, position, text)
		}
	}
	if f.head != "" {
		// Another prefix may begin with this one, as a_b_ with a_.
		rest := len(text) - f.length
		isAnother := rest > len(f.head) && text[rest-1] == '_' && f.isBare(text[rest:])
		if isAnother || !strings.HasPrefix(text, f.head) {
			return nil, &Error{"WRONG_PREFIX", fmt.Sprintf("%s: an id must begin with %q, not %q", f.name, f.head, text), 0}
		}
	}
	bytes, err := f.decodeBare(text[len(f.head):])
	if err == nil {
		return bytes, nil
	}
	if err.Position >= 0 {
		err.Position += len(f.head)
	}
	return nil, err
}

func (f *Family) isBare(text string) bool {
	_, err := f.decodeBare(text)
	return err == nil
}

func (f *Family) decodeBare(text string) ([]byte, *Error) {
	if len(text) != f.length {
		return nil, refuse("INVALID_LENGTH", "%s: an id has %d characters, not %d: %q", f.name, f.length, len(text), text)
	}
	bytes, err := f.fromText(f.name, text)
	if err != nil {
		return nil, err
	}
	return bytes, f.checkVersion(bytes, text)
}

func (f *Family) checkVersion(bytes []byte, shown string) *Error {
	if f.isVersion7 && (bytes[6]>>4 != 7 || bytes[8]>>6 != 2) {
		return refuse("NOT_CANONICAL", "%s: %q is no UUID of version 7", f.name, shown)
	}
	return nil
}

// Encode gives the id of the bytes.
func (f *Family) Encode(bytes []byte) (string, error) {
	if len(bytes) != f.size {
		return "", refuse("INVALID_LENGTH", "%s: an id has %d bytes, not %d", f.name, f.size, len(bytes))
	}
	if err := f.checkVersion(bytes, hex.EncodeToString(bytes)); err != nil {
		return "", err
	}
	return f.head + f.toText(bytes), nil
}

// Time tells when the id was generated.
func (f *Family) Time(text string) (time.Time, error) {
	bytes, err := f.Decode(text)
	if err != nil {
		return time.Time{}, err
	}
	ms := new(big.Int).SetBytes(bytes[:f.timeBits/8]).Int64()
	return time.UnixMilli(f.epochMs + ms).UTC(), nil
}

// LowerBound is the smallest id of that time; fractions of a millisecond are rounded up.
func (f *Family) LowerBound(at time.Time) (string, error) { return f.boundMs(msOf(at)) }

func (f *Family) boundMs(at float64) (string, error) {
	ms, err := f.within(math.Max(float64(f.epochMs), math.Ceil(at)))
	if err != nil {
		return "", err
	}
	return f.head + f.toText(f.with(ms, make([]byte, f.size))), nil
}

// Range holds the ids with start <= time < end.
func (f *Family) Range(start, end time.Time) (Range, error) {
	if start.After(end) {
		return Range{}, refuse("INVALID_OPTION", "%s: a range begins at %v and ends before it, at %v", f.name, start, end)
	}
	return f.rangeMs(msOf(start), msOf(end))
}

func (f *Family) rangeMs(start, end float64) (Range, error) {
	if start > float64(f.lastMs()) {
		smallest, _ := f.boundMs(float64(f.epochMs))
		return Range{smallest, smallest}, nil
	}
	gte, err := f.boundMs(start)
	if err != nil || end > float64(f.lastMs()) {
		return Range{Gte: gte}, err
	}
	lt, err := f.boundMs(end)
	return Range{gte, lt}, err
}

func (f *Family) lastMs() int64 { return f.epochMs + 1<<f.timeBits - 1 }

func (f *Family) within(ms float64) (int64, error) {
	if math.IsNaN(ms) {
		return 0, refuse("INVALID_TIME", "%s: NaN is not a time", f.name)
	}
	if ms < float64(f.epochMs) || ms > float64(f.lastMs()) {
		return 0, refuse("TIME_OUT_OF_RANGE", "%s: %v is not from %d to %d", f.name, ms, f.epochMs, f.lastMs())
	}
	return int64(ms), nil
}

// Any fraction is a half, since a float64 has too few digits for nanoseconds, and rounding needs no more.
func msOf(at time.Time) float64 {
	if at.Nanosecond()%1e6 != 0 {
		return float64(at.UnixMilli()) + 0.5
	}
	return float64(at.UnixMilli())
}

// Writes the time, version and variant into bytes.
func (f *Family) with(ms int64, bytes []byte) []byte {
	units := ms - f.epochMs
	for i := f.timeBits/8 - 1; i >= 0; i-- {
		bytes[i] = byte(units)
		units >>= 8
	}
	if f.isVersion7 {
		bytes[6] = bytes[6]&0x0f | 0x70
		bytes[8] = bytes[8]&0x3f | 0x80
	}
	return bytes
}

func (f *Family) random(ms int64) ([]byte, error) {
	return f.with(ms, randomBytes(f.size)), nil
}

func randomBytes(size int) []byte {
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return bytes
}

// Method 1 of RFC 9562, section 6.2: 18 bits count within a millisecond, from their lower half on.
func (f *Family) counted(ms int64) ([]byte, error) {
	bytes := randomBytes(f.size)
	f.state.Lock()
	defer f.state.Unlock()
	last := f.state
	if ms > last.ms || last.counter == 0x3ffff {
		if ms <= last.ms {
			ms = last.ms + 1
		}
		if _, err := f.within(float64(ms)); err != nil {
			return nil, err
		}
		last.ms, last.counter = ms, (int(bytes[6])<<16|int(bytes[7])<<8|int(bytes[8]))&0x1ffff
	} else {
		last.counter++
	}
	bytes[6], bytes[7], bytes[8] = byte(last.counter>>14), byte(last.counter>>6), byte(last.counter&0x3f)
	return f.with(last.ms, bytes), nil
}

func (f *Family) increased(ms int64) ([]byte, error) {
	f.state.Lock()
	defer f.state.Unlock()
	last := f.state
	if ms > last.ms {
		last.ms, last.last = ms, f.with(ms, randomBytes(f.size))
		return append([]byte(nil), last.last...), nil
	}
	bytes := append([]byte(nil), last.last...)
	for i := f.size - 1; i >= f.timeBits/8; i-- {
		bytes[i]++
		if bytes[i] != 0 {
			last.last = bytes
			return append([]byte(nil), bytes...), nil
		}
	}
	return nil, refuse("SEQUENCE_EXHAUSTED", "%s: all ids of this millisecond are used up", f.name)
}

func baseOf(alphabet string, size, length int) (func([]byte) string, func(name, text string) ([]byte, *Error)) {
	bits := uint(5)
	if len(alphabet) == 64 {
		bits = 6
	}
	toText := func(bytes []byte) string {
		number := new(big.Int).SetBytes(bytes)
		text := make([]byte, length)
		for i := length - 1; i >= 0; i-- {
			digit := uint64(0)
			if words := number.Bits(); len(words) > 0 {
				digit = uint64(words[0]) & (1<<bits - 1)
			}
			text[i] = alphabet[digit]
			number.Rsh(number, bits)
		}
		return string(text)
	}
	fromText := func(name, text string) ([]byte, *Error) {
		number := new(big.Int)
		for i := range text {
			digit := strings.IndexByte(alphabet, text[i])
			if digit < 0 {
				return nil, foreign(name, text, i)
			}
			number.Or(number.Lsh(number, bits), big.NewInt(int64(digit)))
		}
		if number.BitLen() > 8*size {
			return nil, refuse("NOT_CANONICAL", "%s: %q has more than %d bits", name, text, 8*size)
		}
		return number.FillBytes(make([]byte, size)), nil
	}
	return toText, fromText
}

func uuidToText(bytes []byte) string {
	text := hex.EncodeToString(bytes)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func uuidFromText(name, text string) ([]byte, *Error) {
	for i := range text {
		isHyphen := i == 8 || i == 13 || i == 18 || i == 23
		if isHyphen != (text[i] == '-') || !isHyphen && !strings.Contains("0123456789abcdef", text[i:i+1]) {
			return nil, foreign(name, text, i)
		}
	}
	bytes, _ := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	return bytes, nil
}

func foreign(name, text string, position int) *Error {
	return refuseAt(position, "%s: %q at %d of %q is not allowed", name, text[position], position, text)
}

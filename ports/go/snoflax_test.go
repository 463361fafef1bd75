package snoflax

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

var families = map[string]*Family{"flax": Flax, "uuid7": UUID7, "ulid": ULID, "typeid": suffix}

// The operations of the cases that this port doesn't have.
var leftOut = map[string]bool{"pack": true}

type cases struct {
	Valid []struct {
		Name, Base, Prefix, Text, Hex string
		TimeMs                        int64
	}
	Invalid []struct {
		Name, Base, Prefix, Operation, Code string
		Input                               json.RawMessage
		Position                            *int
	}
	LowerBound, UpperBound []struct {
		TimeMs json.RawMessage
		Text   string
	}
	Range []struct {
		FromMs, ToMs json.RawMessage
		Gte, Lt      string
	}
	Prefixes struct{ Valid, Invalid []string }
}

type vectors struct {
	Vectors []struct {
		Kind, Hex, Text, Uuid string
		Canonical             bool
		TimestampMs           int64
	}
}

func read(t *testing.T, path string, into any) {
	bytes, err := os.ReadFile("../../spec/" + path)
	if err == nil {
		err = json.Unmarshal(bytes, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, raw json.RawMessage) (found string) {
	if err := json.Unmarshal(raw, &found); err != nil {
		t.Fatal(err)
	}
	return
}

func moment(t *testing.T, raw json.RawMessage) (ms float64) {
	switch string(raw) {
	case `"NaN"`:
		return math.NaN()
	case `"Infinity"`:
		return math.Inf(1)
	case `"-Infinity"`:
		return math.Inf(-1)
	}
	if err := json.Unmarshal(raw, &ms); err != nil {
		t.Fatal(err)
	}
	return
}

func perform(t *testing.T, f *Family, operation string, input json.RawMessage) (err error) {
	switch operation {
	case "decode":
		_, err = f.Decode(text(t, input))
	case "encode":
		var bytes []byte
		if bytes, err = hex.DecodeString(text(t, input)); err != nil {
			t.Fatal(err)
		}
		_, err = f.Encode(bytes)
	case "generateAt":
		_, err = f.generateAtMs(moment(t, input))
	case "lowerBound", "upperBound":
		_, err = f.boundMs(moment(t, input))
	case "range":
		var ends struct{ FromMs, ToMs json.RawMessage }
		if err := json.Unmarshal(input, &ends); err != nil {
			t.Fatal(err)
		}
		from, to := moment(t, ends.FromMs), moment(t, ends.ToMs)
		if math.IsInf(from, 0) || math.IsInf(to, 0) || math.IsNaN(from) || math.IsNaN(to) {
			_, err = f.rangeMs(from, to)
		} else {
			_, err = f.Range(time.UnixMicro(int64(from*1000)), time.UnixMicro(int64(to*1000)))
		}
	default:
		t.Fatalf("no operation %s", operation)
	}
	return
}

func refused(t *testing.T, name string, err error, code string, position *int) {
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		t.Errorf("%s: %v, expected %s", name, err, code)
	} else if position != nil && refusal.Position != *position {
		t.Errorf("%s: position %d, expected %d", name, refusal.Position, *position)
	}
}

func TestCases(t *testing.T) {
	for name, f := range families {
		var file cases
		read(t, "cases/"+name+".json", &file)
		if len(file.Valid) == 0 || len(file.Invalid) == 0 || len(file.Range) == 0 {
			t.Fatal("no cases of " + name)
		}
		for _, one := range file.Valid {
			bytes, _ := hex.DecodeString(one.Hex)
			if found, err := f.Encode(bytes); err != nil || found != one.Text {
				t.Errorf("%s, %s: %s, %v", name, one.Name, found, err)
			}
			if found, err := f.Decode(one.Text); err != nil || hex.EncodeToString(found) != one.Hex {
				t.Errorf("%s, %s: %x, %v", name, one.Name, found, err)
			}
			if found, err := f.Time(one.Text); err != nil || found.UnixMilli() != one.TimeMs {
				t.Errorf("%s, %s: %v, %v", name, one.Name, found, err)
			}
		}
		for _, one := range file.Invalid {
			if !leftOut[one.Operation] {
				refused(t, name+", "+one.Name, perform(t, f, one.Operation, one.Input), one.Code, one.Position)
			}
		}
		for _, one := range append(file.LowerBound, file.UpperBound...) {
			if found, err := f.boundMs(moment(t, one.TimeMs)); err != nil || found != one.Text {
				t.Errorf("%s, bound of %s: %s, %v", name, one.TimeMs, found, err)
			}
		}
		for _, one := range file.Range {
			found, err := f.rangeMs(moment(t, one.FromMs), moment(t, one.ToMs))
			if err != nil || found != (Range{one.Gte, one.Lt}) {
				t.Errorf("%s, range from %s to %s: %v, %v", name, one.FromMs, one.ToMs, found, err)
			}
		}
	}
}

func TestPrefixes(t *testing.T) {
	var file cases
	read(t, "cases/prefixed.json", &file)
	for _, one := range file.Valid {
		f, err := Prefixed(families[one.Base], one.Prefix)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := f.Time(one.Text); err != nil || found.UnixMilli() != one.TimeMs {
			t.Errorf("%s: %v, %v", one.Name, found, err)
		}
	}
	for _, one := range file.Invalid {
		f, err := Prefixed(families[one.Base], one.Prefix)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, one.Name, f.Parse(text(t, one.Input)), one.Code, one.Position)
	}
	for _, prefix := range file.Prefixes.Valid {
		if _, err := Prefixed(Flax, prefix); err != nil {
			t.Error(err)
		}
	}
	for _, prefix := range file.Prefixes.Invalid {
		_, err := Prefixed(Flax, prefix)
		refused(t, prefix, err, "INVALID_OPTION", nil)
	}
}

func TestVectors(t *testing.T) {
	var file vectors
	read(t, "vectors/flax.json", &file)
	for _, one := range file.Vectors {
		bytes, _ := hex.DecodeString(one.Hex)
		if found, err := Flax.Encode(bytes); (one.Kind == "encode" || one.Kind == "base64") && (err != nil || found != one.Text) {
			t.Errorf("%s: %s, %v", one.Hex, found, err)
		}
		if one.Kind == "regex" && (Flax.Parse(one.Text) == nil) != one.Canonical {
			t.Errorf("%q should be %v", one.Text, one.Canonical)
		}
	}
	for _, name := range []string{"uuid7", "ulid"} {
		var file vectors
		read(t, "vectors/"+name+".json", &file)
		for _, one := range file.Vectors {
			found, err := families[name].Time(one.Text)
			if one.Kind == "decode" && (err != nil || found.UnixMilli() != one.TimestampMs) || one.Kind == "refused" && err == nil {
				t.Errorf("%s: %v, %v", one.Text, found, err)
			}
		}
	}
	file = vectors{}
	read(t, "vectors/typeid.json", &file)
	for _, one := range file.Vectors {
		cut := strings.LastIndexByte(one.Text, '_')
		if one.Kind == "valid" && cut > 0 && suffix.Parse(one.Text[cut+1:]) == nil {
			f, err := TypeID(one.Text[:cut])
			if err != nil {
				t.Fatal(err)
			}
			found, err := f.Decode(one.Text)
			if err != nil || hex.EncodeToString(found) != strings.ReplaceAll(one.Uuid, "-", "") {
				t.Errorf("%s: %x, %v", one.Text, found, err)
			}
		}
		if one.Kind == "invalid" && cut >= 0 {
			if f, err := TypeID(one.Text[:cut]); err == nil && f.Parse(one.Text) == nil {
				t.Errorf("%s is valid", one.Text)
			}
		}
	}
}

func TestGenerate(t *testing.T) {
	for name, f := range families {
		var ids []string
		for i := 0; i < 100_000; i++ {
			id, err := f.Generate()
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if name != "flax" && !sort.StringsAreSorted(ids) {
			t.Errorf("%s is not in order", name)
		}
		if at, _ := f.Time(ids[0]); time.Since(at).Abs() > time.Minute {
			t.Errorf("%s: %v", name, at)
		}
		found := sync.Map{}
		var workers sync.WaitGroup
		for worker := 0; worker < 8; worker++ {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for i := 0; i < 5000; i++ {
					id, _ := f.Generate()
					if _, repeated := found.LoadOrStore(id, true); repeated {
						t.Errorf("%s repeats %s", name, id)
					}
				}
			}()
		}
		workers.Wait()
	}
}

func TestTimes(t *testing.T) {
	for _, f := range families {
		at := time.Date(2026, 11, 29, 12, 0, 0, 123_000_001, time.UTC)
		id, err := f.GenerateAt(at)
		if err != nil {
			t.Fatal(err)
		}
		if found, _ := f.Time(id); !found.Equal(at.Truncate(time.Millisecond)) {
			t.Error(found)
		}
		bounds, err := f.Range(at, at.Add(time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		gte, _ := f.Time(bounds.Gte)
		lt, _ := f.Time(bounds.Lt)
		if gte.UnixMilli()%1000 != 124 || lt.UnixMilli()%1000 != 125 {
			t.Error(gte, lt)
		}
		_, err = f.Range(at.Add(time.Nanosecond), at)
		refused(t, f.name, err, "INVALID_OPTION", nil)
	}
}

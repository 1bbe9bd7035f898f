package gitconfig

import (
	"errors"
	"math"
	"testing"
)

func TestParseInt(t *testing.T) {
	// Numbers and errors are those of git config --type=int (2.39).
	for text, want := range map[string]int64{
		"0": 0, "-1": -1, "+2": 2, " 3": 3, "1k": 1024, "2M": 2 << 20, "0x10": 16, "010": 8, "-1g": -1 << 30, "9223372036854775807": math.MaxInt64,
	} {
		if got, err := ParseInt(text); got != want || err != nil {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrUnit, "k": ErrUnit, "abc": ErrUnit, "1x": ErrUnit, "1 k": ErrUnit, "1_000": ErrUnit, "0b1": ErrUnit, "0o7": ErrUnit, "1.5": ErrUnit,
		"9223372036854775808": ErrRange, "9999999999999g": ErrRange,
	} {
		if _, err := ParseInt(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestParseBool(t *testing.T) {
	// Booleans are those of git config --type=bool.
	for text, want := range map[string]bool{"true": true, "YES": true, "on": true, "1": true, "2k": true, "": false, "no": false, "Off": false, "0": false, "false": false} {
		if got, err := ParseBool(Value{Value: text}); got != want || err != nil {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if got, err := ParseBool(Value{Bare: true}); !got || err != nil {
		t.Errorf("a key that stands alone is %v, %v", got, err)
	}
	if _, err := ParseBool(Value{Value: "maybe"}); !errors.Is(err, ErrBool) {
		t.Errorf("maybe: %v", err)
	}
}

func TestBadValue(t *testing.T) {
	// The messages are git's fatal messages.
	file := Value{Value: "abc", Origin: "file:.git/config"}
	for want, e := range map[string]BadValueError{
		"bad numeric config value 'abc' for 'agent.turns' in file .git/config: invalid unit": {"agent.turns", file, ErrUnit},
		"bad numeric config value 'abc' for 'agent.turns': out of range":                     {"agent.turns", Value{Value: "abc", Origin: "command line:"}, ErrRange},
		"bad boolean config value 'abc' for 'agent.fetch'":                                   {"agent.fetch", file, ErrBool},
		"missing value for 'agent.model'":                                                    {"agent.model", file, ErrNoValue},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}

func TestParse(t *testing.T) {
	// An entry has a scope, an origin, a key and, after a newline, a value.
	got := Parse("global\x00file:c\x00agent.a\nv\x00local\x00file:d\x00agent.a\x00")["agent.a"]
	want := []Value{{Scope: "global", Origin: "file:c", Value: "v"}, {Scope: "local", Origin: "file:d", Bare: true}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
}

package payload_test

import (
	"math"
	"slices"
	"testing"

	"journal/journal/agents/payload"
)

func TestValueAbsent(t *testing.T) {
	t.Parallel()
	var v payload.Value
	if v.Exists() || v.Kind() != payload.Absent || v.Str() != "" || v.Len() != 0 || v.JSON() != nil || v.Cut() {
		t.Error("the zero Value is not absent")
	}
	if v.Path("a", "b").Exists() || v.Without("a").Exists() || v.Clean(nil).Exists() {
		t.Error("something comes out of the zero Value")
	}
	for range v.Items() {
		t.Error("the zero Value has an element")
	}
	for range v.Members() {
		t.Error("the zero Value has a member")
	}
}

func TestValueKinds(t *testing.T) {
	t.Parallel()
	v := read(t, `{"n":null,"b":true,"i":7,"s":"x","a":[1,2],"o":{"p":{"q":"deep"}}}`, payload.Limits{})
	for name, want := range map[string]struct {
		kind payload.Kind
		len  int
	}{
		"n": {payload.Null, 0}, "b": {payload.Bool, 0}, "i": {payload.Number, 0}, "s": {payload.String, 0}, "a": {payload.Array, 2},
		"o": {payload.Object, 1}, "missing": {payload.Absent, 0},
	} {
		got := v.Get(name)
		if got.Kind() != want.kind || got.Len() != want.len {
			t.Errorf("%s: kind %v, len %d, want %v, %d", name, got.Kind(), got.Len(), want.kind, want.len)
		}
		if got.Exists() != (name != "missing") {
			t.Errorf("%s: Exists = %v", name, got.Exists())
		}
		if got.Get("p").Exists() != (name == "o") {
			t.Errorf("%s: has a member p", name)
		}
		if (got.Str() != "") != (name == "s") {
			t.Errorf("%s: Str = %q", name, got.Str())
		}
	}
	if got := v.Path("o", "p", "q").Str(); got != "deep" {
		t.Errorf("Path = %q", got)
	}
}

func TestValueNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in      string
		i       int64
		iok     bool
		f       float64
		fok     bool
		b, isBo bool
	}{
		{in: "0", iok: true, fok: true},
		{in: "-7", i: -7, iok: true, f: -7, fok: true},
		{in: "9223372036854775807", i: math.MaxInt64, iok: true, f: math.MaxInt64, fok: true},
		{in: "9223372036854775808", f: math.MaxInt64, fok: true},
		{in: "1.5", f: 1.5, fok: true},
		{in: "1.20e1", i: 12, iok: true, f: 12, fok: true},
		{in: "1e999"},
		{in: `"5"`},
		{in: "true", b: true, isBo: true},
		{in: "false", isBo: true},
		{in: "null"},
		{in: "[]"},
	} {
		v := read(t, tc.in, payload.Limits{})
		if i, ok := v.Int(); i != tc.i || ok != tc.iok {
			t.Errorf("%s: Int = %d, %v", tc.in, i, ok)
		}
		if f, ok := v.Float(); f != tc.f || ok != tc.fok {
			t.Errorf("%s: Float = %v, %v", tc.in, f, ok)
		}
		if b, ok := v.Bool(); b != tc.b || ok != tc.isBo {
			t.Errorf("%s: Bool = %v, %v", tc.in, b, ok)
		}
	}
}

func TestValueWithout(t *testing.T) {
	t.Parallel()
	v := read(t, `{"a":1,"b":{"a":2},"c":3,"d":4}`, payload.Limits{})
	for _, tc := range []struct {
		keys []string
		want string
	}{
		{nil, `{"a":1,"b":{"a":2},"c":3,"d":4}`},
		{[]string{"a", "missing"}, `{"b":{"a":2},"c":3,"d":4}`},
		{[]string{"d", "b"}, `{"a":1,"c":3}`},
		{[]string{"a", "b", "c", "d"}, `{}`},
	} {
		if got := string(v.Without(tc.keys...).JSON()); got != tc.want {
			t.Errorf("Without(%q) = %s, want %s", tc.keys, got, tc.want)
		}
	}
	if got := string(v.JSON()); got != `{"a":1,"b":{"a":2},"c":3,"d":4}` {
		t.Errorf("Without changed the original to %s", got)
	}
	if got := string(v.Get("a").Without("x").JSON()); got != "1" {
		t.Errorf("Without of a number = %s", got)
	}
}

func TestValueIterationStops(t *testing.T) {
	t.Parallel()
	v := read(t, `{"a":[1,2,3],"b":2}`, payload.Limits{})
	var seen []string
	for name := range v.Members() {
		seen = append(seen, name)
		break
	}
	for item := range v.Get("a").Items() {
		seen = append(seen, string(item.JSON()))
		if len(seen) == 3 {
			break
		}
	}
	if want := []string{"a", "1", "2"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
}

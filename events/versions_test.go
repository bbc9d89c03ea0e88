package events

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tideMeasured is an event of this test with two older shapes.
type tideMeasured struct {
	Harbour     string `json:"harbour"`
	Millimetres int64  `json:"mm"`
}

func (tideMeasured) event() {}

type (
	tideV1 struct {
		Place  string `json:"place"`
		Metres int64  `json:"m"`
	}
	tideV2 struct {
		Harbour     string `json:"harbour"`
		Centimetres int64  `json:"cm"`
	}
)

var _ = declare[tideMeasured]("tide.measured", "for tests: a type with a past",
	upgradedFrom(func(o tideV1) tideMeasured { return tideMeasured{o.Place, o.Metres * 1000} }),
	upgradedFrom(func(o tideV2) tideMeasured { return tideMeasured{o.Harbour, o.Centimetres * 10} }),
)

// TestVersions: every shape ever stored comes back as the current one; a future version or an undeclared type is kept
// unchanged.
func TestVersions(t *testing.T) {
	t.Parallel()
	stored := map[int]any{
		1: tideV1{"Busan", 2}, 2: tideV2{"Busan", 200}, 3: tideMeasured{"Busan", 2000},
	}
	for version, shape := range stored {
		body, err := Marshal(shape)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(Envelope{Meta: Meta{Type: "tide.measured", TypeVer: version}, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tideMeasured{"Busan", 2000}, got); diff != "" {
			t.Errorf("version %d:\n%s", version, diff)
		}
	}
	body, err := Marshal(map[string]any{"harbour": "Busan", "fathoms": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Meta{{Type: "tide.measured", TypeVer: 4}, {Type: "moon.seen", TypeVer: 1}} {
		m.Version, m.ID, m.Session, m.Project = EnvelopeVersion, NewID(), "s", "p"
		b, err := Encode(Envelope{Meta: m, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Decode(b, 9)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(e)
		u, ok := got.(Unknown)
		if err != nil || !ok || u.Type != m.Type || u.Version != m.TypeVer || !bytes.Equal(u.Raw, body) {
			t.Errorf("%s version %d is %+v, error %v; want it kept", m.Type, m.TypeVer, got, err)
		}
		v, err := ViewOf(e)
		if err != nil || !v.Unknown || !bytes.Contains(v.Data, []byte(`"fathoms":1`)) {
			t.Errorf("%s is shown as %s, error %v", m.Type, v.Data, err)
		}
	}
}

package snapshot

import (
	"reflect"
	"strings"
	"testing"

	"journal/events"
	"journal/projections"
)

func defined(ps []projections.Projection, vocabulary []events.Declaration) string {
	var b strings.Builder
	define(&b, ps, vocabulary)
	return b.String()
}

// newer is a projection with its next version.
type newer struct{ projections.Projection }

func (n newer) Version() int { return n.Projection.Version() + 1 }

// Another version of a projection or of a type that it reads is another
// definition (DECISIONS 2.10); a type that nobody reads is not.
func TestDefinition(t *testing.T) {
	t.Parallel()
	ps, vocabulary := []projections.Projection{projections.Prompts}, events.Declared()
	want := defined(ps, vocabulary)
	if got := defined(ps, events.Declared()); got != want {
		t.Errorf("defined again it is\n%s\nwant\n%s", got, want)
	}
	if defined([]projections.Projection{newer{projections.Prompts}}, vocabulary) == want {
		t.Error("a new version of the projection is the same definition")
	}
	if defined(append(ps, projections.Todos), vocabulary) == want {
		t.Error("one projection more is the same definition")
	}
	reads := map[events.Type]bool{}
	for _, r := range projections.Prompts.Reads() {
		reads[r.Type] = true
	}
	for i, d := range vocabulary {
		vocabulary[i].Version++
		if changed := defined(ps, vocabulary) != want; changed != reads[d.Name] {
			t.Errorf("a new version of %s changes the definition: %v", d.Name, changed)
		}
		vocabulary[i] = d
	}
}

// A state of another shape is spelled differently, whatever its type is called.
func TestShapes(t *testing.T) {
	t.Parallel()
	type list struct{ Next *list }
	seen := map[string]reflect.Type{}
	for _, shape := range []reflect.Type{
		reflect.TypeFor[struct{ A int }](), reflect.TypeFor[struct{ A string }](), reflect.TypeFor[struct{ B int }](),
		reflect.TypeFor[struct{ A, B int }](), reflect.TypeFor[[]int](), reflect.TypeFor[map[string]int](),
		reflect.TypeFor[map[int]int](), reflect.TypeFor[*int](), reflect.TypeFor[list](),
	} {
		var b strings.Builder
		describe(&b, shape, map[reflect.Type]bool{})
		if twin, ok := seen[b.String()]; ok {
			t.Errorf("%s and %s are both %s", shape, twin, &b)
		}
		seen[b.String()] = shape
	}
}

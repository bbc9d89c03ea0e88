package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"journal/events"
	"journal/projections"
)

// definition is the digest of how this program comes from events to states: every
// projection with its version, the types it reads with the newest version that
// this program understands, and the shape of its state. A new version of a type
// changes what is folded without a new version of the projection (DECISIONS 2.10),
// and a state of another shape would be read as something else.
var definition = sync.OnceValue(func() string {
	h := sha256.New()
	define(h, projections.All(), events.Declared())
	return hex.EncodeToString(h.Sum(nil))
})

func define(w io.Writer, ps []projections.Projection, vocabulary []events.Declaration) {
	types := map[events.Type]events.Declaration{}
	for _, d := range vocabulary {
		types[d.Name] = d
	}
	zero := projections.NewFold(projections.Target{}, projections.Config{}, ps...).States()
	for _, p := range ps {
		fmt.Fprintf(w, "%q %d %s\n", p.Name(), p.Version(), p.Scope())
		for _, r := range p.Reads() {
			fmt.Fprintf(w, " %q %s %d %v\n", r.Type, r.Scope, types[r.Type].Version, types[r.Type].Fields)
		}
		var shape strings.Builder
		describe(&shape, reflect.TypeOf(zero[p.Name()]), map[reflect.Type]bool{})
		fmt.Fprintf(w, " %s\n", shape.String())
	}
}

// describe spells a type with everything in it. A type inside of itself is spelled
// by its name.
func describe(b *strings.Builder, t reflect.Type, open map[reflect.Type]bool) {
	if open[t] {
		fmt.Fprintf(b, "%s", t)
		return
	}
	open[t] = true
	defer delete(open, t)
	fmt.Fprintf(b, "%s:%s", t, t.Kind())
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		b.WriteString("(")
		describe(b, t.Elem(), open)
		b.WriteString(")")
	case reflect.Map:
		b.WriteString("(")
		describe(b, t.Key(), open)
		b.WriteString(",")
		describe(b, t.Elem(), open)
		b.WriteString(")")
	case reflect.Struct:
		b.WriteString("{")
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(b, "%s %q ", f.Name, f.Tag)
			describe(b, f.Type, open)
			b.WriteString(";")
		}
		b.WriteString("}")
	}
}

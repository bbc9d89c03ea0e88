package events

import (
	"encoding"
	"reflect"
	"strings"
	"sync"

	"github.com/vmihailenco/msgpack/v5"
)

// unmarshalBody decodes the body of an event into v, which is zero. It reads what
// marshal writes with the shape of the type; whatever is spelled in another way,
// and every type with a shape of its own, is left to the general decoder, so that
// both give the same. The caller has run Check.
func unmarshalBody[T any](b []byte, v *T) error {
	if s := shapeOf(reflect.TypeFor[T]()); s != nil {
		if end, ok := s.read(reflect.ValueOf(v).Elem(), b, 0); ok && end == len(b) {
			return nil
		}
		var zero T
		*v = zero
	}
	return unmarshal(b, v)
}

// shape is how values of a Go type are spelled. A nil shape is one that only the
// general decoder knows.
type shape struct {
	goType reflect.Type
	kind   reflect.Kind
	elem   *shape         // of a slice
	fields []shapeField   // of a struct, in the order in which marshal writes them
	index  map[string]int // of fields by their stored name
}

type shapeField struct {
	name  string
	at    int // in the Go struct
	shape *shape
}

// maxFields bounds the fields of a struct: one bit for each says whether it was
// read.
const maxFields = 64

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	shapes.Store(t, (*shape)(nil)) // what holds itself is left to the general decoder
	s := newShape(t)
	shapes.Store(t, s)
	return s
}

// special are the interfaces by which a type can decode itself.
var special = []reflect.Type{
	reflect.TypeFor[msgpack.CustomDecoder](), reflect.TypeFor[msgpack.Unmarshaler](),
	reflect.TypeFor[encoding.BinaryUnmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
}

func newShape(t reflect.Type) *shape {
	for _, s := range special {
		if t.Implements(s) || reflect.PointerTo(t).Implements(s) {
			return nil
		}
	}
	s := &shape{goType: t, kind: t.Kind()}
	switch s.kind {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint64:
		return s
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 || t.Elem() == t {
			return nil
		}
		if s.elem = shapeOf(t.Elem()); s.elem == nil {
			return nil
		}
		return s
	case reflect.Struct:
		if !s.addFields(t) {
			return nil
		}
		return s
	}
	return nil
}

// addFields takes over the fields of a struct; false when one of them needs the
// general decoder.
func (s *shape) addFields(t reflect.Type) bool {
	s.index = make(map[string]int, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get(fieldTag), ",")
		if name == "-" && rest == "" {
			continue
		}
		if !f.IsExported() || f.Anonymous || name == "" || rest != "" && rest != "omitempty" || len(s.fields) == maxFields {
			return false
		}
		of := shapeOf(f.Type)
		if of == nil {
			return false
		}
		s.index[name] = len(s.fields)
		s.fields = append(s.fields, shapeField{name, i, of})
	}
	return true
}

// read reads the value at b[i] into v, which is zero. ok is false for what is not
// as marshal writes it; v is then to be thrown away.
func (s *shape) read(v reflect.Value, b []byte, i int) (next int, ok bool) {
	switch s.kind {
	case reflect.String:
		var text []byte
		if text, next, ok = textAt(b, i); ok {
			v.SetString(string(text))
		}
		return next, ok
	case reflect.Int, reflect.Int64:
		var n int64
		if n, next, ok = integerAt(b, i); ok {
			v.SetInt(n)
		}
		return next, ok && (s.kind == reflect.Int64 || int64(int(n)) == n)
	case reflect.Uint64:
		var n int64
		if n, next, ok = integerAt(b, i); ok && n >= 0 {
			v.SetUint(uint64(n))
		}
		return next, ok && n >= 0
	case reflect.Bool:
		if i >= len(b) || b[i] != 0xc2 && b[i] != 0xc3 {
			return 0, false
		}
		v.SetBool(b[i] == 0xc3)
		return i + 1, true
	case reflect.Slice:
		return s.readSlice(v, b, i)
	}
	return s.readStruct(v, b, i)
}

func (s *shape) readSlice(v reflect.Value, b []byte, i int) (next int, ok bool) {
	n, i, ok := elements(b, i)
	if !ok || n == 0 {
		return 0, false
	}
	// Memory grows with what was read: a head can announce more elements than the
	// bytes after it can be.
	all := reflect.MakeSlice(s.goType, 0, min(n, 16))
	for k := range n {
		all = longer(all)
		if i, ok = s.elem.read(all.Index(k), b, i); !ok {
			return 0, false
		}
	}
	v.Set(all)
	return i, true
}

// longer gives a slice with one more, zero, element.
func longer(s reflect.Value) reflect.Value {
	if s.Len() == s.Cap() {
		twice := reflect.MakeSlice(s.Type(), s.Len(), 2*s.Cap())
		reflect.Copy(twice, s)
		s = twice
	}
	return s.Slice(0, s.Len()+1)
}

func (s *shape) readStruct(v reflect.Value, b []byte, i int) (next int, ok bool) {
	pairs, i, ok := members(b, i)
	if !ok {
		return 0, false
	}
	var seen uint64
	expected := 0
	for range pairs {
		var name []byte
		if name, i, ok = textAt(b, i); !ok {
			return 0, false
		}
		for expected < len(s.fields) && s.fields[expected].name != string(name) {
			expected++ // left out because it is empty
		}
		k := expected
		if k == len(s.fields) {
			if k, ok = s.index[string(name)]; !ok {
				var err error
				if i, err = skip(b, i, maxDepth); err != nil {
					return 0, false
				}
				expected = 0
				continue
			}
		}
		if seen&(1<<k) != 0 {
			return 0, false
		}
		seen |= 1 << k
		f := s.fields[k]
		if i, ok = f.shape.read(v.Field(f.at), b, i); !ok {
			return 0, false
		}
		expected = k + 1
	}
	return i, true
}

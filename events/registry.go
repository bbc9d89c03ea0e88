package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Event is a fact of this package. The unexported method seals it: what is not
// declared here cannot be appended.
type Event interface{ event() }

// Unknown is an event that this program does not declare, or declares in an
// older version. It is kept, shown and exported byte for byte, and ignored by
// folds, so that an older binary reads a newer log.
type Unknown struct {
	Type    Type
	Version int
	Raw     Raw
}

func (Unknown) event() {}

// Declaration describes one declared type. It is read-only.
type Declaration struct {
	Name       Type
	Version    int     // current version of the shape, from 1
	Doc        string  // one line
	Fields     []Field // in the order of the Go struct
	Appendable bool    // whether `journal append` and other appenders may write it (ADR-0030 rule 4)
}

// Field is one field of a declared type.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // string, integer, boolean, list, object
	Optional bool   `json:"optional"`
}

type declaration struct {
	name       Type
	version    int
	doc        string
	goType     reflect.Type
	appendable bool
	reserved   bool
	lasting    bool
	readers    map[int]func([]byte) (Event, error)
	recognise  func(Hook) []Event
}

var (
	declared = map[Type]*declaration{}
	byGoType = map[reflect.Type]*declaration{}
)

// option is one clause of a declaration of E.
type option[E Event] func(*clauses[E])

type clauses[E Event] struct {
	old        []func([]byte) (Event, error)
	recognise  func(Hook) []Event
	appendable bool
	reserved   bool
	lasting    bool
}

// declare makes E an event with the stored name. It runs as a package variable,
// so that adding an event adds a file, and panics on a name or a Go type used
// twice.
func declare[E Event](name Type, doc string, opts ...option[E]) Type {
	goType := reflect.TypeFor[E]()
	if declared[name] != nil || byGoType[goType] != nil {
		panic(fmt.Sprintf("events: %s (%s) is declared twice", name, goType))
	}
	var c clauses[E]
	for _, o := range opts {
		o(&c)
	}
	d := &declaration{
		name: name, doc: doc, goType: goType,
		version: 1 + len(c.old), appendable: c.appendable, reserved: c.reserved, lasting: c.lasting, recognise: c.recognise,
		readers: map[int]func([]byte) (Event, error){},
	}
	for i, read := range c.old {
		d.readers[1+i] = read
	}
	d.readers[d.version] = func(b []byte) (Event, error) {
		var e E
		err := unmarshalBody(b, &e)
		return e, err
	}
	declared[name], byGoType[goType] = d, d
	return name
}

// was keeps an old shape of E readable. Shapes are given oldest first, and each
// goes straight to the current one: when the current shape changes the compiler
// points at every one of them.
func was[Old any, E Event](up func(Old) E) option[E] {
	return func(c *clauses[E]) {
		c.old = append(c.old, func(b []byte) (Event, error) {
			var o Old
			if err := unmarshalBody(b, &o); err != nil {
				return nil, err
			}
			return up(o), nil
		})
	}
}

// from says which hooks mean E.
func from[E Event](f func(Hook) (E, bool)) option[E] {
	return func(c *clauses[E]) {
		c.recognise = func(h Hook) []Event {
			if e, ok := f(h); ok {
				return []Event{e}
			}
			return nil
		}
	}
}

// fromEach is from for hooks that can mean several events of one type.
func fromEach[E Event](f func(Hook) []E) option[E] {
	return func(c *clauses[E]) {
		c.recognise = func(h Hook) []Event {
			var all []Event
			for _, e := range f(h) {
				all = append(all, e)
			}
			return all
		}
	}
}

// appendable lets appenders other than the journal's own hooks write E.
func appendable[E Event]() option[E] {
	return func(c *clauses[E]) { c.appendable = true }
}

// reserved keeps E for the owner of the log, who alone can know it.
func reserved[E Event]() option[E] {
	return func(c *clauses[E]) { c.reserved = true }
}

// Reserved says whether only the owner of the log may append a type.
func Reserved(t Type) bool { return declared[t] != nil && declared[t].reserved }

// Lasting says whether events of a type are kept when retention removes those of old
// sessions (ADR-0052). Of a type that is not declared nobody here can tell: it is kept.
func Lasting(t Type) bool { return declared[t] == nil || declared[t].lasting }

// Appendable says whether a person or a script may append a type. Of what is not declared
// that is not known: no.
func Appendable(t Type) bool { return declared[t] != nil && declared[t].appendable }

// TakenFrom says whether the owner takes an event of a type from somebody else: from a
// person or a script, without an agent, what is declared appendable, and from an agent's
// hooks everything that is not the owner's own to know. What is not declared is taken: a
// newer program may know it.
func TakenFrom(agent string, t Type) bool {
	d := declared[t]
	return d == nil || d.appendable || agent != "" && !d.reserved
}

// TypeOf gives the stored name of E.
func TypeOf[E Event]() Type {
	d := byGoType[reflect.TypeFor[E]()]
	if d == nil {
		panic(fmt.Sprintf("events: %s is not declared", reflect.TypeFor[E]()))
	}
	return d.name
}

// Declared lists every declared type, sorted by name.
func Declared() []Declaration {
	all := make([]Declaration, 0, len(declared))
	for _, d := range declared {
		all = append(all, Declaration{
			Name: d.name, Version: d.version, Doc: d.doc,
			Fields: fieldsOf(d.goType), Appendable: d.appendable,
		})
	}
	slices.SortFunc(all, func(a, b Declaration) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return all
}

// lasting keeps E when a person's retention removes what else a session did: what was
// said or decided on purpose, what a compaction summarised, and what tells whose it is.
func lasting[E Event]() option[E] {
	return func(c *clauses[E]) { c.lasting = true }
}

// FromJSON makes the event of a declared, appendable type from its JSON form.
// Unknown fields, ill-typed fields and undeclared types are refused with the
// reason: what a person or a script writes is checked before it is kept for
// ever. Empty data is the zero event.
func FromJSON(name Type, data []byte) (Event, error) {
	d := declared[name]
	if d == nil {
		return nil, wrapf(ErrUndeclared, "%q", string(name))
	}
	if !d.appendable {
		return nil, wrapf(ErrNotAppendable, "%s", name)
	}
	v := reflect.New(d.goType)
	if len(bytes.TrimSpace(data)) > 0 {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(v.Interface()); err != nil {
			return nil, wrapf(ErrMalformed, "%s: %s", name, explain(err, d))
		}
		if _, err := dec.Token(); err != io.EOF {
			return nil, wrapf(ErrMalformed, "%s: more than one JSON value", name)
		}
	}
	e := v.Elem().Interface().(Event)
	if r, ok := e.(interface{ validate() error }); ok {
		if err := r.validate(); err != nil {
			return nil, wrapf(ErrMalformed, "%s: %v", name, err)
		}
	}
	return e, nil
}

// explain turns a JSON error into one that names the fields there are.
func explain(err error, d *declaration) string {
	var names []string
	for _, f := range fieldsOf(d.goType) {
		names = append(names, f.Name)
	}
	what := strings.TrimPrefix(err.Error(), "json: ")
	var ill *json.UnmarshalTypeError
	if errors.As(err, &ill) {
		if ill.Field != "" {
			return fmt.Sprintf("field %q cannot hold a %s", ill.Field, ill.Value)
		}
		what = ill.Value + " where an object belongs"
	}
	return fmt.Sprintf("%s (fields: %s)", what, strings.Join(names, ", "))
}

func declarationOf(e Event) (*declaration, error) {
	d := byGoType[reflect.TypeOf(e)]
	if d == nil {
		return nil, wrapf(ErrUndeclared, "%T", e)
	}
	return d, nil
}

func fieldsOf(t reflect.Type) []Field {
	var fs []Field
	for i := range t.NumField() {
		name, rest, _ := strings.Cut(t.Field(i).Tag.Get(fieldTag), ",")
		fs = append(fs, Field{Name: name, Type: jsonType(t.Field(i).Type), Optional: strings.Contains(rest, "omitempty")})
	}
	return fs
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "list"
	case reflect.Struct:
		return "object"
	default:
		return "integer"
	}
}

// recognisers are the declarations that recognise hooks, sorted by name. The
// list is made once: every declaration runs before the first hook is read.
var recognisers = sync.OnceValue(func() []*declaration {
	var all []*declaration
	for _, d := range declared {
		if d.recognise != nil {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *declaration) int { return strings.Compare(string(a.name), string(b.name)) })
	return all
})

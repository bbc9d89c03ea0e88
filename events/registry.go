package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Event is a declared fact. The unexported method seals it: types that are not declared here cannot be appended.
type Event interface{ event() }

// Unknown is an event of a type or version that this program does not declare, such as one of a later program. It is kept,
// shown and exported, and folds ignore it.
type Unknown struct {
	Type    Type
	Version int
	Raw     Raw
}

func (Unknown) event() {}

// Declaration describes one declared type. It is read-only.
type Declaration struct {
	Name       Type    `json:"name"`
	Version    int     `json:"version"`    // current version of the shape, from 1
	Doc        string  `json:"doc"`        // one line
	Appendable bool    `json:"appendable"` // whether `journal append` and other appenders may write it (ADR-0030 rule 4)
	Fields     []Field `json:"fields"`     // in struct order
}

// Field is one field of a declared type.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // string, integer, boolean, list, object
	Optional bool   `json:"optional"`
}

// declaration is a declared type. The option with a boolean's name describes the boolean.
type declaration struct {
	name         Type
	version      int
	doc          string
	goType       reflect.Type
	appendable   bool
	reserved     bool
	lasting      bool
	bookkeeping  bool
	irreversible bool
	onDisk       bool
	readers      []reader           // of version 1, 2 and so on
	recognise    func(Hook) []Event // nil for a type that no hook means
	required     [][]string         // groups of fields that must not be empty; each group has one error message
}

// reader decodes a body of one version.
type reader func([]byte) (Event, error)

var (
	declared = make(map[Type]*declaration, 128)
	byGoType = make(map[reflect.Type]*declaration, 128)
)

// option is a part of a declaration.
type option func(*declaration)

// declare declares E under its stored name, and returns the name. It is for the declaration of a package variable. It panics on a
// duplicate name or Go type.
func declare[E Event](name Type, doc string, opts ...option) Type {
	goType := reflect.TypeFor[E]()
	if declared[name] != nil || byGoType[goType] != nil {
		panic(fmt.Sprintf("events: %s (%s) is declared twice", name, goType))
	}
	d := &declaration{name: name, doc: doc, goType: goType}
	for _, o := range opts {
		o(d)
	}
	d.readers = append(d.readers, func(b []byte) (Event, error) {
		var e E
		err := Unmarshal(b, &e)
		return e, err
	})
	d.version = len(d.readers)
	declared[name], byGoType[goType] = d, d
	return name
}

// upgradedFrom keeps an old shape of E readable. Shapes are listed oldest first. Each is converted directly to the current
// shape, so that the compiler finds every conversion when the current shape changes.
func upgradedFrom[Old any, E Event](up func(Old) E) option {
	return func(d *declaration) {
		d.readers = append(d.readers, func(b []byte) (Event, error) {
			var o Old
			if err := Unmarshal(b, &o); err != nil {
				return nil, err
			}
			return up(o), nil
		})
	}
}

// from recognises one event in each hook of a kind.
func from[E Event](kind HookKind, f func(Hook) E) option {
	return fromSome(kind, func(h Hook) (E, bool) { return f(h), true })
}

// fromSome recognises an event in each hook of a kind for which f returns true.
func fromSome[E Event](kind HookKind, f func(Hook) (E, bool)) option {
	return fromEach(func(h Hook) []E {
		if h.Kind == kind {
			if e, ok := f(h); ok {
				return []E{e}
			}
		}
		return nil
	})
}

// fromCall recognises the events that f returns in each successful tool call with one of the actions.
func fromCall[E Event](f func(Hook, *ToolCall) []E, actions ...Action) option {
	return fromEach(func(h Hook) []E {
		if h.Kind != ToolEnd || h.Tool.Failed || !slices.Contains(actions, h.Tool.Action) {
			return nil
		}
		return f(h, h.Tool)
	})
}

// fromEach recognises the events that f returns in a hook of any kind.
func fromEach[E Event](f func(Hook) []E) option {
	return func(d *declaration) {
		d.recognise = func(h Hook) []Event {
			var all []Event
			for _, e := range f(h) {
				all = append(all, e)
			}
			return all
		}
	}
}

// appendable lets a person or a script append the event, and not only the journal's own hooks.
func appendable(d *declaration) { d.appendable = true }

// reserved lets only the owner of the log append the event.
func reserved(d *declaration) { d.reserved = true }

// lasting makes retention keep the event when it removes the others of an old session: for what a person or an agent recorded on
// purpose, summaries of compactions, and events that later sessions need.
func lasting(d *declaration) { d.lasting = true }

// bookkeeping marks an event about earlier events, which is recorded at any later time: it is no evidence that its session was at
// work then.
func bookkeeping(d *declaration) { d.bookkeeping = true }

// irreversible exempts the event from rewinds of the conversation: for events outside of it.
func irreversible(d *declaration) { d.irreversible = true }

// onDisk exempts the event from rewinds that do not restore the files.
func onDisk(d *declaration) { d.onDisk = true }

// requires makes FromJSON refuse an event in which one of the fields is empty.
func requires(fields ...string) option {
	return func(d *declaration) { d.required = append(d.required, fields) }
}

// IsCurrent reports whether an event is declared and stored in its current version.
func IsCurrent(e Envelope) bool {
	d := declared[e.Type]
	return d != nil && e.TypeVer == d.version
}

// Reserved reports whether only the owner of the log may append a type.
func Reserved(t Type) bool { return declared[t] != nil && declared[t].reserved }

// Bookkeeping reports whether events of a type are no evidence that their session was at work when they were recorded: events of the
// owner, and events about earlier events.
func Bookkeeping(t Type) bool {
	return declared[t] != nil && (declared[t].reserved || declared[t].bookkeeping)
}

// Lasting reports whether retention keeps events of a type in old sessions (ADR-0052). It keeps undeclared types,
// because their meaning is unknown.
func Lasting(t Type) bool { return declared[t] == nil || declared[t].lasting }

// Reversible reports whether a rewind of the conversation takes back events of a type; files is set if the client
// restored the files. Undeclared types are not reversible, because their meaning is unknown.
func Reversible(t Type, files bool) bool {
	d := declared[t]
	return d != nil && !d.irreversible && (files || !d.onDisk)
}

// Appendable reports whether a person or a script may append a type. Undeclared types are not appendable.
func Appendable(t Type) bool { return declared[t] != nil && declared[t].appendable }

// AcceptedFrom reports whether the owner accepts a type from an appender. A person or a script, whose agent is empty, may
// append appendable types; an agent's hooks may append all but reserved types. Anyone may append an undeclared type: a newer
// program may know it.
func AcceptedFrom(agent string, t Type) bool {
	d := declared[t]
	return d == nil || d.appendable || agent != "" && !d.reserved
}

// TypeOf returns the stored name of E.
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

// FromJSON returns the event of an appendable type from its JSON form. Empty data counts as {}. It checks the input of people and
// scripts: the error is ErrUndeclared, ErrNotAppendable, or ErrMalformed with the reason for unknown, ill-typed or
// missing fields.
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
	if err := d.check(v.Elem()); err != nil {
		return nil, wrapf(ErrMalformed, "%s: %v", name, err)
	}
	return v.Elem().Interface().(Event), nil
}

// check returns an error for a required field that is empty or a field that is invalid.
func (d *declaration) check(v reflect.Value) error {
	fields := fieldsOf(d.goType)
	for _, names := range d.required {
		for _, name := range names {
			if v.Field(slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })).IsZero() {
				verb := "is"
				if len(names) > 1 {
					verb = "are"
				}
				return fmt.Errorf("%s %s required", enumerated(names, "and"), verb)
			}
		}
	}
	if e, ok := v.Interface().(interface{ validate() error }); ok {
		return e.validate()
	}
	return nil
}

// oneOf checks that the named field has one of the allowed words.
func oneOf(name, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return fmt.Errorf("%s is %s", name, enumerated(quoted, "or"))
}

// enumerated joins words with commas, and a conjunction before the last.
func enumerated(words []string, conjunction string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// explain returns the text of an error of the JSON decoder: the field that is ill-typed, or the reason and the valid fields.
func explain(err error, d *declaration) string {
	var names []string
	for _, f := range fieldsOf(d.goType) {
		names = append(names, f.Name)
	}
	reason := strings.TrimPrefix(err.Error(), "json: ")
	var ill *json.UnmarshalTypeError
	if errors.As(err, &ill) {
		if ill.Field != "" {
			return fmt.Sprintf("field %q cannot hold a %s", ill.Field, ill.Value)
		}
		reason = ill.Value + " where an object belongs"
	}
	return fmt.Sprintf("%s (fields: %s)", reason, strings.Join(names, ", "))
}

// fieldsOf lists the fields of an event's Go type.
func fieldsOf(t reflect.Type) []Field {
	fs := []Field{}
	for field := range t.Fields() {
		name, rest, _ := strings.Cut(field.Tag.Get(fieldTag), ",")
		fs = append(fs, Field{Name: name, Type: jsonType(field.Type), Optional: strings.Contains(rest, "omitempty")})
	}
	return fs
}

// jsonType returns the Field.Type of a Go type.
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

// recognisers lists the declarations that recognise hooks, sorted by name.
var recognisers = sync.OnceValue(func() []*declaration {
	all := slices.SortedFunc(maps.Values(declared), func(a, b *declaration) int { return strings.Compare(string(a.name), string(b.name)) })
	return slices.DeleteFunc(all, func(d *declaration) bool { return d.recognise == nil })
})

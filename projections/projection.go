package projections

import (
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// Scope is whose events a transition sees (ADR-0015).
type Scope int

const (
	// Lane is one context: the main thread of a session, or one subagent.
	Lane Scope = iota
	// Session is every lane of one session.
	Session
	// Project is every session of one project.
	Project
	// User is the whole log.
	User
)

func (s Scope) String() string {
	return [...]string{"lane", "session", "project", "user"}[s]
}

// Target is what is folded: one lane of one session of one project.
type Target struct {
	Project string
	Session string
	Lane    string
}

// sees says whether an event is within a scope of the target.
func (t Target) sees(s Scope, m events.Meta) bool {
	switch s {
	case Lane:
		return m.Session == t.Session && m.Project == t.Project && m.Lane == t.Lane
	case Session:
		return m.Session == t.Session && m.Project == t.Project
	case Project:
		return m.Project == t.Project
	default:
		return true
	}
}

// At is what a transition is told beside the event: where and when it stands in
// the log, and what is folded with which parameters. A fact that was read in a
// wider scope than the projection's own may be about somebody else.
type At struct {
	events.Meta
	Config Config
	Target Target
}

// Projection is a declared fold, whatever its state.
type Projection interface {
	// Name is the stable name that scripts use.
	Name() string
	// Version is bumped when the meaning of the fold changes.
	Version() int
	// Scope is the narrowest scope that its transitions see events of.
	Scope() Scope
	// Doc is one line for people.
	Doc() string
	// Reads lists the types it reads, with the scope of each, sorted by type.
	Reads() []Read
	// Behind lists the types of which one has to come in a session before an event of a type matters there; none
	// where it always may.
	Behind(events.Type) []events.Type
	// Apart says that it tells of other sessions and grows with them: who asks for a session does not mean it.
	Apart() bool
	start() cell
}

// Read is one type that a projection reads and the scope it reads it in.
type Read struct {
	Type  events.Type
	Scope Scope
}

// Def is a declared fold with states of type S. The zero S is the state of the
// empty log.
type Def[S any] struct {
	name    string
	version int
	scope   Scope
	doc     string
	on      map[events.Type]transition[S]
	behind  map[events.Type][]events.Type
	apart   bool
}

type transition[S any] struct {
	scope Scope
	apply func(S, events.Event, At) S
}

// Clause is one line of a declaration: an event type, and what it does.
type Clause[S any] func(*Def[S])

// On reads events of type E within the projection's scope. f must not change
// what it was given: it copies a slice or map before it writes to it.
func On[S any, E events.Event](f func(S, E, At) S) Clause[S] {
	return func(d *Def[S]) { d.read(d.scope, events.TypeOf[E](), erase(f)) }
}

// OnIn is On within a wider scope than the projection's own, for facts that
// concern a lane though another one reported them.
func OnIn[S any, E events.Event](s Scope, f func(S, E, At) S) Clause[S] {
	return func(d *Def[S]) { d.read(s, events.TypeOf[E](), erase(f)) }
}

// part makes of what an event does to a part of a state what it does to the state.
func part[S, P any, E events.Event](of func(*S) *P, f func(P, E, At) P) func(S, E, At) S {
	return func(s S, e E, at At) S {
		p := of(&s)
		*p = f(*p, e, at)
		return s
	}
}

func erase[S any, E events.Event](f func(S, E, At) S) func(S, events.Event, At) S {
	return func(s S, e events.Event, at At) S {
		ev, ok := e.(E)
		if !ok { // a version from the future
			return s
		}
		return f(s, ev, at)
	}
}

// Behind declares that events of some types change nothing in a session before one of the opening types came there: who
// reads the log of one session then reads such events of those sessions alone.
func Behind[S any](opening []events.Type, of ...events.Type) Clause[S] {
	return func(d *Def[S]) {
		for _, t := range of {
			d.behind[t] = opening
		}
	}
}

// Apart declares that a projection is shown where it is asked for by its name.
func Apart[S any](d *Def[S]) { d.apart = true }

func (d *Def[S]) read(s Scope, t events.Type, f func(S, events.Event, At) S) {
	if _, twice := d.on[t]; twice {
		panic(fmt.Sprintf("projections: %s reads %s twice", d.name, t))
	}
	d.on[t] = transition[S]{s, f}
}

var declared = map[string]Projection{}

// Declare makes a projection. It runs as a package variable and panics on a
// name used twice.
func Declare[S any](name string, version int, scope Scope, doc string, clauses ...Clause[S]) *Def[S] {
	if declared[name] != nil {
		panic("projections: " + name + " is declared twice")
	}
	d := &Def[S]{name: name, version: version, scope: scope, doc: doc, on: map[events.Type]transition[S]{}, behind: map[events.Type][]events.Type{}}
	for _, c := range clauses {
		c(d)
	}
	declared[name] = d
	return d
}

// All lists every declared projection, sorted by name.
func All() []Projection {
	all := make([]Projection, 0, len(declared))
	for _, p := range declared {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Projection) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// Named gives a declared projection.
func Named(name string) (Projection, bool) {
	p, ok := declared[name]
	return p, ok
}

// Name is what it was declared as.
func (d *Def[S]) Name() string { return d.name }

// Version is that of the shape of its state.
func (d *Def[S]) Version() int { return d.version }

// Scope says which events it takes.
func (d *Def[S]) Scope() Scope { return d.scope }

// Doc is what it tells, in one line.
func (d *Def[S]) Doc() string { return d.doc }

// Reads lists the types of events that it takes.
func (d *Def[S]) Reads() []Read {
	var all []Read
	for t, on := range d.on {
		all = append(all, Read{t, on.scope})
	}
	slices.SortFunc(all, func(a, b Read) int { return strings.Compare(string(a.Type), string(b.Type)) })
	return all
}

// Behind lists the types of which one has to come before an event of a type matters.
func (d *Def[S]) Behind(t events.Type) []events.Type { return d.behind[t] }

// Apart says that it is shown where it is asked for by its name.
func (d *Def[S]) Apart() bool { return d.apart }

// Next gives the state that one more event leads to, for whoever keeps states of many targets and
// not their folds. What is read in a wider scope than most is left out.
func (d *Def[S]) Next(s S, most Scope, e events.Event, at At) S {
	if on, ok := d.on[at.Type]; ok && on.scope <= most && at.Target.sees(on.scope, at.Meta) {
		s = on.apply(s, e, at)
	}
	return s
}

// In gives the projection's state in a fold; the zero state when the fold does
// not hold the projection.
func (d *Def[S]) In(f *Fold) S {
	for _, c := range f.cells {
		if c, ok := c.(*cellOf[S]); ok && c.def == d {
			return c.state
		}
	}
	var zero S
	return zero
}

// cell is the running state of one projection in a fold.
type cell interface {
	projection() Projection
	apply(events.Event, At)
	value() any
	clone() cell
}

type cellOf[S any] struct {
	def   *Def[S]
	state S
}

func (d *Def[S]) start() cell { return &cellOf[S]{def: d} }

func (c *cellOf[S]) projection() Projection { return c.def }
func (c *cellOf[S]) value() any             { return c.state }
func (c *cellOf[S]) clone() cell            { return &cellOf[S]{c.def, c.state} }

func (c *cellOf[S]) apply(e events.Event, at At) {
	if on, ok := c.def.on[at.Type]; ok {
		c.state = on.apply(c.state, e, at)
	}
}

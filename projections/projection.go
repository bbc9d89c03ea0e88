package projections

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/events"
)

// Scope selects the events that a transition sees: of a lane, a session or a project (ADR-0015).
type Scope int

const (
	// Lane is one context: the main lane of a session, or one subagent.
	Lane Scope = iota
	// Session is every lane of one session.
	Session
	// Project is every session of one project.
	Project
	// User is the whole log.
	User
)

// String returns the name of the scope.
func (s Scope) String() string {
	return [...]string{"lane", "session", "project", "user"}[s]
}

// Target names what a fold is about: one lane of one session of one project.
type Target struct {
	Project string
	Session string
	Lane    string
}

// sees reports whether an event is within a scope of the target.
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

// At holds an event's metadata, and the fold's parameters and target. A transition at a wider scope than Lane also gets events
// of lanes, sessions or projects other than the target's.
type At struct {
	events.Meta
	Config Config
	Target Target
}

// Projection is a declared fold, whatever the type of its state.
type Projection interface {
	// Name returns the stable name that scripts use.
	Name() string
	// Version returns a number that rises when the meaning of the fold changes.
	Version() int
	// Scope returns the narrowest scope at which its transitions read events.
	Scope() Scope
	// Doc returns one line for people.
	Doc() string
	// Reads lists the event types that the projection reads, with the scope of each, sorted by type.
	Reads() []Read
	// SessionOpeners returns the opening types of type t: events of type t change no state in a session without an event of an
	// opening type. It is empty if they may change the state of any session.
	SessionOpeners(t events.Type) []events.Type
	// ProjectOpeners returns the opening types of type t for a project: events of type t change no state in a project without an
	// event of an opening type. It is empty if they may change the state of any project.
	ProjectOpeners(t events.Type) []events.Type
	// AllSessions reports whether its state is about all sessions and grows with their number. Such a state is shown only when it is
	// requested by name.
	AllSessions() bool
	start() cell
}

// Read is a type that a projection reads, and the scope at which it reads it.
type Read struct {
	Type  events.Type
	Scope Scope
}

// Def is a declared fold with states of type S. The zero S is the state of the empty log.
type Def[S any] struct {
	name           string
	version        int
	scope          Scope
	doc            string
	on             map[events.Type]transition[S]
	sessionOpeners map[events.Type][]events.Type
	projectOpeners map[events.Type][]events.Type
	allSessions    bool
}

// transition is the function that applies the events of one type to a state.
type transition[S any] struct {
	scope Scope
	apply func(S, events.Event, At) S
}

// Clause is a part of a declaration, such as an event type and its transition.
type Clause[S any] func(*Def[S])

// On declares the transition for events of type E within the projection's scope. f must not modify its arguments: it copies
// a slice or map before it writes to it.
func On[S any, E events.Event](f func(S, E, At) S) Clause[S] {
	return func(d *Def[S]) { d.addTransition(d.scope, events.TypeOf[E](), erase(f)) }
}

// OnIn is On at a wider scope than the projection's own. It is for events about the target that another lane or session reports.
func OnIn[S any, E events.Event](s Scope, f func(S, E, At) S) Clause[S] {
	return func(d *Def[S]) { d.addTransition(s, events.TypeOf[E](), erase(f)) }
}

// part turns a transition of a part of the state into a transition of the whole state. field returns the part.
func part[S, P any, E events.Event](field func(*S) *P, f func(P, E, At) P) func(S, E, At) S {
	return func(s S, e E, at At) S {
		p := field(&s)
		*p = f(*p, e, at)
		return s
	}
}

// erase returns a transition for any event. It ignores events that are no E: an event of a future version is an events.Unknown.
func erase[S any, E events.Event](f func(S, E, At) S) func(S, events.Event, At) S {
	return func(s S, e events.Event, at At) S {
		if ev, ok := e.(E); ok {
			return f(s, ev, at)
		}
		return s
	}
}

// OpenedInSession declares that events of some types change no state before an event of an opening type in their session. Replays
// then read such events only from sessions with an event of an opening type.
func OpenedInSession[S any](opening []events.Type, types ...events.Type) Clause[S] {
	return func(d *Def[S]) {
		for _, t := range types {
			d.sessionOpeners[t] = opening
		}
	}
}

// OpenedInProject is OpenedInSession for a whole project: events of some types change no state before an event of an opening type in
// any of its sessions.
func OpenedInProject[S any](opening []events.Type, types ...events.Type) Clause[S] {
	return func(d *Def[S]) {
		for _, t := range types {
			d.projectOpeners[t] = opening
		}
	}
}

// AllSessions declares that the state of a projection is about all sessions: see Projection.AllSessions.
func AllSessions[S any](d *Def[S]) { d.allSessions = true }

// addTransition adds the transition for a type. It panics if the type already has one.
func (d *Def[S]) addTransition(s Scope, t events.Type, f func(S, events.Event, At) S) {
	if _, twice := d.on[t]; twice {
		panic(fmt.Sprintf("projections: %s reads %s twice", d.name, t))
	}
	d.on[t] = transition[S]{s, f}
}

var declared = map[string]Projection{}

// Declare declares a projection, for use in the declaration of a package variable. doc describes it in one line. It panics on
// a duplicate name.
func Declare[S any](name string, version int, scope Scope, doc string, clauses ...Clause[S]) *Def[S] {
	if declared[name] != nil {
		panic("projections: " + name + " is declared twice")
	}
	d := &Def[S]{name: name, version: version, scope: scope, doc: doc, on: map[events.Type]transition[S]{}, sessionOpeners: map[events.Type][]events.Type{}, projectOpeners: map[events.Type][]events.Type{}}
	for _, c := range clauses {
		c(d)
	}
	declared[name] = d
	return d
}

// All lists every declared projection, sorted by name.
func All() []Projection {
	return slices.SortedFunc(maps.Values(declared), func(a, b Projection) int { return strings.Compare(a.Name(), b.Name()) })
}

// Named returns a declared projection by name.
func Named(name string) (Projection, bool) {
	p, ok := declared[name]
	return p, ok
}

// Name implements Projection.
func (d *Def[S]) Name() string { return d.name }

// Version implements Projection.
func (d *Def[S]) Version() int { return d.version }

// Scope implements Projection.
func (d *Def[S]) Scope() Scope { return d.scope }

// Doc implements Projection.
func (d *Def[S]) Doc() string { return d.doc }

// Reads implements Projection.
func (d *Def[S]) Reads() []Read {
	var all []Read
	for t, on := range d.on {
		all = append(all, Read{t, on.scope})
	}
	slices.SortFunc(all, func(a, b Read) int { return strings.Compare(string(a.Type), string(b.Type)) })
	return all
}

// SessionOpeners implements Projection.
func (d *Def[S]) SessionOpeners(t events.Type) []events.Type { return d.sessionOpeners[t] }

// ProjectOpeners implements Projection.
func (d *Def[S]) ProjectOpeners(t events.Type) []events.Type { return d.projectOpeners[t] }

// AllSessions implements Projection.
func (d *Def[S]) AllSessions() bool { return d.allSessions }

// Next returns the state after one more event, for callers that keep states of many targets without their folds. It
// ignores events that are read at a wider scope than widest.
func (d *Def[S]) Next(s S, widest Scope, e events.Event, at At) S {
	if on, ok := d.on[at.Type]; ok && on.scope <= widest && at.Target.sees(on.scope, at.Meta) {
		s = on.apply(s, e, at)
	}
	return s
}

// In returns the projection's state in a fold, or the zero state if the fold does not have the projection.
func (d *Def[S]) In(f *Fold) S {
	for _, c := range f.cells {
		if c, ok := c.(*cellOf[S]); ok && c.def == d {
			return c.state
		}
	}
	var zero S
	return zero
}

// cell is the current state of one projection in a fold.
type cell interface {
	projection() Projection
	apply(events.Event, At)
	value() any
	clone() cell
}

// cellOf is the cell of a projection with states of type S.
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

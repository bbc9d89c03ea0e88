package projections

import (
	"slices"

	"journal/events"
)

// Fold runs a set of projections over one stretch of the log for one target.
// It is not safe for concurrent use. States taken from it stay as they were.
type Fold struct {
	target Target
	config Config
	cells  []cell
	seq    uint64
	count  int
	last   events.Meta
	// What follows from the projections is made once, and is the same of every clone.
	routes map[events.Type][]route
	reads  map[Scope][]events.Type
}

// route is a projection that reads a type, by the place of its cell.
type route struct {
	cell  int
	scope Scope
}

// NewFold begins at the empty log.
func NewFold(t Target, c Config, ps ...Projection) *Fold {
	f := &Fold{target: t, config: c, routes: map[events.Type][]route{}, reads: map[Scope][]events.Type{}}
	for i, p := range ps {
		f.cells = append(f.cells, p.start())
		for _, r := range p.Reads() {
			f.routes[r.Type] = append(f.routes[r.Type], route{i, r.Scope})
			if !slices.Contains(f.reads[r.Scope], r.Type) {
				f.reads[r.Scope] = append(f.reads[r.Scope], r.Type)
			}
		}
	}
	return f
}

// Apply folds the next event. Echoes, events outside the target's scopes, types
// nobody reads and unknown versions change no state. The error is for stored
// bytes that do not fit their declared type; the fold then stands before them.
func (f *Fold) Apply(e events.Envelope) error {
	if e.EchoOf == 0 {
		if err := f.route(e); err != nil {
			return err
		}
		if f.target.sees(Session, e.Meta) {
			f.count++
			f.last = e.Meta
		}
	}
	f.seq = max(f.seq, e.Seq)
	return nil
}

// route gives an event to every projection that reads it. It is opened once, and
// only when somebody does.
func (f *Fold) route(e events.Envelope) error {
	var ev events.Event
	for _, r := range f.routes[e.Type] {
		if !f.target.sees(r.scope, e.Meta) {
			continue
		}
		if ev == nil {
			var err error
			if ev, err = events.Open(e); err != nil {
				return err
			}
		}
		f.cells[r.cell].apply(ev, At{Meta: e.Meta, Config: f.config, Target: f.target})
	}
	return nil
}

// Seq is the sequence of the last event applied, read or not.
func (f *Fold) Seq() uint64 { return f.seq }

// Count is how many events of the target's session were applied, echoes apart.
func (f *Fold) Count() int { return f.count }

// Last is the newest event of the target's session.
func (f *Fold) Last() events.Meta { return f.last }

// Target is what is folded.
func (f *Fold) Target() Target { return f.target }

// States gives the state of every projection by name, ready for JSON.
func (f *Fold) States() map[string]any {
	m := make(map[string]any, len(f.cells))
	for _, c := range f.cells {
		m[c.projection().Name()] = c.value()
	}
	return m
}

// Clone gives an independent fold in the same state.
func (f *Fold) Clone() *Fold {
	g := *f
	g.cells = make([]cell, len(f.cells))
	for i, c := range f.cells {
		g.cells[i] = c.clone()
	}
	return &g
}

// Begin gives a fold of the same projections for the same target at the empty log.
func (f *Fold) Begin() *Fold {
	g := &Fold{target: f.target, config: f.config, routes: f.routes, reads: f.reads}
	for _, c := range f.cells {
		g.cells = append(g.cells, c.projection().start())
	}
	return g
}

// Reads lists the types that the fold reads at each scope. It is not to be changed.
func (f *Fold) Reads() map[Scope][]events.Type { return f.reads }

// Behind lists the types of which one has to come in a session before an event of a type, read in the whole project,
// matters there. It is empty where events of the type matter in any session.
func (f *Fold) Behind(t events.Type) (opening []events.Type) {
	for _, r := range f.routes[t] {
		if r.scope < Project {
			continue
		}
		types := f.cells[r.cell].projection().Behind(t)
		if len(types) == 0 {
			return nil
		}
		opening = append(opening, types...)
	}
	return opening
}

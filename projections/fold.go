package projections

import (
	"slices"

	"journal/events"
)

// Fold runs a set of projections over a part of the log for one target. It is not safe for concurrent use. States taken
// from it do not change later.
type Fold struct {
	target Target
	config Config
	cells  []cell
	seq    uint64      // as Seq returns it
	count  int         // as Count returns it
	last   events.Meta // as Last returns it

	rewinds Rewinds
	stale   bool // a rewind took back events after they were applied
	// routes and reads are derived from the projections, and shared by clones.
	routes map[events.Type][]route
	reads  map[Scope][]events.Type
}

// route is a projection that reads an event type, by the index of its cell.
type route struct {
	cell  int
	scope Scope
}

// NewFold returns a fold at the empty log. It folds a projection once, however often it is named.
func NewFold(t Target, c Config, ps ...Projection) *Fold {
	f := &Fold{target: t, config: c, routes: map[events.Type][]route{}, reads: map[Scope][]events.Type{}}
	for _, p := range ps {
		if slices.ContainsFunc(f.cells, func(c cell) bool { return c.projection() == p }) {
			continue
		}
		f.cells = append(f.cells, p.start())
		for _, r := range p.Reads() {
			f.routes[r.Type] = append(f.routes[r.Type], route{len(f.cells) - 1, r.Scope})
			if !slices.Contains(f.reads[r.Scope], r.Type) {
				f.reads[r.Scope] = append(f.reads[r.Scope], r.Type)
			}
		}
	}
	if len(f.reads[Project]) > 0 { // of the target's session callers read all events; rewinds of others matter to the whole project
		f.reads[Project] = append(f.reads[Project], rewound)
	}
	return f
}

var rewound = events.TypeOf[events.ConversationRewound]()

// Apply applies the next event. Echoes, rewound events, events outside the target's scopes, types that no projection reads,
// unknown versions and events that do not fit their declared type change no state.
//
// A rewind of applied events makes the fold stale: its states still contain them. Callers then apply the log again to the
// result of Restart.
func (f *Fold) Apply(e events.Envelope) {
	if e.EchoOf == 0 && !f.TakenBack(e.Meta) {
		f.dispatch(e)
		if f.target.sees(Session, e.Meta) {
			f.count++
			f.last = e.Meta
		}
		f.recordRewind(e)
	}
	f.seq = max(f.seq, e.Seq)
}

// recordRewind records a rewind in the target's session, or in its project if a projection reads the whole project.
func (f *Fold) recordRewind(e events.Envelope) {
	scope := Session
	if len(f.reads[Project]) > 0 {
		scope = Project
	}
	if e.Type != rewound || !f.target.sees(scope, e.Meta) {
		return
	}
	with, changed := f.rewinds.With(e)
	f.rewinds = with
	f.stale = f.stale || changed != 0 && changed <= f.seq
}

// TakenBack reports whether a known rewind took back an event.
func (f *Fold) TakenBack(m events.Meta) bool { return f.rewinds.TakenBack(m, f.target.Lane) }

// SetRewinds sets the known rewinds of a fold at the empty log. The fold then never applies the events that were taken back.
func (f *Fold) SetRewinds(r Rewinds) { f.rewinds = r }

// Stale reports whether a rewind took back applied events.
func (f *Fold) Stale() bool { return f.stale }

// Restart returns an empty fold like f that knows the rewinds of f. The caller applies the events up to Seq to it.
func (f *Fold) Restart() *Fold {
	g := f.Empty()
	g.rewinds = f.rewinds
	return g
}

// Replace copies g, a result of Restart, into this fold. It keeps the greater Seq.
func (f *Fold) Replace(g *Fold) {
	seq := max(f.seq, g.seq)
	*f = *g
	f.seq = seq
}

// dispatch applies an event to every projection that reads it. It decodes the event at most once, and not if no projection reads it.
func (f *Fold) dispatch(e events.Envelope) {
	var ev events.Event
	for _, r := range f.routes[e.Type] {
		if !f.target.sees(r.scope, e.Meta) {
			continue
		}
		if ev == nil {
			var err error
			if ev, err = events.Open(e); err != nil {
				return // journal verify reports it
			}
		}
		f.cells[r.cell].apply(ev, At{Meta: e.Meta, Config: f.config, Target: f.target})
	}
}

// Seq returns the greatest sequence of the events passed to Apply, even of those that no projection reads.
func (f *Fold) Seq() uint64 { return f.seq }

// Count returns the number of applied events of the target's session, without echoes and rewound ones.
func (f *Fold) Count() int { return f.count }

// Last returns the newest of the events that Count counts.
func (f *Fold) Last() events.Meta { return f.last }

// Target returns the target of the fold.
func (f *Fold) Target() Target { return f.target }

// States returns the state of every projection by name, ready for JSON.
func (f *Fold) States() map[string]any {
	m := make(map[string]any, len(f.cells))
	for _, c := range f.cells {
		m[c.projection().Name()] = c.value()
	}
	return m
}

// Clone returns an independent copy.
func (f *Fold) Clone() *Fold {
	g := *f
	g.cells = make([]cell, len(f.cells))
	for i, c := range f.cells {
		g.cells[i] = c.clone()
	}
	return &g
}

// Empty returns a fold of the same projections and target at the empty log.
func (f *Fold) Empty() *Fold {
	g := &Fold{target: f.target, config: f.config, routes: f.routes, reads: f.reads}
	for _, c := range f.cells {
		g.cells = append(g.cells, c.projection().start())
	}
	return g
}

// Reads lists the types that the fold reads at each scope. Callers must not modify it.
func (f *Fold) Reads() map[Scope][]events.Type { return f.reads }

// Opening lists the opening types of t: before an event of one of them, t changes no state. Listed are those of every projection that
// reads t in the whole project or log. openings is Projection.SessionOpeners or Projection.ProjectOpeners. The result is empty if one
// of these projections has no opening types of t: t may then always change its state.
func (f *Fold) Opening(t events.Type, openings func(Projection, events.Type) []events.Type) (opening []events.Type) {
	for _, r := range f.routes[t] {
		if r.scope < Project {
			continue
		}
		types := openings(f.cells[r.cell].projection(), t)
		if len(types) == 0 {
			return nil
		}
		opening = append(opening, types...)
	}
	return opening
}

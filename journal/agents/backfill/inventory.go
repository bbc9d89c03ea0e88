package backfill

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unique"

	"journal/events"
	"journal/journal/agents/transcript"
)

// Inventory is the content of the log, as far as it shows which steps of a transcript are in it.
type Inventory struct {
	ids      map[string]occurrence // imported events, by id
	uses     map[string]occurrence // tool calls, by occurrence key
	prompts  map[string]occurrence // prompts, by prompt id
	lanes    map[laneKey]*laneFacts
	sessions map[string]bool
}

// occurrence is the place of an event in the log.
type occurrence struct {
	session  string
	seq      uint64
	imported bool // not reported by a hook
}

type laneKey struct{ session, lane string }

// laneFacts holds the facts that hooks reported of a lane and that only their words and places identify.
type laneFacts struct {
	statements  []statement // in log order
	compactions compactions
	started     bool
}

// NewInventory returns the inventory of an empty log.
func NewInventory() *Inventory {
	return &Inventory{
		ids: map[string]occurrence{}, uses: map[string]occurrence{}, prompts: map[string]occurrence{},
		lanes: map[laneKey]*laneFacts{}, sessions: map[string]bool{},
	}
}

// Log provides the stored events, as journal.Log does.
type Log interface {
	Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}

// Take reads a whole log: a fork may have copied its rows from any session. Its error is the log's.
func Take(ctx context.Context, log Log) (*Inventory, error) {
	inv := NewInventory()
	for e, err := range log.Events(ctx, events.Span{}) {
		if err != nil {
			return inv, err
		}
		inv.note(e)
	}
	return inv, nil
}

func (inv *Inventory) lane(session, lane string) *laneFacts {
	name := laneKey{session, lane}
	if inv.lanes[name] == nil {
		inv.lanes[name] = &laneFacts{}
	}
	return inv.lanes[name]
}

func (inv *Inventory) note(e events.Envelope) {
	// The texts of an event share one piece of memory, which each of them would keep alive.
	e.Session, e.Lane = unique.Make(e.Session).Value(), unique.Make(e.Lane).Value()
	inv.sessions[e.Session] = true
	if events.Derived(e.ID) {
		inv.ids[strings.Clone(e.ID)] = occurrence{e.Session, e.Seq, true}
	}
	if e.EchoOf != 0 || e.Agent == "" || events.Reserved(e.Type) {
		return
	}
	l := inv.lane(e.Session, e.Lane)
	if events.Derived(e.ID) { // an import's own event, identified by its id
		l.started = l.started || e.Type == events.TypeOf[events.SessionStarted]()
		return
	}
	at := occurrence{e.Session, e.Seq, false}
	if strings.HasPrefix(e.Key, events.ToolKey) {
		l.compactions.worked = true
		if _, known := inv.uses[e.Key]; !known {
			inv.uses[strings.Clone(e.Key)] = at
		}
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // verify reports it
	}
	switch ev := ev.(type) {
	case events.SessionStarted:
		l.started = true
	case events.CompactionIntended:
		l.compactions.intended(e.Seq)
	case events.ContextRestarted:
		l.compactions.fact(transcript.FactRestart, e.Seq)
	case events.CompactionCompleted:
		if ev.Summary == "" {
			l.compactions.ended(e.Seq)
		} else {
			l.compactions.fact(transcript.FactSummary, e.Seq)
		}
	case events.TurnEnded:
		l.compactions.spoken = true
	case events.CommandRan, events.FileRead, events.FileWritten, events.ToolUsed: // of clients without ids of calls
		l.compactions.worked = true
	case events.PromptSubmitted:
		l.compactions.spoken = true
		if _, known := inv.prompts[e.Turn]; !known && e.Turn != "" && !ev.Machine {
			inv.prompts[strings.Clone(e.Turn)] = at
		}
	}
	if s := signature(ev); s != 0 {
		l.statements = append(l.statements, statement{s, e.Seq})
	}
}

// marks returns what the log has of the steps of one lane, and the compactions that hooks reported.
func (inv *Inventory) marks(session, lane string, steps []step) (marks []transcript.Mark, compactions []transcript.Compaction) {
	l := inv.lane(session, lane)
	marks = make([]transcript.Mark, len(steps))
	for i, s := range steps {
		m := &marks[i]
		switch s.kind {
		case events.TurnEnd, events.SubagentEnd, events.TurnFail, events.ToolEnd:
			m.Expected = true
		case events.CompactIntent:
			m.Fact = transcript.FactIntention
		case events.ContextRestart:
			m.Fact = transcript.FactRestart
		case events.CompactEnd:
			m.Fact = transcript.FactSummary
		}
		switch at, known := inv.find(s); {
		case !known:
		case at.session != session:
			m.State = transcript.Elsewhere
		case at.imported:
			m.State, m.Later, m.Part = transcript.Held, at.seq, at.seq == 0
		default:
			m.State, m.Seq = transcript.Held, at.seq
		}
	}
	l.byWords(marks, steps)
	for i, s := range steps {
		if marks[i].State == transcript.Unknown && s.sure {
			marks[i].State = transcript.Missing
		}
	}
	return marks, l.compactions.all
}

// holds reports whether an import has added an event.
func (inv *Inventory) holds(id string) bool {
	_, known := inv.ids[id]
	return known
}

// find finds a step by its identity: its own id from an earlier import, that of the tool call, else the prompt's.
func (inv *Inventory) find(s step) (occurrence, bool) {
	if at, known := inv.ids[s.id()]; known {
		if home := base(at.session); home != at.session {
			at = occurrence{session: home, imported: true} // a part has an order of its own
		}
		return at, true
	}
	switch {
	case s.kind == events.ToolEnd:
		at, known := inv.uses[s.key]
		return at, known
	case s.kind == events.PromptSubmit && s.turn != "":
		at, known := inv.prompts[s.turn]
		return at, known
	}
	return occurrence{}, false
}

// byWords finds steps without an identity by their words, between each two steps that have one.
func (l *laneFacts) byWords(marks []transcript.Mark, steps []step) {
	low := uint64(0)
	for from := 0; from <= len(steps); {
		to := from
		for to < len(steps) && marks[to].Seq <= low {
			to++
		}
		high := uint64(math.MaxUint64)
		if to < len(steps) {
			high = marks[to].Seq
		}
		var open []int // steps to be found
		for i := from; i < to; i++ {
			if marks[i].State == transcript.Unknown && marks[i].Fact == transcript.NoFact && steps[i].signature != 0 {
				open = append(open, i)
			}
		}
		begin, _ := slices.BinarySearchFunc(l.statements, low+1, bySeq)
		end, _ := slices.BinarySearchFunc(l.statements, high, bySeq)
		for _, p := range align(open, l.statements[begin:end], steps, low == 0 && to < len(steps)) {
			marks[p.step].State, marks[p.step].Seq = transcript.Held, p.seq
		}
		if to < len(steps) {
			low = marks[to].Seq
		}
		from = to + 1
	}
}

func bySeq(s statement, seq uint64) int { return cmp.Compare(s.seq, seq) }

// base returns the session to which an imported part belongs.
func base(session string) string {
	if i := strings.LastIndexByte(session, '~'); i >= 0 {
		if _, err := strconv.Atoi(session[i+1:]); err == nil {
			return session[:i]
		}
	}
	return session
}

// part returns the name of the part that an import which was interrupted has begun with one of these steps, else a new
// one, from the n-th on: 1 precedes the first hook, the others are gaps between hooks.
func (inv *Inventory) part(session string, n int, first ...step) (name string, begun bool) {
	for _, s := range first {
		if name := inv.ids[s.id()].session; base(name) != name {
			return name, true
		}
	}
	for ; ; n++ {
		name := session + "~" + strconv.Itoa(n)
		if !inv.sessions[name] {
			inv.sessions[name] = true
			return name, false
		}
	}
}

// compactions groups what hooks reported of a lane's compactions, as folds do (ADR-0009). A fact begins a new one if
// work precedes it, or if its kind was already reported and something was said since; an intention belongs to the next
// fact.
type compactions struct {
	all            []transcript.Compaction // in log order
	spoken, worked bool                    // since the newest fact
}

func (c *compactions) intended(seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(transcript.FactIntention, seq)
}

func (c *compactions) fact(f transcript.Fact, seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() && (c.worked || c.all[n-1][f] != 0 && c.spoken) {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(f, seq)
	c.spoken, c.worked = false, false
}

// ended handles a reported end of a compaction without a summary: the compaction happened and the context restarted,
// whether a hook reported that or not.
func (c *compactions) ended(seq uint64) {
	if n := len(c.all); c.worked || n == 0 || c.all[n-1][transcript.FactRestart] == 0 {
		c.fact(transcript.FactRestart, seq)
	}
}

// put records the first report of a fact of the newest compaction.
func (c *compactions) put(f transcript.Fact, seq uint64) {
	if newest := &c.all[len(c.all)-1]; newest[f] == 0 {
		newest[f] = seq
	}
}

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

// Inventory holds the facts about the events of a log by which the steps of a transcript are recognised.
type Inventory struct {
	ids      map[string]occurrence // imported events, by id
	calls    map[string]occurrence // tool calls, by occurrence key
	prompts  map[string]occurrence // prompts, by the id of their turn
	lanes    map[laneKey]*laneFacts
	sessions map[string]bool // sessions with events
}

// occurrence is the place of an event in the log.
type occurrence struct {
	session  string
	seq      uint64 // 0 in a result of find for an event in a part
	imported bool   // an import added the event
}

// laneKey identifies a lane.
type laneKey struct{ session, lane string }

// laneFacts holds the facts about a lane that hooks reported without an identity.
type laneFacts struct {
	hooked      []hookEvent // in log order
	compactions compactions
	started     bool // the log has the session's start, from a hook or an import
}

// NewInventory returns the inventory of an empty log.
func NewInventory() *Inventory {
	return &Inventory{
		ids: map[string]occurrence{}, calls: map[string]occurrence{}, prompts: map[string]occurrence{},
		lanes: map[laneKey]*laneFacts{}, sessions: map[string]bool{},
	}
}

// Log provides the stored events, as journal.Log does.
type Log interface {
	Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}

// ReadInventory returns the inventory of a log. It reads the whole log, because a fork may have copied its rows from any session. The
// error is the log's.
func ReadInventory(ctx context.Context, log Log) (*Inventory, error) {
	inv := NewInventory()
	for e, err := range log.Events(ctx, events.Span{}) {
		if err != nil {
			return inv, err
		}
		inv.note(e)
	}
	return inv, nil
}

// lane returns the facts of a lane, which may be new.
func (inv *Inventory) lane(session, lane string) *laneFacts {
	name := laneKey{session, lane}
	if inv.lanes[name] == nil {
		inv.lanes[name] = &laneFacts{}
	}
	return inv.lanes[name]
}

// note adds an event.
func (inv *Inventory) note(e events.Envelope) {
	// All texts of an event share one piece of memory. The inventory keeps copies, so that the garbage collector can free it.
	e.Session, e.Lane = unique.Make(e.Session).Value(), unique.Make(e.Lane).Value()
	inv.sessions[e.Session] = true
	if events.Derived(e.ID) {
		inv.ids[strings.Clone(e.ID)] = occurrence{e.Session, e.Seq, true}
	}
	if e.EchoOf != 0 || e.Agent == "" || events.Reserved(e.Type) {
		return // no hook reported the event, or another event has the same fact
	}
	l := inv.lane(e.Session, e.Lane)
	if events.Derived(e.ID) { // an imported event, which its id identifies
		l.started = l.started || e.Type == events.TypeOf[events.SessionStarted]()
		return
	}
	place := occurrence{e.Session, e.Seq, false}
	if strings.HasPrefix(e.Key, events.ToolKey) {
		l.compactions.worked = true
		if _, known := inv.calls[e.Key]; !known {
			inv.calls[strings.Clone(e.Key)] = place
		}
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // journal verify reports the event
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
	case events.CommandRan, events.FileRead, events.FileWritten, events.ToolUsed: // of clients whose calls have no ids
		l.compactions.worked = true
	case events.PromptSubmitted:
		l.compactions.spoken = true
		if _, known := inv.prompts[e.Turn]; !known && e.Turn != "" && !ev.Machine {
			inv.prompts[strings.Clone(e.Turn)] = place
		}
	}
	if s := signature(ev); s != 0 {
		l.hooked = append(l.hooked, hookEvent{s, e.Seq})
	}
}

// marks returns a mark for each step of a lane, and the compactions that hooks reported in it.
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
		switch place, known := inv.find(s); {
		case !known:
		case place.session != session:
			m.State = transcript.Elsewhere
		case place.imported:
			m.State, m.Imported, m.Part = transcript.Held, place.seq, place.seq == 0
		default:
			m.State, m.Seq = transcript.Held, place.seq
		}
	}
	l.markByWords(marks, steps)
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

// find returns the place of a step by its identity: the id that an earlier import derived, the key of a tool call, or the turn of a
// prompt. It returns false if the log does not have the step under this identity.
func (inv *Inventory) find(s step) (occurrence, bool) {
	if place, known := inv.ids[s.id()]; known {
		if session := wholeSession(place.session); session != place.session {
			place = occurrence{session: session, imported: true} // sequences in a part do not order the session
		}
		return place, true
	}
	switch {
	case s.kind == events.ToolEnd:
		place, known := inv.calls[s.key]
		return place, known
	case s.kind == events.PromptSubmit && s.turn != "":
		place, known := inv.prompts[s.turn]
		return place, known
	}
	return occurrence{}, false
}

// markByWords marks the steps without an identity that hooks reported. It compares words, between each two steps whose sequences are
// known.
func (l *laneFacts) markByWords(marks []transcript.Mark, steps []step) {
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
		var unmatched []int // indexes of the steps to look for
		for i := from; i < to; i++ {
			if marks[i].State == transcript.Unknown && marks[i].Fact == transcript.NoFact && steps[i].signature != 0 {
				unmatched = append(unmatched, i)
			}
		}
		begin, _ := slices.BinarySearchFunc(l.hooked, low+1, bySeq)
		end, _ := slices.BinarySearchFunc(l.hooked, high, bySeq)
		for _, p := range align(unmatched, l.hooked[begin:end], steps, low == 0 && to < len(steps)) {
			marks[p.step].State, marks[p.step].Seq = transcript.Held, p.seq
		}
		if to < len(steps) {
			low = marks[to].Seq
		}
		from = to + 1
	}
}

// bySeq compares the sequence of an event with seq, for a binary search.
func bySeq(e hookEvent, seq uint64) int { return cmp.Compare(e.seq, seq) }

// wholeSession returns the session to which a part belongs, and any other session unchanged. The parts of SESSION are SESSION~1,
// SESSION~2 and so on.
func wholeSession(session string) string {
	if i := strings.LastIndexByte(session, '~'); i >= 0 {
		if _, err := strconv.Atoi(session[i+1:]); err == nil {
			return session[:i]
		}
	}
	return session
}

// part returns the name of a part of a session for some steps. If an interrupted import has added one of the steps first to a part, it
// returns that part, and begun is true. Otherwise it returns the first free part from number n on. Number 1 is the part before the first
// hook, greater ones are for gaps between hooks.
func (inv *Inventory) part(session string, n int, first ...step) (name string, begun bool) {
	for _, s := range first {
		if name := inv.ids[s.id()].session; wholeSession(name) != name {
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

// compactions groups the facts that hooks reported about a lane's compactions, as folds do (ADR-0009). A fact begins a new compaction
// if a tool call came since the fact before it, or if the compaction already has that fact and a prompt or an answer came since. An
// intention belongs to the next fact.
type compactions struct {
	all    []transcript.Compaction // in log order
	spoken bool                    // a prompt or an answer came since the newest fact
	worked bool                    // a tool call came since the newest fact
}

// intended adds an intention.
func (c *compactions) intended(seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(transcript.FactIntention, seq)
}

// fact adds a fact other than an intention.
func (c *compactions) fact(f transcript.Fact, seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() && (c.worked || c.all[n-1][f] != 0 && c.spoken) {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(f, seq)
	c.spoken, c.worked = false, false
}

// ended adds the end of a compaction without a summary. It counts as the restart of the context, if no hook reported the restart.
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

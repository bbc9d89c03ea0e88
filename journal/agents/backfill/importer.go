// Package backfill imports past sessions: it reads the transcripts that agents left, compares them with the log, and
// passes on the events that hooks should have reported and did not (J.5). It knows neither the owner of the log nor the
// spool: the caller provides a log to read and a function that makes a request durable.
//
// An event is recognised by an identity, if it has one: the id that every import of a row derives, the occurrence key
// of a tool call, the id of a prompt. Events without an identity are recognised by their words and by their order among
// those that have one. Nothing can be inserted between recorded events, so what precedes the first hook, and what hooks
// missed in between, becomes sessions of their own, linked to the one they belong to.
package backfill

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/journal/forgotten"
	"journal/journal/redact"
)

// Options configure an import.
type Options struct {
	// Send makes added events durable. If nil, nothing is added, and the summary says what would be.
	Send Send
	// Forgotten identifies what a person removed from the log; it is left out. Nil leaves out nothing.
	Forgotten *forgotten.Set
	// Progress, if not nil, receives the number of bytes read.
	Progress func(done int64)
}

// Import adds to the log what it lacks of the transcripts, one after the other, in the order of Transcripts. The
// inventory must be that of the log; added events are recorded in it. Transcripts before an error are imported.
//
// Three goroutines form a pipeline: one reads and redacts, one compares with the log and encodes, one sends and waits.
// The order of events is as if there were one.
func Import(ctx context.Context, files []transcript.File, inv *Inventory, o Options) (*Summary, error) {
	sum := &Summary{Files: []FileSummary{}, Types: map[events.Type]int{}, DryRun: o.Send == nil, sessions: map[string]bool{}}
	im := importer{inventory: inv, forgotten: o.Forgotten, outbox: newOutbox(ctx, o.Send), meter: meter{show: o.Progress}}
	reads, stop := context.WithCancel(ctx)
	defer stop()
	transcripts := readAhead(reads, files, im.meter.count)
	var all []*work
	var err error
	for result := range transcripts {
		w := &work{reading: result, doc: FileSummary{Path: result.file.Path, Skip: result.file.Skip}, types: map[events.Type]int{}}
		all = append(all, w)
		if err = im.transcript(w); err != nil {
			err = fmt.Errorf("import %s: %w", result.file.Path, err)
			break
		}
	}
	stop()
	for range transcripts { // nothing is read any more once it is closed
	}
	if end := im.outbox.flush(); end != nil {
		err = end
	}
	if end := im.outbox.close(); end != nil {
		err = end
	}
	for _, w := range all {
		sum.add(w)
	}
	sum.Spooled = im.outbox.spooled
	if err != nil {
		return sum, err
	}
	return sum, ctx.Err()
}

type importer struct {
	inventory *Inventory
	forgotten *forgotten.Set // nil if nothing is left out
	outbox    *outbox
	meter     meter
}

// work is the work on one transcript.
type work struct {
	reading
	doc   FileSummary
	types map[events.Type]int // of the events that were added
	share int64               // the part of the transcript's bytes that one step counts in the meter
	left  int64               // bytes that were not counted yet
	// paused is set if recording is paused in the project, so that no more of it is sent. It belongs to the outbox
	// until that is closed.
	paused bool
}

// transcript imports one transcript.
func (im *importer) transcript(w *work) error {
	if w.err != nil || w.doc.Skip != "" {
		return w.err
	}
	if w.file.Prompts && im.inventory.sessions[w.session] {
		im.meter.count(w.file.Size)
		return nil // the log has more of it
	}
	sum := w.summary
	w.doc.Session, w.doc.Rows, w.doc.Broken, w.doc.Compactions = w.session, sum.Rows, sum.Broken, sum.Compactions
	w.left = w.file.Size
	if im.forgotten != nil && w.session != "" && im.forgotten.HasSession(w.session) {
		w.doc.Forgotten = w.steps
		return nil
	}
	if w.steps > 0 {
		w.share = w.left / int64(w.steps)
	}
	for _, lane := range w.order {
		if err := im.lane(w, lane, w.lanes[lane]); err != nil {
			return err
		}
	}
	if err := im.usage(w); err != nil {
		return err
	}
	w.lanes = nil // free the memory for the next ones
	im.meter.count(w.left)
	return nil
}

// usage imports what the requests of a transcript used. It belongs to the session, whatever hooks reported of it.
func (im *importer) usage(w *work) error {
	if w.session == "" || w.steps == 0 {
		return nil
	}
	for _, t := range w.used {
		e, err := t.Event(w.file.Format.Agent, w.session, w.project)
		if err != nil {
			return err
		}
		if im.forgotten != nil && im.forgotten.HasEvent(e) {
			continue
		}
		if err := im.put(w, w.root, e); err != nil {
			return err
		}
	}
	return nil
}

// remembered returns the steps of a lane that no person removed from the log.
func (im *importer) remembered(w *work, steps []step) []step {
	if im.forgotten == nil {
		return steps
	}
	rest := slices.DeleteFunc(steps, func(s step) bool { return slices.ContainsFunc(s.events, im.forgotten.HasEvent) })
	w.doc.Forgotten += len(steps) - len(rest)
	return rest
}

// lane imports what the log lacks of one lane (J.5).
func (im *importer) lane(w *work, lane string, steps []step) error {
	doc := &w.doc
	session := doc.Session
	if steps = im.remembered(w, steps); len(steps) == 0 {
		return nil
	}
	started := im.inventory.lane(session, lane).started
	steps, rewinds := withoutRewinds(steps)
	if len(steps) == 0 {
		return nil
	}
	var start []step // belongs to whatever is imported first
	if steps[0].kind == events.SessionStart {
		start, steps = steps[:1], steps[1:]
		started = started || im.inventory.holds(start[0].id())
	}
	marks, compactions := im.inventory.marks(session, lane, steps)
	plan := transcript.Cut(marks, compactions)
	for i, s := range steps {
		if s.kind == events.ContextRestart {
			doc.Known.count(marks[i].State, im.inventory.holds(s.id()))
		}
		if marks[i].State == transcript.Held && marks[i].Seq > 0 { // a hook reported it
			if err := im.put(w, s.root, s.late...); err != nil {
				return err
			}
		}
	}
	doc.Common += plan.Fork
	before, after := steps[plan.Before.From:plan.Before.To], steps[plan.After.From:plan.After.To]
	// Whatever is imported of a part, the session names it.
	if worthASession(before) {
		part, _ := im.inventory.part(session, 1, start...)
		doc.Before += len(before)
		if err := im.link(w, before[0], events.SessionLinked{Session: part, How: "predecessor"}); err != nil {
			return err
		}
		if err := im.importInto(w, part, slices.Concat(start, before)); err != nil {
			return err
		}
		start = nil
	}
	for _, hole := range plan.Holes {
		missed := steps[hole.From:hole.To]
		if !marks[hole.From-1].Part && !worthASession(missed) {
			continue
		}
		part, begun := im.inventory.part(session, 2, steps[hole.From-1])
		doc.Missed += len(missed)
		if !begun {
			doc.Gaps++
			if err := im.link(w, missed[0], gapOf(missed, part)); err != nil {
				return err
			}
		}
		if err := im.importInto(w, part, missed); err != nil {
			return err
		}
	}
	for _, l := range plan.Late {
		if err := im.late(w, steps[l.Step], l.Of); err != nil {
			return err
		}
	}
	doc.Covered += len(steps) - len(before) - len(after) - plan.Fork
	if started {
		start = nil
	}
	if plan.Fork > 0 && len(after) > 0 {
		first := steps[0]
		at, _ := im.inventory.find(first)
		for _, s := range start {
			s.markFork()
		}
		if err := im.link(w, first, events.SessionLinked{Session: base(at.session), How: "fork", Row: first.row}); err != nil {
			return err
		}
	}
	if from := w.file.From; from != "" && lane == "" && plan.Fork == 0 && len(after) > 0 {
		if err := im.link(w, after[0], events.SessionLinked{Session: from, How: "fork"}); err != nil {
			return err
		}
	}
	if len(after) > 0 {
		if err := im.importInto(w, session, slices.Concat(start, after)); err != nil {
			return err
		}
	}
	return im.rewind(w, steps, marks, rewinds)
}

// late adds the summary of a compaction that hooks reported without one. The step's own id identifies it.
func (im *importer) late(w *work, s step, compaction uint64) error {
	c, ok := events.As[events.CompactionCompleted](s.events[0])
	if !ok || c.Summary == "" {
		return nil
	}
	w.doc.Late++
	e, err := s.events[0].With(events.SummaryImported{Compaction: compaction, Trigger: c.Trigger, Summary: c.Summary})
	if err != nil {
		return err
	}
	return im.put(w, s.root, e)
}

// link adds to a session what an import found out about it, beside the step that shows it.
func (im *importer) link(w *work, s step, ev events.Event) error {
	m := s.events[0].Meta
	e, err := events.Wrap(events.MapText(ev, redact.Text), events.Meta{
		At: m.At, Agent: m.Agent, Session: w.session, Lane: m.Lane, Project: m.Project, Rules: int(redact.RuleSet),
	})
	if err != nil {
		return err
	}
	e.ID = events.DerivedID("transcript", string(e.Type), w.session, m.ID)
	if l, ok := ev.(events.SessionLinked); ok && l.How == "fork" {
		e.ID = events.ForkID(m.Project, w.session)
	}
	return im.put(w, s.root, e)
}

// importInto imports steps into a session.
func (im *importer) importInto(w *work, session string, steps []step) error {
	for _, s := range steps {
		for i := range s.events {
			s.events[i].Session = session
		}
		if err := im.put(w, s.root, s.events...); err != nil {
			return err
		}
		im.meter.count(w.share)
		w.left -= w.share
	}
	return nil
}

func (im *importer) put(w *work, root string, es ...events.Envelope) error {
	es = slices.DeleteFunc(slices.Clone(es), func(e events.Envelope) bool { return im.inventory.holds(e.ID) })
	if len(es) == 0 {
		return nil
	}
	for _, e := range es {
		im.inventory.note(e)
		w.types[e.Type]++
	}
	w.doc.Events += len(es)
	return im.outbox.add(w, root, es...)
}

// meter measures the progress of an import. A byte counts half when it is read, and fully when its events are on their
// way into the log: reading takes about as long as storing, and runs ahead. It is safe for concurrent use.
type meter struct {
	show func(done int64) // nil if nobody asks

	mu     sync.Mutex
	halves int64
}

func (m *meter) count(bytes int64) {
	if m.show == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.halves += bytes
	m.show(m.halves / 2)
}

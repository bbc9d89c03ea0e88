// Package backfill imports past sessions: it reads transcripts, compares them with the log, and sends the events that hooks did not
// report (J.5). The caller provides a log to read, and a function that makes a request durable.
//
// An event is recognised by its identity, if it has one: the id that every import of a row derives, the occurrence key of a tool call,
// or the id of a prompt's turn. An event without an identity is recognised by its words and its place among events that have one.
//
// The log is append-only, so steps before the first hook, and steps that hooks missed later, become sessions of their own: parts, to
// which the session is linked.
package backfill

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/journal/forgotten"
	"journal/journal/redact"
)

// Options configure an import.
type Options struct {
	// Send makes added events durable. If it is nil, nothing is sent, and the summary has the numbers of a real import.
	Send Send
	// Forgotten holds the events that a person removed from the log. An import leaves them out. Nil if there are none.
	Forgotten *forgotten.Set
	// Progress receives the number of bytes that were read so far. Up to two transcripts that were read are not imported yet. It may be nil.
	Progress func(done int64)
}

// Import adds the events of transcripts that the log lacks, one transcript after the other. inv is the inventory of the log; Import adds
// the new events to it. If there is an error, the transcripts before the one with the error were imported.
//
// Three goroutines form a pipeline, which keeps the order of the events: one reads and redacts, one compares with the log and encodes,
// one sends and waits.
func Import(ctx context.Context, files []transcript.File, inv *Inventory, o Options) (*Summary, error) {
	sum := &Summary{Files: []FileSummary{}, Types: map[events.Type]int{}, DryRun: o.Send == nil, sessions: map[string]bool{}}
	im := importer{inventory: inv, forgotten: cmp.Or(o.Forgotten, &forgotten.Set{}), outbox: newOutbox(ctx, o.Send)}
	reads, stop := context.WithCancel(ctx)
	defer stop()
	done := int64(0)
	transcripts := readAhead(reads, files, func(bytes int64) {
		done += bytes
		if o.Progress != nil {
			o.Progress(done)
		}
	})
	var all []*work
	var err error
	for result := range transcripts {
		w := &work{reading: result, result: FileSummary{Path: result.file.Path, Skip: result.file.Skip}, types: map[events.Type]int{}}
		all = append(all, w)
		if err = im.transcript(w); err != nil {
			err = fmt.Errorf("import %s: %w", result.file.Path, err)
			break
		}
	}
	stop()
	for range transcripts { // wait until reading has stopped
	}
	if sendErr := im.outbox.close(); sendErr != nil {
		err = sendErr
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

// importer adds the events of one transcript after the other.
type importer struct {
	inventory *Inventory
	forgotten *forgotten.Set
	outbox    *outbox
}

// work is the state of the import of one transcript.
type work struct {
	reading
	result FileSummary
	types  map[events.Type]int // numbers of added events, by type
	// paused is set if recording is paused in the project: nothing more of the transcript is sent. Only the outbox accesses it
	// until the outbox is closed.
	paused bool
}

// transcript imports one transcript.
func (im *importer) transcript(w *work) error {
	if w.err != nil || w.result.Skip != "" {
		return w.err
	}
	if w.file.Prompts && im.inventory.sessions[w.session] {
		return nil // the log has more than prompts of the session
	}
	sum := w.summary
	w.result.Session, w.result.Rows, w.result.Broken, w.result.Compactions = w.session, sum.Rows, sum.Broken, sum.Compactions
	if w.session != "" && im.forgotten.HasSession(w.session) {
		w.result.Forgotten = w.steps
		return nil
	}
	for _, lane := range w.order {
		if err := im.lane(w, lane, w.lanes[lane]); err != nil {
			return err
		}
	}
	if err := im.usage(w); err != nil {
		return err
	}
	w.lanes = nil // free the memory
	return nil
}

// usage imports the tokens of the requests in a transcript, which hooks do not report.
func (im *importer) usage(w *work) error {
	unknownProject := w.steps == 0 && w.root == ""
	if w.session == "" || unknownProject {
		return nil
	}
	for _, t := range w.used {
		e, err := t.Event(w.file.Format.Agent, w.session, w.project)
		if err != nil {
			return err
		}
		if im.forgotten.HasEvent(e) {
			continue
		}
		if err := im.put(w, w.root, e); err != nil {
			return err
		}
	}
	return nil
}

// isForgotten reports whether a person removed a step from the log, and counts it.
func (im *importer) isForgotten(w *work, s step) bool {
	forgotten := slices.ContainsFunc(s.events, im.forgotten.HasEvent)
	if forgotten {
		w.result.Forgotten++
	}
	return forgotten
}

// lane imports the steps of one lane that the log lacks (J.5).
func (im *importer) lane(w *work, lane string, steps []step) error {
	result := &w.result
	session := result.Session
	steps, rewinds := splitRewinds(steps, func(s step) bool { return im.isForgotten(w, s) })
	if len(steps) == 0 {
		return nil
	}
	started := im.inventory.lane(session, lane).started
	var start []step // the session's start, if it is to be imported before the next steps: one step or none
	if steps[0].kind == events.SessionStart {
		start, steps = steps[:1], steps[1:]
		started = started || im.inventory.holds(start[0].id())
	}
	marks, compactions := im.inventory.marks(session, lane, steps)
	plan := transcript.Cut(marks, compactions)
	if err := im.known(w, steps, marks); err != nil {
		return err
	}
	result.Common += plan.Fork
	before, after := steps[plan.Before.From:plan.Before.To], steps[plan.After.From:plan.After.To]
	if worthASession(before) {
		part, _ := im.inventory.part(session, 1, start...)
		result.Before += len(before)
		if err := im.link(w, before[0], events.SessionLinked{Session: part, How: "predecessor"}); err != nil {
			return err
		}
		if err := im.importInto(w, part, slices.Concat(start, before)); err != nil {
			return err
		}
		start = nil
	}
	if err := im.holes(w, steps, marks, plan.Holes); err != nil {
		return err
	}
	for _, l := range plan.Late {
		if err := im.late(w, steps[l.Step], l.Compaction); err != nil {
			return err
		}
	}
	result.Covered += len(steps) - len(before) - len(after) - plan.Fork
	if started {
		start = nil
	}
	if len(after) > 0 {
		if err := im.linkFork(w, lane, steps, start, plan); err != nil {
			return err
		}
		if err := im.importInto(w, session, slices.Concat(start, after)); err != nil {
			return err
		}
	}
	return im.rewind(w, steps, marks, rewinds)
}

// known handles the steps that the log has: it counts their compactions, and adds the facts that hooks omitted.
func (im *importer) known(w *work, steps []step, marks []transcript.Mark) error {
	for i, s := range steps {
		if s.kind == events.ContextRestart {
			w.result.Known.count(marks[i].State, im.inventory.holds(s.id()))
		}
		if marks[i].State == transcript.Held && marks[i].Seq > 0 { // a hook reported it
			if err := im.put(w, s.root, s.late...); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkFork links a fork to the session from which the first steps were copied, or which its transcript names. start has the start of the
// session, if it is to be imported.
func (im *importer) linkFork(w *work, lane string, steps, start []step, plan transcript.Plan) error {
	if plan.Fork == 0 {
		if w.file.From == "" || lane != "" {
			return nil
		}
		return im.link(w, steps[plan.After.From], events.SessionLinked{Session: w.file.From, How: "fork"})
	}
	at, _ := im.inventory.find(steps[plan.Fork-1]) // a fork of a fork has rows of both
	for _, s := range start {
		s.markFork()
	}
	return im.link(w, steps[0], events.SessionLinked{Session: wholeSession(at.session), How: "fork", Row: steps[0].row})
}

// holes imports the steps that hooks missed. The steps of each hole become a part. marks holds the marks of steps.
func (im *importer) holes(w *work, steps []step, marks []transcript.Mark, holes []transcript.Stretch) error {
	for _, hole := range holes {
		missed := steps[hole.From:hole.To]
		if !marks[hole.From-1].Part && !worthASession(missed) {
			continue
		}
		part, begun := im.inventory.part(w.session, 2, steps[hole.From-1])
		w.result.Missed += len(missed)
		if !begun {
			w.result.Gaps++
			if err := im.link(w, missed[0], gapOf(missed, part)); err != nil {
				return err
			}
		}
		if err := im.importInto(w, part, missed); err != nil {
			return err
		}
	}
	return nil
}

// late adds the summary of a compaction that hooks reported without one. compaction is the sequence of a fact of the compaction.
func (im *importer) late(w *work, s step, compaction uint64) error {
	c, ok := events.As[events.CompactionCompleted](s.events[0])
	if !ok || c.Summary == "" {
		return nil
	}
	w.result.Late++
	e, err := s.events[0].With(events.SummaryImported{Compaction: compaction, Trigger: c.Trigger, Summary: c.Summary})
	if err != nil {
		return err
	}
	return im.put(w, s.root, e)
}

// link adds an event about the session itself, with the time and the lane of the step s, which shows the fact.
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

// importInto adds steps to a session.
func (im *importer) importInto(w *work, session string, steps []step) error {
	for _, s := range steps {
		for i := range s.events {
			s.events[i].Session = session
		}
		if err := im.put(w, s.root, s.events...); err != nil {
			return err
		}
	}
	return nil
}

// put adds events, except for those that an import has added already. root is the project's directory.
func (im *importer) put(w *work, root string, es ...events.Envelope) error {
	es = slices.DeleteFunc(slices.Clone(es), func(e events.Envelope) bool { return im.inventory.holds(e.ID) })
	if len(es) == 0 {
		return nil
	}
	for _, e := range es {
		im.inventory.note(e)
		w.types[e.Type]++
	}
	w.result.Events += len(es)
	return im.outbox.add(w, root, es...)
}

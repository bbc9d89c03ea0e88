package transcripts

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/projections"
)

// Receipts records receipts. A receipt is an event, DeliveryConfirmed, with the content of a session's context after a compaction, as the
// transcript shows it (ADR-0010 rule 4). After each compaction a receipt of the main lane is recorded. Confirm also reads the transcripts
// of subagents, which are other files. Receipts is a listener of the writer, whose lock guards it.
type Receipts struct {
	log    *journal.Log
	writer Writer
	dir    string                     // of the journal
	due    map[projections.Target]due // missing receipts, by session
}

// NewReceipts returns the Receipts of a log.
func NewReceipts(log *journal.Log, w Writer, dir string) *Receipts {
	return &Receipts{log, w, dir, map[projections.Target]due{}}
}

// due is the missing receipt of a session's newest compaction. Agents write their transcripts a little late, so a text counts as missing
// from a context only after a whole turn.
type due struct {
	ended   bool // a turn has ended since the compaction
	settled bool // a turn had ended before the newest event whose type is in contextShown
}

// contextShown holds the types of events after which a transcript shows the beginning of the context, because a request to the model
// precedes them.
var contextShown = map[events.Type]bool{
	events.TypeOf[events.PromptSubmitted](): true, events.TypeOf[events.TurnEnded](): true,
	events.TypeOf[events.CommandRan](): true, events.TypeOf[events.ToolUsed](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true,
}

// Remember receives an event that the log held when the owner started.
func (r *Receipts) Remember(e events.Envelope) { r.Stored(e) }

// Stored receives an event that was just stored.
func (r *Receipts) Stored(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	receipt, missing := r.due[target]
	switch e.Type {
	case events.TypeOf[events.ContextRestarted](), events.TypeOf[events.CompactionCompleted]():
		r.due[target] = due{}
		return
	case events.TypeOf[events.DeliveryConfirmed]():
		delete(r.due, target)
		return
	}
	if missing && contextShown[e.Type] {
		receipt.settled = receipt.ended
		receipt.ended = receipt.ended || e.Type == events.TypeOf[events.TurnEnded]()
		r.due[target] = receipt
	}
}

// confirmNewest records the receipt of a session's newest compaction if one is due and the transcript, as far as it was read, shows it. It
// reads the log only if the transcript has a new context, or the receipt is settled. The caller holds sr.sem.
func (r *Receipts) confirmNewest(ctx context.Context, sr *sessionReader) error {
	r.writer.Lock()
	d, missing := r.due[sr.target]
	r.writer.Unlock()
	if !missing || sr.file.watcher == nil {
		return nil
	}
	newest, shown := sr.file.watcher.Context()
	if shown == 0 || shown == sr.shown && !d.settled {
		return nil
	}
	sr.facts = cmp.Or(sr.facts, &delivery{})
	if err := r.catchUp(ctx, sr.target, sr.facts); err != nil {
		return err
	}
	done, err := r.record(ctx, sr.target, sr.facts, []transcript.Context{newest}, d.settled)
	if err != nil {
		return err
	}
	sr.shown = shown
	if done { // Stored has removed the receipt from due
		sr.facts = nil
	}
	return nil
}

// delivery holds the facts of the log from which a session's receipts are made.
type delivery struct {
	seq        uint64 // up to which the log was read
	transcript string // path that the newest start names
	agent      string
	offered    map[string]uint64   // sequences of recovery texts, by digest
	confirmed  map[uint64]bool     // sequences of the recovery texts that have a receipt
	ids        map[string]bool     // ids of the receipts
	prompts    map[string]uint64   // sequences of prompts, by text
	uses       map[string][]uint64 // sequences of tool calls, by the call's id
	files      map[string]uint64   // sequence of the newest read or write, by path
	lanes      map[string]bool     // the other lanes; true if a recovery text was offered there
}

// catchUp reads the part of the log that d lacks.
func (r *Receipts) catchUp(ctx context.Context, t projections.Target, d *delivery) error {
	if d.offered == nil {
		*d = delivery{
			offered: map[string]uint64{}, confirmed: map[uint64]bool{}, ids: map[string]bool{},
			prompts: map[string]uint64{}, uses: map[string][]uint64{}, files: map[string]uint64{}, lanes: map[string]bool{},
		}
	}
	for e, err := range r.log.Events(ctx, events.Span{After: d.seq}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return err
		}
		d.seq = e.Seq
		started := e.Type == events.TypeOf[events.SessionStarted]() // a subagent has none of its own
		if e.EchoOf != 0 || e.Lane != t.Lane && !started {
			d.lanes[e.Lane] = d.lanes[e.Lane] || e.Type == events.TypeOf[events.RecoveryGiven]()
			continue
		}
		ev, err := events.Open(e)
		if err != nil {
			continue // journal verify reports it
		}
		switch ev := ev.(type) {
		case events.SessionStarted:
			if ev.Transcript != "" {
				d.transcript, d.agent = ev.Transcript, e.Agent
			}
		case events.RecoveryGiven:
			d.offered[ev.Digest] = e.Seq
		case events.DeliveryConfirmed:
			d.confirmed[ev.Recovery] = true
			d.ids[e.ID] = true
		case events.PromptSubmitted:
			d.prompts[ev.Text] = e.Seq
		case events.CommandRan:
			d.uses[ev.Use] = append(d.uses[ev.Use], e.Seq)
		case events.FileRead:
			d.uses[ev.Use] = append(d.uses[ev.Use], e.Seq)
			d.files[ev.Path] = e.Seq
		case events.FileWritten:
			d.uses[ev.Use] = append(d.uses[ev.Use], e.Seq)
			d.files[ev.Path] = e.Seq
		}
	}
	return nil
}

// Confirm reads the whole transcript of a session, and those of its subagents to which a recovery text was offered. It records the missing
// receipts.
func (r *Receipts) Confirm(ctx context.Context, t projections.Target) error {
	var d delivery
	err := r.confirm(ctx, t, &d)
	for lane, offered := range d.lanes {
		if offered {
			t.Lane = lane
			err = errors.Join(err, r.confirm(ctx, t, &delivery{}))
		}
	}
	return err
}

// confirm records the missing receipts of one lane.
func (r *Receipts) confirm(ctx context.Context, t projections.Target, d *delivery) error {
	if err := r.catchUp(ctx, t, d); err != nil || d.transcript == "" {
		return err
	}
	format, err := transcript.Named(d.agent)
	if err != nil || format.Contexts == nil {
		return nil
	}
	found, err := format.Contexts(d.transcript, t.Lane)
	if errors.Is(err, fs.ErrNotExist) {
		found, err = format.Contexts(transcriptcopies.File(r.dir, t.Project, t.Session, d.transcript), t.Lane)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent removed it, or ran on another machine
	}
	if err != nil {
		return err
	}
	_, err = r.record(ctx, t, d, found, true)
	return err
}

// record records the missing receipts of contexts, which come oldest first. A context without a recovery text gets a receipt only if it is
// the newest and settled is true. done is true if the receipt of the newest context was recorded.
func (r *Receipts) record(ctx context.Context, t projections.Target, d *delivery, found []transcript.Context, settled bool) (done bool, err error) {
	for i, shown := range found {
		newest := i == len(found)-1
		c := d.receipt(shown)
		id := events.DerivedID("delivery.confirmed", t.Project, t.Session, shown.Boundary)
		switch {
		case d.ids[id] || c.Recovery != 0 && d.confirmed[c.Recovery]:
			continue // the context has its receipt; a newer compaction may not be in the transcript yet
		case c.Recovery == 0 && !(newest && settled):
			continue
		}
		if err := r.writer.Record(ctx, t, d.agent, id, c); err != nil {
			return false, err
		}
		done = done || newest
	}
	return done, nil
}

// receipt returns the receipt of a context of the transcript, from the facts of the log.
func (d *delivery) receipt(r transcript.Context) events.DeliveryConfirmed {
	var c events.DeliveryConfirmed
	for _, s := range r.Texts {
		if digest := text.Digest(s); d.offered[digest] != 0 {
			c.Recovery, c.Digest, c.Whole = d.offered[digest], digest, true
		}
	}
	for _, s := range r.Spilled {
		b, _ := disk.ReadFile(s.Path, spillBytes) // an unreadable file has no recovery text
		digest := text.Digest(b)
		if d.offered[digest] != 0 && c.Recovery == 0 {
			c.Recovery, c.Digest, c.Preview = d.offered[digest], digest, text.Units(s.Preview)
		}
	}
	for _, p := range r.Prompts {
		if seq := d.prompts[redact.Text(p)]; seq != 0 {
			c.Kept = append(c.Kept, seq)
		}
	}
	for _, u := range r.Uses {
		c.Kept = append(c.Kept, d.uses[u]...)
	}
	for _, f := range r.Files {
		if seq := d.files[redact.Text(f)]; seq != 0 {
			c.Kept = append(c.Kept, seq)
		}
	}
	slices.Sort(c.Kept)
	c.Kept = slices.Compact(c.Kept)
	return c
}

// spillBytes bounds a text that the agent moved into a file of its own. Recovery texts are shorter.
const spillBytes = 256 << 10

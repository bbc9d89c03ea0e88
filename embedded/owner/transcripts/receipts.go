package transcripts

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/projections"
)

// Receipts records what a session's transcript shows of the context after its newest compaction
// (ADR-0010 rule 4). It follows only the main thread; Confirm reads a subagent's transcript, which is
// another file. It is a listener of the writer, whose lock guards it.
type Receipts struct {
	log    *journal.Log
	writer Writer
	due    map[projections.Target]due // sessions whose newest compaction has no receipt yet
}

// NewReceipts makes Receipts for a log.
func NewReceipts(log *journal.Log, w Writer) *Receipts {
	return &Receipts{log, w, map[projections.Target]due{}}
}

// due is a receipt that is due. Agents write their transcripts some moments late, so a text
// counts as missing only after a whole turn.
type due struct {
	ended   bool // a turn has ended since
	settled bool // a turn had ended before the newest event after which the transcript shows what the context began with
}

// contextShown are the events after which a transcript shows what the context began
// with: a request to the model lies between.
var contextShown = map[events.Type]bool{
	events.TypeOf[events.PromptSubmitted](): true, events.TypeOf[events.TurnEnded](): true,
	events.TypeOf[events.CommandRan](): true, events.TypeOf[events.ToolUsed](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true,
}

// Remember takes an event that was in the log before.
func (r *Receipts) Remember(e events.Envelope) { r.Stored(e) }

// Stored takes an event that was just stored.
func (r *Receipts) Stored(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	one, is := r.due[target]
	switch e.Type {
	case events.TypeOf[events.ContextRestarted](), events.TypeOf[events.CompactionCompleted]():
		r.due[target] = due{}
		return
	case events.TypeOf[events.DeliveryConfirmed]():
		delete(r.due, target)
		return
	}
	if is && contextShown[e.Type] {
		one.settled = one.ended
		one.ended = one.ended || e.Type == events.TypeOf[events.TurnEnded]()
		r.due[target] = one
	}
}

// confirmNewest records the receipt of a session's newest compaction if one is due and the
// part of the transcript that was read shows it. It reads the log only if the transcript has
// new contexts, or nothing more is to come. The caller has one's turn.
func (r *Receipts) confirmNewest(ctx context.Context, one *follower) error {
	r.writer.Lock()
	d, is := r.due[one.target]
	r.writer.Unlock()
	if !is || one.file.watcher == nil {
		return nil
	}
	newest, shown := one.file.watcher.Context()
	if shown == 0 || shown == one.shown && !d.settled {
		return nil
	}
	one.facts = cmp.Or(one.facts, &delivery{})
	if err := r.grow(ctx, one.target, one.facts); err != nil {
		return err
	}
	done, err := r.record(ctx, one.target, one.facts, []transcript.Context{newest}, d.settled)
	if err != nil {
		return err
	}
	one.shown = shown
	if done {
		one.facts = nil
		r.writer.Lock()
		delete(r.due, one.target)
		r.writer.Unlock()
	}
	return nil
}

// delivery is what the log holds about a session that matters for its receipts.
type delivery struct {
	seq        uint64 // the log was read up to here
	transcript string
	agent      string
	given      map[string]uint64 // recovery.sent by digest of the text
	confirmed  map[uint64]bool   // those that have a receipt
	ids        map[string]bool   // of the receipts
	prompts    map[string]uint64 // by text
	uses       map[string][]uint64
	files      map[string]uint64 // newest event by path
	lanes      map[string]bool   // subagents that were given a recovery text
}

// grow reads the part of the log that d has not read.
func (r *Receipts) grow(ctx context.Context, t projections.Target, d *delivery) error {
	if d.given == nil {
		*d = delivery{
			given: map[string]uint64{}, confirmed: map[uint64]bool{}, ids: map[string]bool{},
			prompts: map[string]uint64{}, uses: map[string][]uint64{}, files: map[string]uint64{}, lanes: map[string]bool{},
		}
	}
	for e, err := range r.log.Events(ctx, events.Span{After: d.seq}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return err
		}
		d.seq = e.Seq
		started := e.Type == events.TypeOf[events.SessionStarted]() // the session's: a subagent has none
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
			d.given[ev.Digest] = e.Seq
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

// Confirm reads the whole transcripts of a session and its subagents, and records missing
// receipts.
func (r *Receipts) Confirm(ctx context.Context, t projections.Target) error {
	var d delivery
	err := r.confirm(ctx, t, &d)
	for lane, given := range d.lanes {
		if given {
			t.Lane = lane
			err = errors.Join(err, r.confirm(ctx, t, &delivery{}))
		}
	}
	return err
}

// confirm is Confirm for one thread.
func (r *Receipts) confirm(ctx context.Context, t projections.Target, d *delivery) error {
	if err := r.grow(ctx, t, d); err != nil || d.transcript == "" {
		return err
	}
	format, err := transcript.Of(d.agent)
	if err != nil || format.Contexts == nil {
		return nil
	}
	found, err := format.Contexts(d.transcript, t.Lane)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent removed it, or ran elsewhere
	}
	if err == nil {
		_, err = r.record(ctx, t, d, found, true)
	}
	return err
}

// record records the missing receipts of contexts, oldest first. A context in which none of
// our texts is found gets one only if it is the newest and settled. done reports that the
// newest has its receipt.
func (r *Receipts) record(ctx context.Context, t projections.Target, d *delivery, found []transcript.Context, settled bool) (done bool, err error) {
	for i, shown := range found {
		newest := i == len(found)-1
		c := d.receipt(shown)
		id := events.DerivedID("delivery.confirmed", t.Project, t.Session, shown.Boundary)
		switch {
		case d.ids[id] || c.Recovery != 0 && d.confirmed[c.Recovery]:
			continue // the newest compaction is not in the transcript yet
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

// receipt combines what the transcript shows and what the log holds.
func (d *delivery) receipt(r transcript.Context) events.DeliveryConfirmed {
	var c events.DeliveryConfirmed
	for _, s := range r.Texts {
		if digest := text.Digest(s); d.given[digest] != 0 {
			c.Recovery, c.Digest, c.Whole = d.given[digest], digest, true
		}
	}
	for _, s := range r.Spilled {
		digest := text.Digest(spill(s.Path))
		if d.given[digest] != 0 && c.Recovery == 0 {
			c.Recovery, c.Digest, c.Preview = d.given[digest], digest, text.Units(s.Preview)
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

// spillBytes bounds a text that the agent moved into a file; ours are shorter.
const spillBytes = 256 << 10

// spill reads such a file; nil if it is gone or not such a file.
func spill(path string) []byte {
	b, err := disk.ReadFile(path, spillBytes)
	if err != nil {
		return nil
	}
	return b
}

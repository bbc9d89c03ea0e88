package owner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/projections"
)

// receipts knows the sessions whose newest compaction has no receipt yet: what
// their transcript shows of the context after it (ADR-0010 rule 4). Only the main
// thread is followed; a subagent's transcript is another file.
type receipts map[projections.Target]due

// due is a receipt that is due. Agents write their transcripts some moments late: what
// is not there is settled to be missing only after a whole turn.
type due struct {
	ended   bool // a turn has, since
	asked   bool // by an event after which the transcript shows what the context began with
	settled bool // a turn had ended before that event
}

// shown are the events after which a transcript shows what the context began
// with: a request to the model lies between.
var shown = map[events.Type]bool{
	events.TypeOf[events.PromptSubmitted](): true, events.TypeOf[events.TurnEnded](): true,
	events.TypeOf[events.CommandRan](): true, events.TypeOf[events.ToolUsed](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true,
}

// note takes an event of the log. The caller holds the writer's mu, or nobody appends
// yet.
func (r receipts) note(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	one, is := r[target]
	switch e.Type {
	case events.TypeOf[events.ContextRestarted](), events.TypeOf[events.CompactionCompleted]():
		r[target] = due{}
		return
	case events.TypeOf[events.DeliveryConfirmed]():
		delete(r, target)
		return
	}
	if is && shown[e.Type] {
		one.asked, one.settled = true, one.ended
		one.ended = one.ended || e.Type == events.TypeOf[events.TurnEnded]()
		r[target] = one
	}
}

// receipt records the receipt of a session's newest compaction, when one is due and
// what was read of the transcript shows it. The log is asked only when the transcript
// tells more of contexts than it did, or nothing more is to be expected. The caller has
// one's turn.
func (o *Owner) receipt(ctx context.Context, one *follower) error {
	o.writer.mu.Lock()
	d, is := o.writer.receipts[one.target]
	if is && d.asked {
		d.asked = false
		o.writer.receipts[one.target] = d
	}
	o.writer.mu.Unlock()
	if !is || one.file.watcher == nil {
		return nil
	}
	newest, shown := one.file.watcher.Context()
	if shown == 0 || shown == one.shown && !d.settled {
		return nil
	}
	if one.facts == nil {
		one.facts = &delivery{}
	}
	if err := o.grow(ctx, one.target, one.facts); err != nil {
		return err
	}
	done, err := o.receiptsOf(ctx, one.target, one.facts, []transcript.Context{newest}, d.settled)
	if err != nil {
		return err
	}
	one.shown = shown
	if done {
		one.facts = nil
		o.writer.mu.Lock()
		delete(o.writer.receipts, one.target)
		o.writer.mu.Unlock()
	}
	return nil
}

// delivery is what the log knows of a session that bears on its receipts.
type delivery struct {
	seq        uint64 // up to where the log was read
	transcript string
	agent      string
	given      map[string]uint64 // recovery.given by digest of the text
	confirmed  map[uint64]bool   // those that have a receipt
	ids        map[string]bool   // of the receipts
	prompts    map[string]uint64 // by text
	uses       map[string][]uint64
	files      map[string]uint64 // newest event by path
}

// grow reads what the log holds that d has not read.
func (o *Owner) grow(ctx context.Context, t projections.Target, d *delivery) error {
	if d.given == nil {
		*d = delivery{
			given: map[string]uint64{}, confirmed: map[uint64]bool{}, ids: map[string]bool{},
			prompts: map[string]uint64{}, uses: map[string][]uint64{}, files: map[string]uint64{},
		}
	}
	for e, err := range o.log.Events(ctx, events.Span{After: d.seq}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return err
		}
		d.seq = e.Seq
		if e.EchoOf != 0 || e.Lane != t.Lane {
			continue
		}
		ev, err := events.Open(e)
		if err != nil {
			continue // for verify
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

// confirm reads a session's whole transcript and records the receipts that the log
// does not have.
func (o *Owner) confirm(ctx context.Context, t projections.Target) error {
	var d delivery
	if err := o.grow(ctx, t, &d); err != nil || d.transcript == "" {
		return err
	}
	format, err := transcript.Of(d.agent)
	if err != nil || format.Contexts == nil {
		return nil
	}
	found, err := format.Contexts(d.transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent has removed it, or runs elsewhere
	}
	if err == nil {
		_, err = o.receiptsOf(ctx, t, &d, found, true)
	}
	return err
}

// receiptsOf records the receipts of contexts, oldest first, that the log does not
// have. One in whose context no text of ours is found is recorded only when it is the
// newest and settled. done says that the newest has its receipt.
func (o *Owner) receiptsOf(ctx context.Context, t projections.Target, d *delivery, found []transcript.Context, settled bool) (done bool, err error) {
	for i, r := range found {
		newest := i == len(found)-1
		c := d.receipt(r)
		id := events.DerivedID("delivery.confirmed", t.Project, t.Session, r.Boundary)
		switch {
		case d.ids[id] || c.Recovery != 0 && d.confirmed[c.Recovery]:
			continue // the newest compaction is not in the transcript yet
		case c.Recovery == 0 && !(newest && settled):
			continue
		}
		if err := o.record(ctx, t, d.agent, id, c); err != nil {
			return false, err
		}
		done = done || newest
	}
	return done, nil
}

// receipt brings together what the transcript shows and what the log knows.
func (d *delivery) receipt(r transcript.Context) events.DeliveryConfirmed {
	var c events.DeliveryConfirmed
	for _, s := range r.Texts {
		if digest := digestOf([]byte(s)); d.given[digest] != 0 {
			c.Recovery, c.Digest, c.Whole = d.given[digest], digest, true
		}
	}
	for _, s := range r.Spilled {
		digest := digestOf(spill(s.Path))
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

// spillBytes bounds a text that the agent moved into a file: ours are shorter.
const spillBytes = 256 << 10

// spill reads such a file, nil when it is gone or not such a file.
func spill(path string) []byte {
	b, err := disk.ReadFile(path, spillBytes)
	if err != nil {
		return nil
	}
	return b
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// recordNow records something that is found out anew each time.
func (o *Owner) recordNow(ctx context.Context, t projections.Target, agent string, ev events.Event) error {
	return o.record(ctx, t, agent, events.NewID(), ev)
}

// record appends an event that the owner found out itself.
func (o *Owner) record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error {
	d, err := draftOf(ev, events.Meta{
		ID: id, At: time.Now().UnixNano(), Agent: agent, Session: t.Session, Lane: t.Lane, Project: t.Project,
	})
	if err != nil {
		return err
	}
	return o.writer.append(ctx, d)
}

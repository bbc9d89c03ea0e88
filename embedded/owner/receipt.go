package owner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/transcript"
	"journal/projections"
)

// errands is how many wait at most; the next event of a session asks again.
const errands = 8

// receipts knows the sessions whose newest compaction has no receipt yet: what
// their transcript shows of the context after it (ADR-0010 rule 4). Only the main
// thread is followed; a subagent's transcript is another file.
type receipts struct {
	due  map[projections.Target]bool // and whether a turn has ended since
	work chan errand
}

// errand asks for the receipt of a session's newest compaction. Agents write
// their transcripts some moments late: what is not there is settled to be missing
// only after a whole turn.
type errand struct {
	target  projections.Target
	settled bool
}

// shown are the events after which a transcript shows what the context began
// with: a request to the model lies between.
var shown = map[events.Type]bool{
	events.TypeOf[events.PromptSubmitted](): true, events.TypeOf[events.TurnEnded](): true,
	events.TypeOf[events.CommandRan](): true, events.TypeOf[events.ToolUsed](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true,
}

// seen takes an event of the log. The caller holds the writer's mu, or nobody
// appends yet.
func (r *receipts) seen(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	switch e.Type {
	case events.TypeOf[events.ContextRestarted](), events.TypeOf[events.CompactionCompleted]():
		r.due[target] = false
	case events.TypeOf[events.DeliveryConfirmed]():
		delete(r.due, target)
	case events.TypeOf[events.TurnEnded]():
		if _, due := r.due[target]; due {
			r.due[target] = true
		}
	}
}

// note takes an event that was stored now, and sends for the receipt when the
// transcript may show it. The caller holds the writer's mu.
func (r *receipts) note(e events.Envelope) {
	target := projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}
	settled, due := r.due[target]
	r.seen(e)
	if !due || !shown[e.Type] || e.EchoOf != 0 {
		return
	}
	select {
	case r.work <- errand{target, settled}:
	default: // the next event asks again
	}
}

// confirming does errands until ctx ends. Appenders must not wait for the reading of a transcript.
func (o *Owner) confirming(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-o.writer.receipts.work:
			done, err := o.confirm(ctx, e.target, false, e.settled)
			if err != nil && ctx.Err() == nil {
				o.trouble(fmt.Errorf("receipt of session %s: %w", e.target.Session, err))
			}
			if done {
				o.writer.mu.Lock()
				delete(o.writer.receipts.due, e.target)
				o.writer.mu.Unlock()
			}
		}
	}
}

// delivery is what the log knows of a session that bears on its receipts.
type delivery struct {
	transcript string
	agent      string
	given      map[string]uint64 // recovery.given by digest of the text
	confirmed  map[uint64]bool   // those that have a receipt
	ids        map[string]bool   // of the receipts
	prompts    map[string]uint64 // by text
	uses       map[string][]uint64
	files      map[string]uint64 // newest event by path
}

func (o *Owner) delivery(ctx context.Context, t projections.Target) (delivery, error) {
	d := delivery{
		given: map[string]uint64{}, confirmed: map[uint64]bool{}, ids: map[string]bool{},
		prompts: map[string]uint64{}, uses: map[string][]uint64{}, files: map[string]uint64{},
	}
	for e, err := range o.log.Events(ctx, events.Span{}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return d, err
		}
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
	return d, nil
}

// confirm reads a session's transcript and records the receipts that the log does
// not have: of all compactions, or of the newest. One in whose context no text of
// ours is found is recorded only when it is the newest and settled. done says that
// the newest has its receipt.
func (o *Owner) confirm(ctx context.Context, t projections.Target, all, settled bool) (done bool, err error) {
	d, err := o.delivery(ctx, t)
	if err != nil || d.transcript == "" {
		return true, err
	}
	format, err := transcript.Of(d.agent)
	if err != nil || format.Contexts == nil {
		return true, nil
	}
	found, err := format.Contexts(d.transcript, all)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // the agent has removed it, or runs elsewhere
	}
	if err != nil || len(found) == 0 {
		return false, err
	}
	newest := len(found) - 1
	if !all {
		found = found[newest:]
		newest = 0
	}
	for i, r := range found {
		c := d.receipt(r)
		id := events.DerivedID("delivery.confirmed", t.Project, t.Session, r.Boundary)
		switch {
		case d.ids[id] || c.Recovery != 0 && d.confirmed[c.Recovery]:
			continue // the newest compaction is not in the transcript yet
		case c.Recovery == 0 && (i != newest || !settled):
			continue
		}
		if err := o.record(ctx, t, d.agent, id, c); err != nil {
			return false, err
		}
		done = done || i == newest
	}
	return done, nil
}

// receipt brings together what the transcript shows and what the log knows.
func (d delivery) receipt(r transcript.Context) events.DeliveryConfirmed {
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

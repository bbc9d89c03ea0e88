package upload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/facts"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// sweep erases forgotten events from the hub's copies of former devices. The rest stays, in a new copy: it may be all that is
// left of another log. A machine that still is such a device finds that copy, and forgets the same events (mend). It reports
// whether anything was erased.
func (v *session) sweep(ctx context.Context) (erased bool, err error) {
	if !v.copy.Unswept() {
		return false, nil
	}
	swept := v.copy.EraseBelow
	for _, device := range v.copy.Former {
		gone, err := v.sweepDevice(ctx, device)
		switch {
		case errors.Is(err, peers.ErrSilent), errors.Is(err, chunk.ErrDamaged):
			v.Logger.Warn("team: what was forgotten may be in the hub's copy of a former device", "device", device, "error", err.Error())
			swept = v.copy.ErasedThrough // the next session tries again
		case err != nil:
			return erased, fmt.Errorf("forget what the hub has of device %s: %w", device, err)
		}
		erased = erased || gone
	}
	v.copy.ErasedThrough = swept
	return erased, v.copy.Save(v.Dir)
}

// sweepDevice is sweep for one device.
func (v *session) sweepDevice(ctx context.Context, device string) (bool, error) {
	c, log, err := v.read(ctx, device)
	if err != nil || log == nil {
		return false, err
	}
	m := merged{own: v.Source, there: log, divergedAt: v.copy.DivergedAt[device]}
	for _, err := range m.Stored(ctx, events.Span{Until: c.Events}) {
		if err != nil {
			return false, err
		}
	}
	if !m.changed {
		return false, nil
	}
	next := v.writerOf(c.Newest+1, c.Share, place{})
	next.head.Device, next.source = device, &m
	if err := v.silence(ctx, device, next.head.Copy); err != nil {
		return false, err
	}
	for next.done < c.Events {
		if err := next.next(ctx, c.Events); err != nil {
			return false, err
		}
	}
	for _, subject := range v.all {
		_, owner, _, isCopy := team.SubjectOf(subject)
		if isCopy && owner == device {
			if err := v.eraseAll(ctx, subject); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// read reads what the hub has of a device of the member's; nothing when there is nothing.
func (v *session) read(ctx context.Context, device string) (c peers.Copy, log *journal.Log, err error) {
	hub, err := peers.Reach(ctx, v.Member.Member)
	if err != nil {
		return c, nil, err
	}
	defer hub.Close()
	all, err := hub.Of(ctx, v.Member.Name)
	if err != nil {
		return c, nil, err
	}
	i := slices.IndexFunc(all, func(c peers.Copy) bool { return c.Device == device })
	if i < 0 {
		return c, nil, nil
	}
	log, err = all[i].Log(ctx)
	return all[i], log, err
}

// silence replaces the facts of a device by tombstones: they were made of what has to be gone.
func (v *session) silence(ctx context.Context, device string, number int) error {
	for _, subject := range v.all {
		place, isFact := facts.PlaceIn(subject, device)
		if !isFact {
			continue
		}
		a, err := v.newestOf(ctx, subject)
		if err != nil {
			return err
		}
		var before facts.Head
		if _, err := chunk.Open(a.Data, &before); err != nil {
			v.Logger.Warn("team", "error", err.Error()) // it is replaced like any other
		}
		_, err = v.publish(ctx, facts.Head{Device: device, Place: place, Counter: before.Counter + 1, Copy: number, Last: before.Last}, nil)
		if err == nil && a.Seq > 0 {
			err = v.remove(ctx, a.Seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// merged is a device's copy without what this log has forgotten of the events that both have.
type merged struct {
	own, there Source
	divergedAt uint64 // first number where both have another event; 0 is not known
	changed    bool   // something was left out
}

// Stored implements Source.
func (m *merged) Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for both, err := range pairs(m.own.Stored(ctx, span), m.there.Stored(ctx, span)) {
			if !yield(m.without(both.own, both.theirs), err) {
				return
			}
		}
	}
}

// without returns what stays of a record there.
func (m *merged) without(own, theirs record.Record) record.Record {
	same := own.ID == theirs.ID && own.Subject == theirs.Subject
	bothHave := own.ID != "" && theirs.ID != "" && !isPlaceholder(own) && !isPlaceholder(theirs)
	if m.divergedAt == 0 && bothHave && !same {
		m.divergedAt = theirs.Seq
	}
	diverged := m.divergedAt > 0 && theirs.Seq >= m.divergedAt
	forgotten := own.IsForgotten() || same && !bytes.Equal(own.Data, theirs.Data) // or it lost a secret
	if diverged || !forgotten || theirs.ID == "" {
		return theirs
	}
	own.Seq, m.changed = theirs.Seq, true
	return own
}

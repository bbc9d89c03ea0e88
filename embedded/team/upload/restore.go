package upload

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// Missing describes the events of the hub's copy that the log of a device lacks.
type Missing struct {
	HubLog  *journal.Log // the hub's copy, verified; reading it needs no connection
	Forgets bool         // the copy has forgotten events of the log, or lost secrets in them
	redacts bool         // the log lost secrets, which the copy is to lose too
	Copy    team.Copy    // for the log after it was rewritten
}

const (
	// maxRestoreAttempts bounds how often a log is rewritten until the hub and the log agree.
	maxRestoreAttempts = 5
	// maxFormer bounds the former devices of a journal, which a hostile hub could multiply.
	maxFormer = 50
)

// reconcile ends a difference between the hub's copy and the log. The log gets the events that it lacks. This journal becomes a new device
// if the two have different events at one number, the copy is damaged, or maxRestoreAttempts were not enough; but if the journal was
// maxFormer devices already, the error is rolledBack. The error is never nil.
func (v *session) reconcile(ctx context.Context, rolledBack error) error {
	d, err := v.examine(ctx)
	damaged := errors.Is(err, chunk.ErrDamaged)
	if err != nil && !damaged {
		return err
	}
	v.copy.RestoreAttempts++
	if d.split > 0 || damaged || v.copy.RestoreAttempts > maxRestoreAttempts {
		if len(v.copy.Former) == maxFormer {
			return rolledBack
		}
		return v.becomeDevice(d.split)
	}
	if d.Copy, err = v.adopted(d); err != nil {
		return err
	}
	if !d.logLacks && !d.Forgets {
		return cmp.Or(d.Copy.Save(v.Dir), errRestartSession)
	}
	if err := v.copy.Save(v.Dir); err != nil {
		return err
	}
	v.Restore(d.Missing)
	select { // Restore ends this link soon; another session would only find the same difference
	case <-ctx.Done():
	case <-v.gone:
	}
	return errRestartSession
}

// becomeDevice makes this journal a new device of its member. from is the event number at which the logs diverged, 0 if that is not
// known.
func (v *session) becomeDevice(from uint64) (err error) {
	before := v.Member.Device
	v.status.Hub = 0
	v.writeStatus() // before others see that this is a new device, of which the hub has nothing
	if v.Member, err = team.NewDevice(v.Dir, v.Member, from); err != nil {
		return err
	}
	v.status.Device, v.status.Problem = v.Member.Device, ""
	v.Logger.Warn("team: the hub's copy and this log diverged; this machine is a new device", "from", from, "was", before, "is", v.Member.Device)
	return errRestartSession
}

// adopted returns the hub's copy as the current one of this log. The share is the hub's too, unless a person changed it here
// since the two agreed.
func (v *session) adopted(d difference) (team.Copy, error) {
	err := team.ChangeShare(v.Dir, func(share team.Share) (team.Share, error) {
		if share.Same(v.copy.Settled) {
			share.All, share.Projects = d.share.All, d.share.Projects
		}
		return share, nil
	})
	c := v.copy
	c.Number, c.EraseBelow, c.KeepBelow = slices.Max(append(v.copy.AtHub, d.number)), 0, 0
	if d.copyKeeps {
		c.Number++
		c.EraseBelow = c.Number
	}
	c.Share = d.share
	return c, err
}

// difference describes how the hub's copy and the log differ.
type difference struct {
	Missing
	number    int        // of the copy
	share     team.Share // of the copy
	logLacks  bool       // the log lacks events that the copy has
	copyKeeps bool       // the copy has events that the log has forgotten
	split     uint64     // event number from which the two have other events; 0 for none
	unsure    uint64     // first event number that doubt found; 0 for none, and after an event that both have
	newest    uint64     // event number up to which the two agreed before
}

// examine reads the hub's newest copy of this device, and compares it with the log.
func (v *session) examine(ctx context.Context) (difference, error) {
	d := difference{newest: v.status.Hub, share: v.copy.Share}
	hub, err := peers.Reach(ctx, v.Member.Member)
	if err != nil {
		return d, err
	}
	defer hub.Close()
	c, log, err := v.read(ctx, hub, v.Member.Device)
	if err == nil && log == nil {
		err = errRestartSession // another machine has just removed it
	}
	if err != nil {
		return d, err
	}
	d.HubLog, d.number, d.redacts = log, c.Newest, v.copy.EraseBelow > c.Newest
	if !c.Share.None() {
		d.share.All, d.share.Projects = c.Share.All, c.Share.Projects
	}
	err = d.compare(v.Source.Stored(ctx, events.Span{Until: v.Head()}), d.HubLog.Stored(ctx, events.Span{}))
	return d, err
}

// compare compares the two in order.
func (d *difference) compare(log, copy iter.Seq2[record.Record, error]) error {
	err := pairs(log, copy, func(own, theirs record.Record) bool {
		d.add(own, theirs)
		return d.split == 0
	})
	if err == nil && d.split == 0 {
		d.split = d.unsure
	}
	return err
}

// pairs calls each with the records of a copy and those of the log at the same number, until it returns false. Both begin with the same
// number. After the end of the log own has no subject.
func pairs(log, copy iter.Seq2[record.Record, error], each func(own, theirs record.Record) bool) error {
	next, stop := iter.Pull2(log)
	defer stop()
	for theirs, err := range copy {
		own, ownErr, ok := next()
		if ownErr != nil {
			err = fmt.Errorf("read for the team: %w", ownErr)
		}
		if err != nil {
			return err
		}
		if !ok {
			own = record.Record{Seq: theirs.Seq}
		}
		if !each(own, theirs) {
			break
		}
	}
	return nil
}

// add compares the records of the log and of the copy at an event number.
func (d *difference) add(own, theirs record.Record) {
	switch {
	case theirs.Subject == record.Withheld: // the device had nothing to share there
		if !isPlaceholder(own) && !own.IsForgotten() && d.share.Derive(own).Subject != record.Withheld {
			d.split = own.Seq
		}
		d.logLacks, d.copyKeeps = d.logLacks || own.Subject == "", d.copyKeeps || own.IsForgotten()
	case theirs.IsForgotten():
		if own.Subject == "" {
			d.logLacks = true
		} else if !own.IsForgotten() && !isPlaceholder(own) {
			d.Forgets = true
			d.doubt(own.Seq)
		}
	case own.ID == theirs.ID && own.Subject == theirs.Subject: // the same event
		if d.unsure = 0; !bytes.Equal(own.Data, theirs.Data) { // one of them lost a secret since
			d.Forgets, d.copyKeeps = d.Forgets || !d.redacts, d.copyKeeps || d.redacts
		}
	case isPlaceholder(own):
		d.logLacks = true
	case own.IsForgotten():
		d.copyKeeps = true
		d.doubt(own.Seq)
	default: // another event
		d.split = own.Seq
	}
}

// doubt remembers the first event number where one side has forgotten an event, which may have differed from that of the other side.
func (d *difference) doubt(seq uint64) {
	if d.unsure == 0 && seq > d.newest {
		d.unsure = seq
	}
}

// Merge returns the record that the log gets at an event number, where it and the hub's copy have these.
func (m Missing) Merge(own, theirs record.Record) record.Record {
	switch {
	case own.IsForgotten():
		return own
	case own.Subject == "": // the log has ended
		return theirs
	case theirs.Subject == record.Withheld, theirs.IsForgotten() && isPlaceholder(own), m.redacts && own.ID == theirs.ID:
		return own
	}
	return theirs
}

// isPlaceholder reports whether a record is no event of an agent: it is missing, was not shared, or records a repair.
func isPlaceholder(r record.Record) bool {
	isType := func(t events.Type) bool { return strings.HasSuffix(r.Subject, "."+string(t)) }
	return r.Subject == "" || r.Subject == record.Withheld || isType(events.TypeOf[events.LogGap]()) || isType(events.TypeOf[events.LogRepaired]())
}

// sweep erases forgotten events from the hub's copies of former devices. The rest stays, in a new copy: it may be all that is
// left of another log. A machine that still is such a device finds that copy, and forgets the same events (reconcile). It reports
// whether anything was erased.
func (v *session) sweep(ctx context.Context) (erased bool, err error) {
	if !v.copy.Unswept() {
		return false, nil
	}
	swept := v.copy.EraseBelow
	for _, device := range v.copy.Former {
		gone, err := v.sweepDevice(ctx, device)
		switch {
		case errors.Is(err, peers.ErrNotListed), errors.Is(err, chunk.ErrDamaged):
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

// sweepDevice erases forgotten events from the hub's copy of a former device. It reports whether the copy was replaced.
func (v *session) sweepDevice(ctx context.Context, device string) (bool, error) {
	hub, err := peers.Reach(ctx, v.Member.Member)
	if err != nil {
		return false, err
	}
	defer hub.Close()
	c, log, err := v.read(ctx, hub, device)
	if err != nil || log == nil {
		return false, err
	}
	m, err := v.mergedWith(ctx, c, log)
	if err != nil {
		return false, err
	}
	if !m.changed {
		return v.sweepReplaced(ctx, c)
	}
	next := v.writerOf(c.Newest+1, c.Share)
	next.head.Device, next.source = device, m
	// Its facts were made of events that have to go.
	if _, err := v.withdraw(ctx, device, func(string, fact) bool { return true }); err != nil {
		return false, err
	}
	for next.done < c.Events {
		if err := next.next(ctx, c.Events); err != nil {
			return false, err
		}
	}
	for _, subject := range v.subjects {
		owner, _, isCopy := team.SubjectOf(subject)
		if isCopy && owner == device {
			if err := v.eraseAll(ctx, subject); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// sweepReplaced erases the copies of a former device that c replaced and that hold forgotten events: the session that wrote c ended before
// it could erase them. It reports whether there was one.
func (v *session) sweepReplaced(ctx context.Context, c peers.Copy) (erased bool, err error) {
	for _, subject := range v.subjects {
		device, number, isCopy := team.SubjectOf(subject)
		if !isCopy || device != c.Device || number >= c.Number {
			continue
		}
		log, err := c.Earlier(number).Log(ctx)
		damaged := errors.Is(err, chunk.ErrDamaged) // a part of it was erased
		m := &merged{changed: damaged}
		if err == nil {
			m, err = v.mergedWith(ctx, c, log)
		}
		if err != nil && !damaged {
			return erased, err
		}
		if !m.changed {
			continue
		}
		if err := v.eraseAll(ctx, subject); err != nil {
			return erased, err
		}
		erased = true
	}
	return erased, nil
}

// mergedWith reads a log of c.Device, c or an earlier copy, to find out whether anything changes, and where the logs diverged.
func (v *session) mergedWith(ctx context.Context, c peers.Copy, log *journal.Log) (*merged, error) {
	m := &merged{own: v.Source, copy: log, divergedAt: v.copy.DivergedAt[c.Device]}
	for _, err := range m.Stored(ctx, events.Span{Until: c.Events}) {
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// read reads the hub's copy of a device of the member. log is nil if there is none.
func (v *session) read(ctx context.Context, hub *peers.Hub, device string) (c peers.Copy, log *journal.Log, err error) {
	all, err := hub.Copies(ctx, v.Member.Name)
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

// merged is the copy of a former device, without the events that this log had in common with it and has forgotten.
type merged struct {
	own, copy  Source
	divergedAt uint64 // first number at which the two have different events; 0 if it is not known
	changed    bool   // an event was forgotten, or lost a secret
}

// Stored implements Source.
func (m *merged) Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		err := pairs(m.own.Stored(ctx, span), m.copy.Stored(ctx, span), func(own, theirs record.Record) bool {
			return yield(m.merge(own, theirs), nil)
		})
		if err != nil {
			yield(record.Record{}, err)
		}
	}
}

// merge returns the record that the copy gets at an event number: that of the log if the log has forgotten the event or a secret in it,
// else that of the copy. From the number on at which the two have different events it is that of the copy.
func (m *merged) merge(own, theirs record.Record) record.Record {
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

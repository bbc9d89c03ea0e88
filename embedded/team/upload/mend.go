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
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// Missing holds what the log of a device lacks of the hub's copy.
type Missing struct {
	There   *journal.Log // the hub's copy, verified; it needs no connection
	Forgets bool         // events of the log were forgotten since, or lost a secret, and go
	redacts bool         // it is the log that lost secrets, and the hub is to lose them too
	Copy    team.Copy    // of the log, once it has what it lacks
}

const (
	// maxRestoreAttempts bounds how often a log is given back something before the hub and the log agree.
	maxRestoreAttempts = 5
	// maxFormer bounds the devices that a journal was: a hub that is hostile makes no more.
	maxFormer = 50
)

// mend ends a difference between the hub's copy and the log: the log is given back what it lacks, or this journal
// becomes a new device when both went on, or the log cannot be given it.
func (v *session) mend(ctx context.Context, rolledBack error) error {
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
	if !d.lacks && !d.Forgets {
		return cmp.Or(d.Copy.Save(v.Dir), errRestartSession)
	}
	if err := v.copy.Save(v.Dir); err != nil {
		return err
	}
	v.Return(d.Missing)
	select {
	case <-ctx.Done():
	case <-v.gone:
	}
	return errRestartSession
}

// becomeDevice makes this journal a new device of its member's. The logs went apart at an event number, 0 if that is not known.
func (v *session) becomeDevice(from uint64) (err error) {
	before := v.Member.Device
	v.status.Hub = 0
	v.writeStatus() // before others see that this is a new device, of which the hub has nothing
	if v.Member, err = team.NewDevice(v.Dir, v.Member, from); err != nil {
		return err
	}
	v.status.Device, v.status.Problem = v.Member.Device, ""
	v.Logger.Warn("team: the hub's copy and this log went on apart; this machine is a new device", "from", from, "was", before, "is", v.Member.Device)
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
	if d.keeps {
		c.Number++
		c.EraseBelow = c.Number
	}
	c.Share = d.share
	return c, err
}

// difference describes the difference between the hub's copy and the log.
type difference struct {
	Missing
	number int        // of the copy
	share  team.Share // what it is of
	lacks  bool       // it has events that the log has not
	keeps  bool       // it has events that the log has forgotten
	split  uint64     // first event that the log alone has where the copy has another or goes on; 0 for none
	unsure uint64     // see doubt; 0 after an event that both have
	newest uint64     // number up to which the log is known to have been the copy's
}

// examine reads the hub's newest copy of this device, and compares it with the log.
func (v *session) examine(ctx context.Context) (difference, error) {
	d := difference{newest: v.status.Hub, share: v.copy.Share}
	c, log, err := v.read(ctx, v.Member.Device)
	if err == nil && log == nil {
		err = errRestartSession // another machine has just removed it
	}
	if err != nil {
		return d, err
	}
	d.There, d.number, d.redacts = log, c.Newest, v.copy.EraseBelow > c.Newest
	if !c.Share.None() {
		d.share.All, d.share.Projects = c.Share.All, c.Share.Projects
	}
	err = d.compare(v.Source.Stored(ctx, events.Span{Until: v.Head()}), d.There.Stored(ctx, events.Span{}))
	return d, err
}

// compare goes through both in order.
func (d *difference) compare(log, copy iter.Seq2[record.Record, error]) error {
	for both, err := range pairs(log, copy) {
		if err != nil {
			return err
		}
		if d.place(both.own, both.theirs); d.split > 0 {
			return nil
		}
	}
	d.split = d.unsure
	return nil
}

// pair holds what a log and a copy at the hub have at an event number.
type pair struct{ own, theirs record.Record }

// pairs goes through a copy and the log beside it, which begin with the same number. Where the log has ended, own has no subject.
func pairs(log, copy iter.Seq2[record.Record, error]) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		next, stop := iter.Pull2(log)
		defer stop()
		for theirs, err := range copy {
			own, ownErr, ok := next()
			if ownErr != nil {
				err = fmt.Errorf("read for the team: %w", ownErr)
			}
			if !ok {
				own = record.Record{Seq: theirs.Seq}
			}
			if !yield(pair{own, theirs}, err) || err != nil {
				return
			}
		}
	}
}

// place compares what the log and the copy have at an event number.
func (d *difference) place(own, theirs record.Record) {
	switch {
	case theirs.Subject == record.Withheld: // the device had nothing to share there
		if !isPlaceholder(own) && !own.IsForgotten() && d.share.Derive(own).Subject != record.Withheld {
			d.split = own.Seq
		}
		d.lacks, d.keeps = d.lacks || own.Subject == "", d.keeps || own.IsForgotten()
	case theirs.IsForgotten():
		if own.Subject == "" {
			d.lacks = true
		} else if !own.IsForgotten() && !isPlaceholder(own) {
			d.Forgets = true
			d.doubt(own.Seq)
		}
	case own.ID == theirs.ID && own.Subject == theirs.Subject: // the same event
		if d.unsure = 0; !bytes.Equal(own.Data, theirs.Data) { // one of them lost a secret since
			d.Forgets, d.keeps = d.Forgets || !d.redacts, d.keeps || d.redacts
		}
	case isPlaceholder(own):
		d.lacks = true
	case own.IsForgotten():
		d.keeps = true
		d.doubt(own.Seq)
	default: // another event
		d.split = own.Seq
	}
}

// doubt remembers the first place where one side has forgotten an event that may have been another than the other side's.
func (d *difference) doubt(seq uint64) {
	if d.unsure == 0 && seq > d.newest {
		d.unsure = seq
	}
}

// Merge returns what the log is to have at an event number, where it and the hub's copy have these records.
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

// isPlaceholder reports whether a record stands for no event: there is none, it was not shared, or it records a repair.
func isPlaceholder(r record.Record) bool {
	isType := func(t events.Type) bool { return strings.HasSuffix(r.Subject, "."+string(t)) }
	return r.Subject == "" || r.Subject == record.Withheld || isType(events.TypeOf[events.LogGap]()) || isType(events.TypeOf[events.LogRepaired]())
}

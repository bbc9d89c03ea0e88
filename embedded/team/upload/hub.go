package upload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/events"
	"journal/journal/record"
)

// settle compares the hub's copies with the log, removes copies with events that have to go, and pushes events up to a number.
func (v *session) settle(ctx context.Context, until uint64) error {
	copies, err := v.listCopies(ctx)
	if err != nil {
		return err
	}
	v.own = v.writerOf(v.copy.Number, v.copy.Share)
	if !v.copy.Share.None() { // else no copy is continued
		for number, a := range copies {
			if err := v.compare(ctx, number, a); err != nil {
				return err
			}
		}
	}
	// First the facts and copies with events that have to go are removed, and such events from the copies of former devices.
	if err := v.readFacts(ctx); err != nil {
		return err
	}
	withdrawn, err := v.withdraw(ctx, v.Member.Device, func(_ string, f fact) bool { return f.copy < v.copy.EraseBelow })
	if err != nil {
		return err
	}
	gone := v.copy.Erase()
	if err := v.erase(ctx, gone); err != nil {
		return err
	}
	swept, err := v.sweep(ctx)
	if err != nil {
		return err
	}
	if (withdrawn || swept || len(gone) > 0) && v.Member.Replicas > 1 {
		v.copy.GoneBy = time.Now().Add(raftWait)
	}
	v.copy.Settled, v.copy.RestoreAttempts = v.copy.Share, 0
	if err := v.copy.Save(v.Dir); err != nil {
		return err
	}
	v.noteProgress()
	// Then the newest copy is completed, and those that it replaces are removed.
	if err := v.push(ctx, until); err != nil {
		return err
	}
	if v.copy.Share.None() && v.copy.EraseBelow == 0 { // this log has shared nothing as this device: the copies are not its own
		return nil
	}
	return v.erase(ctx, v.copy.Replaced())
}

// listCopies saves which copies the hub has of this device, and returns the newest chunk of each, by number.
func (v *session) listCopies(ctx context.Context) (map[int]dial.Message, error) {
	subjects, err := dial.Subjects(ctx, v.nc, team.Info+v.Member.Account)
	if err != nil {
		return nil, fmt.Errorf("ask the hub: %w", err)
	}
	v.subjects = subjects
	newest := map[int]dial.Message{}
	for _, subject := range subjects {
		device, number, ok := team.SubjectOf(subject)
		if !ok || device != v.Member.Device {
			continue
		}
		a, err := v.newestOf(ctx, subject)
		if err != nil {
			return nil, err
		}
		if a.Seq > 0 {
			newest[number] = a
		}
	}
	v.copy.AtHub = slices.Sorted(maps.Keys(newest))
	return newest, v.copy.Save(v.Dir)
}

// newestOf returns the newest message of a subject, without a sequence when there is none.
func (v *session) newestOf(ctx context.Context, subject string) (a dial.Message, err error) {
	var reply struct {
		Message dial.Message `json:"message"`
	}
	err = dial.Request(ctx, v.nc, &nats.Msg{Subject: team.Newest, Data: fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)}, &reply)
	if dial.HasCode(err, nats.JSErrCodeMessageNotFound) {
		err = nil
	}
	return reply.Message, err
}

// compare checks by its newest chunk that a copy at the hub is of this log's past: errRolledBack if it is not. In an earlier copy only another
// event at one number makes a difference: since then the log may have forgotten or lost events. The chunk is not verified, because a forged one
// that differs leads to reconcile, which verifies.
func (v *session) compare(ctx context.Context, number int, a dial.Message) error {
	if number > v.copy.Number {
		return fmt.Errorf("%w: its copy %d, and the newest here is %d", errRolledBack, number, v.copy.Number)
	}
	c, err := chunk.Decode(a.Data)
	if err != nil {
		return err
	}
	if c.Last > v.Head() {
		return fmt.Errorf("%w: its copy ends with #%d, and the log with #%d", errRolledBack, c.Last, v.Head())
	}
	theirs, err := c.Records()
	if err != nil {
		return err
	}
	d := difference{share: team.Share{All: c.All, Projects: c.Projects}, newest: c.Last}
	if err := d.compare(v.Source.Stored(ctx, events.Span{After: c.First - 1, Until: c.Last}), stored(theirs)); err != nil {
		return err
	}
	same := d.split == 0
	if number == v.copy.Number {
		v.own.seq, v.own.hash, v.own.last, v.own.done = a.Seq, chunk.Hash(a.Data), c.Last, c.Last
		same = same && !d.logLacks && !d.copyKeeps && !d.Forgets
	}
	if !same {
		return fmt.Errorf("%w: #%d to #%d are others there", errRolledBack, c.First, c.Last)
	}
	return nil
}

// stored yields records as Source.Stored does.
func stored(all []record.Record) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// push uploads what the hub lacks of the log up to an event number, if anything is shared.
func (v *session) push(ctx context.Context, until uint64) error {
	for !v.copy.Share.None() && v.own.done < until && ctx.Err() == nil {
		if err := v.own.next(ctx, until); err != nil {
			return err
		}
		if v.own.done == until {
			if err := v.publishFacts(ctx, until); err != nil {
				return err
			}
		}
		v.noteProgress()
	}
	return ctx.Err()
}

// request sends the hub a request, and returns the sequence in its answer. The error is errRestartSession if the hub's newest chunk is not
// the expected one, because another machine was faster or an answer was lost, and errRefused if the hub refuses.
func (v *session) request(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	var reply struct {
		Seq uint64 `json:"seq"`
	}
	err = dial.Request(ctx, v.nc, m, &reply)
	if dial.HasCode(err, nats.JSErrCodeStreamWrongLastSequence, nats.JSErrCodeStreamWrongLastSequenceConstant) {
		return 0, errRestartSession
	}
	if _, refused := errors.AsType[*nats.APIError](err); refused {
		err = fmt.Errorf("%w: %w", errRefused, err)
	}
	return reply.Seq, err
}

// remove removes a message of the member's at the hub, with its bytes.
func (v *session) remove(ctx context.Context, seq uint64) error {
	_, err := v.request(ctx, &nats.Msg{Subject: team.Remove, Data: fmt.Appendf(nil, `{"seq":%d}`, seq)})
	return err
}

const (
	// pageMessages and pageBytes bound the reply to one question about this member's own messages.
	pageMessages = 500
	pageBytes    = 4 << 20
	// eraseAtOnce bounds removals in parallel.
	eraseAtOnce = 32
)

// erase removes copies at the hub.
func (v *session) erase(ctx context.Context, numbers []int) error {
	for _, n := range numbers {
		if err := v.eraseAll(ctx, team.Subject(v.Member.Account, v.Member.Device, n)); err != nil {
			return err
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	left, err := v.listCopies(ctx)
	if err == nil && slices.ContainsFunc(numbers, func(n int) bool { return left[n].Seq > 0 }) {
		err = errRestartSession // the node that was asked for its messages did not know all of them
	}
	return err
}

// eraseAll removes a copy at the hub, from its newest chunk back: after an interruption readers can still read the rest.
func (v *session) eraseAll(ctx context.Context, subject string) error {
	var all []uint64
	q := dial.Query{Stream: v.Member.Account, Next: subject, From: 1, Most: pageMessages, Bytes: pageBytes}
	err := dial.All(ctx, v.nc, q, func(a dial.Message) error {
		all = append(all, a.Seq)
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	slices.Reverse(all)
	var work errgroup.Group
	work.SetLimit(eraseAtOnce)
	for _, seq := range all {
		work.Go(func() error { return v.remove(ctx, seq) })
	}
	if err := work.Wait(); err != nil {
		return fmt.Errorf("remove a copy at the hub: %w", err)
	}
	v.Logger.Info("team: a copy is gone from the hub", "copy", subject)
	return nil
}

// writer adds chunks to a copy at the hub, each under the condition that the hub's newest is the one before.
type writer struct {
	*session
	head   chunk.Head // the part that all chunks have in common
	source Source
	share  team.Share
	seq    uint64 // sequence of the newest chunk at the hub, 0 for none
	hash   []byte // of that chunk
	last   uint64 // newest event number in the copy
	done   uint64 // number up to which the hub has all that is shared
}

// writerOf returns a writer that begins a copy of this device.
func (v *session) writerOf(number int, share team.Share) *writer {
	h := chunk.Head{Team: v.Member.Team, Member: v.Member.Name, Device: v.Member.Device, Copy: number, All: share.All, Projects: share.Projects}
	return &writer{session: v, source: v.Source, share: share, head: h}
}

// next adds at most one chunk, with events of the source up to a number.
func (w *writer) next(ctx context.Context, until uint64) error {
	until = min(until, w.last+chunk.MaxStretch)
	records, end, err := gather(w.source.Stored(ctx, events.Span{After: w.done, Until: until}), w.share, w.done)
	if err != nil {
		return err
	}
	if end == w.done {
		return fmt.Errorf("the log ends with #%d, not with #%d", end, until)
	}
	last := end
	if len(records) > 0 {
		last = records[len(records)-1].Seq
	}
	// Two chunks may be empty: the first one of a copy, because facts are erased with it, and one where nothing was shared for as
	// long as a chunk may be.
	if len(records) > 0 || w.seq == 0 || last == w.last+chunk.MaxStretch {
		err = w.put(ctx, last, records)
	}
	w.done = end
	return err
}

// put adds a chunk.
func (w *writer) put(ctx context.Context, last uint64, records []record.Record) error {
	h := w.head
	h.First, h.Last, h.Before = w.last+1, last, w.hash
	b, err := chunk.Encode(h, records, w.key)
	if err != nil {
		return err
	}
	if w.seq == 0 && w == w.own {
		// The hub may have the chunk although no answer comes. Only the copies in AtHub are erased after journal forget.
		w.copy.AtHub = append(w.copy.AtHub, w.copy.Number)
		if err := w.copy.Save(w.Dir); err != nil {
			return err
		}
	}
	seq, err := w.request(ctx, &nats.Msg{
		Subject: team.Put + h.Device + "." + strconv.Itoa(h.Copy), Data: b,
		Header: nats.Header{"Nats-Expected-Last-Subject-Sequence": {strconv.FormatUint(w.seq, 10)}},
	})
	if err != nil {
		return fmt.Errorf("upload #%d to #%d: %w", h.First, last, err)
	}
	w.seq, w.hash, w.last = seq, chunk.Hash(b), last
	return nil
}

// gather returns the shared records of a stretch of a log behind a number, as many as one chunk takes. end is the number up to which it
// read.
func gather(stretch iter.Seq2[record.Record, error], share team.Share, after uint64) (records []record.Record, end uint64, err error) {
	end, size := after, 0
	for r, err := range stretch {
		if err != nil {
			return nil, 0, fmt.Errorf("read for the team: %w", err)
		}
		// Events that are not shared take no room in a chunk.
		if r = share.Derive(r); r.Subject == record.Withheld {
			end = r.Seq
			continue
		}
		if size += len(r.Data); len(records) == chunk.MaxRecords || len(records) > 0 && size > chunk.MaxBytes {
			break
		}
		end = r.Seq
		r.Data = bytes.Clone(r.Data)
		records = append(records, r)
	}
	return records, end, nil
}

package upload

import (
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
	"journal/embedded/team/facts"
	"journal/events"
	"journal/journal/record"
)

// settle compares the hub with what it has to be, and removes what has to go; what it lacks up to a number is pushed.
func (v *session) settle(ctx context.Context, until uint64) error {
	copies, err := v.look(ctx)
	if err != nil {
		return err
	}
	if !v.copy.Share.None() {
		for number, a := range copies {
			if err := v.compare(ctx, number, a); err != nil {
				return err
			}
		}
	}
	// What has to go goes first: facts, copies, and what was forgotten of former devices.
	if err := v.known(ctx); err != nil {
		return err
	}
	withdrawn, err := v.withdraw(ctx)
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
	v.answered(v.at.last)
	// Then the newest copy is completed, and those that it replaces go.
	if !v.copy.Share.None() {
		if err := v.push(ctx, until); err != nil {
			return err
		}
	} else if v.copy.EraseBelow == 0 {
		return nil
	}
	return v.erase(ctx, v.copy.Replaced())
}

// look records which copies the hub has of this device, and returns the newest chunk of each.
func (v *session) look(ctx context.Context) (map[int]dial.Answer, error) {
	subjects, err := dial.Subjects(ctx, v.nc, team.InfoOf+v.Member.Account)
	if err != nil {
		return nil, fmt.Errorf("ask the hub: %w", err)
	}
	v.all = subjects
	newest := map[int]dial.Answer{}
	for _, subject := range subjects {
		_, device, number, ok := team.SubjectOf(subject)
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
func (v *session) newestOf(ctx context.Context, subject string) (a dial.Answer, err error) {
	m := nats.NewMsg(team.Newest)
	m.Data = fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)
	var reply struct {
		Message dial.Answer `json:"message"`
	}
	err = dial.Request(ctx, v.nc, m, &reply)
	if refused := (*dial.APIError)(nil); errors.As(err, &refused) && refused.Code == dial.NoMessage {
		err = nil
	}
	return reply.Message, err
}

// compare checks by its newest chunk that a copy at the hub is of this log's past: errRolledBack if it is not. The log may have
// changed, forgotten or lost since what an earlier copy holds.
func (v *session) compare(ctx context.Context, number int, a dial.Answer) error {
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
		v.at = place{a.Seq, chunk.Hash(a.Data), c.Last}
		same = same && !d.lacks && !d.keeps && !d.Forgets
	}
	if !same {
		return fmt.Errorf("%w: #%d to #%d are others there", errRolledBack, c.First, c.Last)
	}
	return nil
}

// stored yields records as a log does.
func stored(all []record.Record) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// push uploads what the hub lacks of the log up to an event number.
func (v *session) push(ctx context.Context, until uint64) error {
	w := v.writerOf(v.copy.Number, v.copy.Share, v.at)
	w.done = v.done
	// The hub may have it although no answer comes, and what is forgotten then has to be gone from it.
	w.begin = func() error {
		v.copy.AtHub = append(v.copy.AtHub, v.copy.Number)
		return v.copy.Save(v.Dir)
	}
	for w.done < until && ctx.Err() == nil {
		if err := w.next(ctx, until); err != nil {
			return err
		}
		v.at = w.at
		if w.done == until {
			if err := v.inform(ctx, w.done); err != nil {
				return err
			}
		}
		v.answered(w.done)
	}
	return ctx.Err()
}

// order sends the hub a request, and returns the sequence in its answer. The error is errRestartSession when the hub's newest
// is another than is known, because another machine was faster or an answer was lost, and errRefused when it refuses.
func (v *session) order(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	var reply struct {
		Seq uint64 `json:"seq"`
	}
	err = dial.Request(ctx, v.nc, m, &reply)
	if refused := (*dial.APIError)(nil); errors.As(err, &refused) {
		if refused.Code == dial.WrongLastSequence {
			return 0, errRestartSession
		}
		err = fmt.Errorf("%w: %w", errRefused, err)
	}
	return reply.Seq, err
}

// add adds a message at the hub, if its newest of the subject is the one that is known; 0 for none.
func (v *session) add(ctx context.Context, subject string, newest uint64, data []byte) (seq uint64, err error) {
	m := nats.NewMsg(subject)
	m.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(newest, 10))
	m.Data = data
	return v.order(ctx, m)
}

// publish signs a fact and adds it. The hub republishes it with its headers, so there is no condition.
func (v *session) publish(ctx context.Context, h facts.Head, body []byte) (seq uint64, err error) {
	h.Team, h.Member, h.Made = v.Member.Team, v.Member.Name, time.Now().UnixNano()
	m := nats.NewMsg(facts.Put(h.Place))
	if m.Data, err = h.Seal(body, v.key); err == nil {
		seq, err = v.order(ctx, m)
	}
	if err != nil {
		return 0, fmt.Errorf("tell the hub of a project: %w", err)
	}
	return seq, nil
}

// remove removes a message of the member's at the hub, with its bytes.
func (v *session) remove(ctx context.Context, seq uint64) error {
	m := nats.NewMsg(team.Remove)
	m.Data = fmt.Appendf(nil, `{"seq":%d}`, seq)
	_, err := v.order(ctx, m)
	return err
}

const (
	eraseBatch  = 500
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
	left, err := v.look(ctx)
	if err == nil && slices.ContainsFunc(numbers, func(n int) bool { return left[n].Seq > 0 }) {
		err = errRestartSession // the node that was asked for its messages did not know all of them
	}
	return err
}

// eraseAll removes a copy at the hub from its newest chunk back, some at once: after an interruption most of what
// is left can be read.
func (v *session) eraseAll(ctx context.Context, subject string) error {
	var all []uint64
	q := dial.Question{Stream: v.Member.Account, Next: subject, From: 1, Most: eraseBatch, Bytes: 4 << 20}
	err := dial.All(ctx, v.nc, q, func(a dial.Answer) error {
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

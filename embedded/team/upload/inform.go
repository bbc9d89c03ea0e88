package upload

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
)

const (
	// rowsEvery lies between two facts that differ in nothing but the rows of sessions, and rowsQuiet the time
	// without growth of the log after which such a fact goes at once.
	rowsEvery = time.Minute
	rowsQuiet = 2 * time.Second
)

// informed holds the facts of this device that the hub has.
type informed struct {
	at      map[string]fact // by place
	counter uint64          // the largest of the device's
	stale   []uint64        // the hub's messages that were replaced
	until   uint64          // number up to which was folded
	rows    uint64          // and up to which the rows of sessions are shared
	noNews  bool            // the hub had no news at the last look
	grown   time.Time       // when the log was seen to grow
	given   time.Time       // when the rows were shared
}

// fact is one at the hub.
type fact struct {
	seq     uint64 // of the hub's message
	counter uint64
	copy    int
	empty   bool
	sum     [sha256.Size]byte // of its body
	urge    [sha256.Size]byte // of its body without what can wait
}

// urgeOf sums up what of a project cannot wait: all but the rows of sessions, and when something happened last.
func urgeOf(t facts.Summary) [sha256.Size]byte {
	t.Sessions, t.Left = nil, slices.Clone(t.Left)
	for i := range t.Left {
		t.Left[i].Last, t.Left[i].Ended = 0, false
	}
	b, _ := json.Marshal(t) // nothing of it cannot be spelled
	return sha256.Sum256(b)
}

// known reads which facts the hub has of this device. One that this device did not sign is replaced like any other.
func (v *session) known(ctx context.Context) error {
	v.informed = informed{at: map[string]fact{}, counter: v.copy.Facts}
	account := v.Member.Account
	err := v.eachFact(ctx, account, facts.Subject(account, "*"), func(m message) {
		if before, ok := v.informed.at[m.place]; ok {
			v.informed.stale = append(v.informed.stale, before.seq)
		}
		now := fact{seq: m.Seq}
		if m.err == nil {
			v.informed.counter = max(v.informed.counter, m.head.Counter)
			now = fact{seq: m.Seq, counter: m.head.Counter, copy: m.head.Copy, empty: len(m.body) == 0, sum: sha256.Sum256(m.body), urge: urgeOf(m.summary)}
		}
		v.informed.at[m.place] = now
	})
	if err != nil {
		return err
	}
	for _, subject := range v.all {
		if place, own := facts.PlaceIn(subject, v.Member.Device); own && v.informed.at[place].seq == 0 {
			return errRestartSession // the node that was asked does not know all of them
		}
	}
	return v.compareNews(ctx)
}

// compareNews compares the facts with the hub's news, which its node forgets when it ends. It drops what is known of those that
// are not there as they are, so that inform publishes them again.
func (v *session) compareNews(ctx context.Context) error {
	state, counters := &v.informed, map[string]uint64{} // by place
	err := v.eachFact(ctx, team.News, facts.News(v.Member.Account, ">"), func(m message) {
		counters[m.place] = m.head.Counter
	})
	state.noNews = errors.Is(err, dial.ErrNothingThere)
	if state.noNews { // its node has just started
		return nil
	}
	for place, f := range state.at {
		if counters[place] != f.counter && (!f.empty || counters[place] > 0) {
			state.at[place], state.until = fact{seq: f.seq, copy: f.copy}, 0
		}
	}
	return err
}

// message is a fact as the hub has it.
type message struct {
	dial.Answer
	place   string
	head    facts.Head
	body    []byte
	summary facts.Summary
	err     error // why it cannot be read
}

// eachFact calls each with every fact of this device in a stream of the hub.
func (v *session) eachFact(ctx context.Context, stream, subjects string, each func(message)) error {
	public, err := v.key.PublicKey()
	if err != nil {
		return err
	}
	self := team.RosterMember{Name: v.Member.Name, Account: v.Member.Account, Keys: []string{public}}
	q := dial.Question{Stream: stream, Next: subjects, From: 1, Most: 500, Bytes: 4 << 20}
	err = dial.All(ctx, v.nc, q, func(a dial.Answer) error {
		place, isFact := facts.PlaceIn(a.Subject, v.Member.Device)
		if !isFact {
			return nil
		}
		m := message{Answer: a, place: place}
		if m.head, m.body, m.err = facts.Open(a.Data, a.Subject, self, v.Member.Team); m.err == nil {
			m.summary, m.err = facts.Unpack(m.body, false)
		}
		each(m)
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	return nil
}

// withdraw empties the facts that were made of what has to be gone.
func (v *session) withdraw(ctx context.Context) (withdrawn bool, err error) {
	for place, fact := range v.informed.at {
		if !fact.empty && fact.copy < v.copy.EraseBelow {
			withdrawn = true
			if err := v.putFact(ctx, place, facts.Summary{}, nil); err != nil {
				return withdrawn, err
			}
		}
	}
	return withdrawn, v.tidy(ctx)
}

// inform uploads the facts that changed, by the log up to an event number. A change of nothing but the rows of sessions
// may wait for a quiet moment, but no longer than a minute.
func (v *session) inform(ctx context.Context, until uint64) error {
	now, state := time.Now(), &v.informed
	if v.Summarizer == nil || v.copy.Share.None() {
		return nil
	}
	if state.noNews {
		if err := v.compareNews(ctx); err != nil {
			return err
		}
	}
	grown := until != state.until
	if grown {
		state.until, state.grown = until, now
	}
	rows := state.rows != until && (state.rows == 0 || now.Sub(state.given) > rowsEvery || now.Sub(state.grown) > rowsQuiet)
	if !grown && !rows {
		return nil
	}
	all, err := v.Summarizer.Summaries(ctx, v.copy.Share, until)
	urgent := slices.ContainsFunc(all, func(t facts.Summary) bool { return state.at[v.placeOf(t)].urge != urgeOf(t) })
	if err == nil && !rows && !urgent {
		return nil
	}
	if err == nil {
		all, err = v.Summarizer.AddRows(ctx, v.copy.Share, all)
	}
	if err != nil {
		v.Logger.Warn("team: what colleagues are to know", "error", err.Error())
		return nil // the copy goes on
	}
	state.rows, state.given = until, now
	wanted := map[string]bool{}
	for _, t := range all {
		place := v.placeOf(t)
		wanted[place] = true
		body, err := t.Pack()
		if err != nil {
			v.Logger.Warn("team", "error", err.Error())
			continue
		}
		if state.at[place].sum != sha256.Sum256(body) {
			if err := v.putFact(ctx, place, t, body); err != nil {
				return err
			}
		}
	}
	for place, f := range state.at {
		if !f.empty && !wanted[place] { // the repository has another address now
			if err := v.putFact(ctx, place, facts.Summary{}, nil); err != nil {
				return err
			}
		}
	}
	return v.tidy(ctx)
}

// placeOf names where the fact of a project is.
func (v *session) placeOf(t facts.Summary) string {
	return facts.PlaceOf(v.Member.Team, v.Member.Device, t)
}

// putFact replaces the fact of a place.
func (v *session) putFact(ctx context.Context, place string, t facts.Summary, body []byte) error {
	state := &v.informed
	state.counter++
	v.copy.Facts = state.counter
	if err := v.copy.Save(v.Dir); err != nil {
		return err
	}
	h := facts.Head{Device: v.Member.Device, Place: place, Counter: state.counter, Copy: v.copy.Number, Last: state.until}
	seq, err := v.publish(ctx, h, body)
	if err != nil {
		return err
	}
	if before := state.at[place]; before.seq > 0 {
		state.stale = append(state.stale, before.seq)
	}
	state.at[place] = fact{seq: seq, counter: h.Counter, copy: h.Copy, empty: len(body) == 0, sum: sha256.Sum256(body), urge: urgeOf(t)}
	return nil
}

// tidy removes what was replaced, with its bytes.
func (v *session) tidy(ctx context.Context) error {
	for _, seq := range v.informed.stale {
		if err := v.remove(ctx, seq); err != nil {
			return err
		}
	}
	v.informed.stale = nil
	return nil
}

package upload

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
)

const (
	// A fact that differs in nothing but the rows of sessions waits until none was published for rowsEvery, or the log has not
	// grown for rowsQuiet.
	rowsEvery = time.Minute
	rowsQuiet = 2 * time.Second
)

// maxCounter bounds the counters of facts: only a forged one is larger. The next counter after the largest number would be 0.
const maxCounter = 1 << 62

// publishedFacts describes the facts that the hub has of this device and of the former devices of this journal.
type publishedFacts struct {
	byPlace  map[string]fact
	counter  uint64    // the largest counter of these facts
	stale    []uint64  // sequences of the messages at the hub that newer ones replaced
	until    uint64    // number up to which the log was folded
	rows     uint64    // number up to which the rows of sessions were published
	grown    time.Time // when the log was seen to grow
	rowsTime time.Time // when the rows were published
}

// fact describes a fact at the hub.
type fact struct {
	device string
	seq    uint64            // of the hub's message
	copy   int               // number of the copy that it was made with
	sum    [sha256.Size]byte // of its body
	urgent [sha256.Size]byte // of the part that cannot wait (urgentHash)
}

// urgentHash returns a hash of the part of a summary that cannot wait: all but the rows of sessions, and when unfinished sessions were
// active last.
func urgentHash(t facts.Summary) [sha256.Size]byte {
	t.Sessions, t.Left = nil, slices.Clone(t.Left)
	for i := range t.Left {
		t.Left[i].Last, t.Left[i].Ended = 0, false
	}
	b, _ := json.Marshal(t) // strings and numbers cannot fail
	return sha256.Sum256(b)
}

// readFacts reads which facts the hub has of this device and of the former devices of this journal. A fact that this member did not sign is
// replaced like any other.
func (v *session) readFacts(ctx context.Context) error {
	v.published = publishedFacts{byPlace: map[string]fact{}, counter: v.copy.Facts}
	account := v.Member.Account
	public, _ := v.key.PublicKey() // which every pair has
	self := team.RosterMember{Name: v.Member.Name, Account: account, Keys: []string{public}}
	q := dial.Query{Stream: account, Next: facts.Subject(account, "*"), From: 1, Most: pageMessages, Bytes: pageBytes}
	isOwn := func(device string) bool { return device == v.Member.Device || slices.Contains(v.copy.Former, device) }
	err := dial.All(ctx, v.nc, q, func(a dial.Message) error {
		place, device := facts.PlaceIn(a.Subject)
		if !isOwn(device) {
			return nil
		}
		if before, known := v.published.byPlace[place]; known && device == v.Member.Device {
			v.published.stale = append(v.published.stale, before.seq)
		}
		now := fact{device: device, seq: a.Seq}
		h, body, err := facts.Open(a.Data, a.Subject, self, v.Member.Team)
		if h.Counter < maxCounter { // also of one that a former key signed, which readers know
			v.published.counter = max(v.published.counter, h.Counter)
		}
		summary := facts.Summary{}
		if err == nil {
			summary, err = facts.Unpack(body, false)
		}
		if err == nil {
			now.copy, now.sum, now.urgent = h.Copy, sha256.Sum256(body), urgentHash(summary)
		}
		v.published.byPlace[place] = now
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	for _, subject := range v.subjects {
		if place, device := facts.PlaceIn(subject); isOwn(device) && v.published.byPlace[place].seq == 0 {
			return errRestartSession // the node that was asked does not know all of them
		}
	}
	return nil
}

// withdraw replaces the facts of some places of a device by tombstones, and removes the messages that newer ones replaced, with their
// bytes. It reports whether a tombstone was published.
func (v *session) withdraw(ctx context.Context, device string, selects func(place string, f fact) bool) (withdrawn bool, err error) {
	for place, f := range v.published.byPlace {
		if f.device == device && selects(place, f) {
			published, err := v.putFact(ctx, device, place, facts.Summary{})
			if err != nil {
				return withdrawn, err
			}
			withdrawn = withdrawn || published
		}
	}
	for _, seq := range v.published.stale {
		if err := v.remove(ctx, seq); err != nil {
			return withdrawn, err
		}
	}
	v.published.stale = nil
	return withdrawn, nil
}

// publishFacts publishes the facts that changed, by the log up to an event number. It withdraws those of projects that are not shared.
func (v *session) publishFacts(ctx context.Context, until uint64) error {
	now, state := time.Now(), &v.published
	if v.Summarizer == nil || v.copy.Share.None() {
		return nil
	}
	grown := until != state.until
	if grown {
		state.until, state.grown = until, now
	}
	rowsDue := state.rows != until && (state.rows == 0 || now.Sub(state.rowsTime) > rowsEvery || now.Sub(state.grown) > rowsQuiet)
	if !grown && !rowsDue {
		return nil
	}
	all, err := v.Summarizer.Summaries(ctx, v.copy.Share, until)
	urgent := slices.ContainsFunc(all, func(t facts.Summary) bool { return state.byPlace[v.placeOf(t)].urgent != urgentHash(t) })
	if err == nil && !rowsDue && !urgent {
		return nil
	}
	if err == nil {
		all, err = v.Summarizer.AddRows(ctx, v.copy.Share, all)
	}
	if err != nil {
		v.Logger.Warn("team: facts for colleagues", "error", err.Error())
		return nil // the copy goes on
	}
	state.rows, state.rowsTime = until, now
	wanted := map[string]bool{}
	for _, t := range all {
		place := v.placeOf(t)
		wanted[place] = true
		if _, err := v.putFact(ctx, v.Member.Device, place, t); err != nil {
			return err
		}
	}
	_, err = v.withdraw(ctx, v.Member.Device, func(place string, _ fact) bool { return !wanted[place] })
	return err
}

// placeOf names the place of the fact of a project.
func (v *session) placeOf(t facts.Summary) string { return facts.PlaceOf(v.Member.Device, t.Project) }

// putFact publishes a summary, or a tombstone, as the fact of a place of a device. published is false if the hub has a fact with
// the same content there, or the summary cannot be packed. The request expects no sequence: readers use the fact with the largest counter.
func (v *session) putFact(ctx context.Context, device, place string, t facts.Summary) (published bool, err error) {
	state := &v.published
	body, err := t.Pack()
	if err != nil {
		v.Logger.Warn("team", "error", err.Error())
		return false, nil // the fact before stays
	}
	before, sum := state.byPlace[place], sha256.Sum256(body)
	if before.sum == sum {
		return false, nil
	}
	state.counter++
	v.copy.Facts = state.counter
	if err := v.copy.Save(v.Dir); err != nil {
		return false, err
	}
	h := facts.Head{
		Team: v.Member.Team, Member: v.Member.Name, Device: device, Place: place, Counter: state.counter,
		Copy: v.copy.Number, Last: state.until, Made: time.Now().UnixNano(),
	}
	data, err := h.Seal(body, v.key)
	if err != nil {
		return false, err
	}
	seq, err := v.request(ctx, &nats.Msg{Subject: facts.Put(place), Data: data})
	if err != nil {
		return false, fmt.Errorf("tell the hub of a project: %w", err)
	}
	if before.seq > 0 {
		state.stale = append(state.stale, before.seq)
	}
	state.byPlace[place] = fact{device, seq, h.Copy, sum, urgentHash(t)}
	return true, nil
}

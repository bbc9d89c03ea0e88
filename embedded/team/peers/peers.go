// Package peers reads what the members of a team share, at the team's hub. It only asks, though the key would also open the
// member's own stream. What a member did not sign is refused.
package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
)

// ErrSilent is returned when the hub does not answer: it is slow, or knows no such member.
var ErrSilent = errors.New("the hub does not say what")

// Hub is a connection to a hub, with its roster. It is safe for concurrent use.
type Hub struct {
	nc     *nats.Conn
	roster team.Roster

	mu      sync.Mutex
	journal string    // that keeps what is seen, empty for none
	seen    team.Seen // guarded by mu
}

// Reach reaches the hub as a member. The error is team.ErrRoster if it has no roster that verifies.
func Reach(ctx context.Context, m team.Member) (*Hub, error) {
	nc, err := dial.Connect(ctx, m, m.Hub, m.Key, nats.Name("journal reader"))
	if err != nil {
		return nil, err
	}
	h := &Hub{nc: nc, journal: m.Journal, seen: team.Seen{Devices: map[string]team.Mark{}}}
	if h.roster, err = dial.Roster(ctx, nc, m); err == nil && h.journal != "" {
		h.seen, err = team.LoadSeen(h.journal)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	h.seen.SeeRoster(h.roster.Number)
	return h, nil
}

// Close ends the connection, and keeps what was seen.
func (h *Hub) Close() {
	h.nc.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.journal != "" {
		_ = h.seen.Save(h.journal) // the next look sees it again
	}
}

// Members are the names of who is or was in the team, sorted.
func (h *Hub) Members() []string {
	names := make([]string, len(h.roster.Members))
	for i, m := range h.roster.Members {
		names[i] = m.Name
	}
	slices.Sort(names)
	return names
}

// Answer holds the copies of a member, or why they are not known.
type Answer struct {
	Member string
	Copies []Copy
	Err    error
}

// atOnce bounds the members that are asked about in parallel.
const atOnce = 256

// OfEach is Of for each of some members, in their order. A look takes as long as its round trips: they are asked side by side.
func (h *Hub) OfEach(ctx context.Context, members []string) []Answer {
	all := make([]Answer, len(members))
	var asked errgroup.Group
	asked.SetLimit(atOnce)
	for i, name := range members {
		asked.Go(func() error {
			copies, err := h.Of(ctx, name)
			all[i] = Answer{name, copies, err}
			return nil
		})
	}
	_ = asked.Wait() // each has its own error
	return all
}

// Recheck asks again about the members with less at the hub than was seen. notice is a sentence for people if it is still
// older than it was (team.Seen).
func (h *Hub) Recheck(ctx context.Context) (notice string, err error) {
	for _, a := range h.OfEach(ctx, h.seen.Less()) {
		err = cmp.Or(err, a.Err)
	}
	return h.seen.RollbackNotice(), err
}

// lessTries bounds the queries when there is less than was seen: a node may not have it yet, and a copy may
// be about to be replaced.
const (
	lessTries = 3
	lessPause = 200 * time.Millisecond
)

// Of lists what a member shares, by device: of each the newest copy, or while that is being made the
// one before.
func (h *Hub) Of(ctx context.Context, member string) (all []Copy, err error) {
	for range lessTries {
		if all, err = h.of(ctx, member); err != nil || !h.less(all) {
			break
		}
		time.Sleep(lessPause)
	}
	return all, err
}

// less notes how far copies are, and reports whether one was farther.
func (h *Hub) less(all []Copy) (any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range all {
		now := team.Mark{Copy: c.Newest}
		if c.Number == c.Newest {
			now.Last = c.Events
		}
		any = h.seen.See(c.Member, c.Device, now) || any
	}
	return any
}

// copiesAtOnce bounds the copies of a member that are asked about at once: each answer has up to a megabyte, and the hub ends a
// connection that is 64 MB behind.
const copiesAtOnce = 20

// of is Of, asked once.
func (h *Hub) of(ctx context.Context, member string) ([]Copy, error) {
	i := slices.IndexFunc(h.roster.Members, func(m team.RosterMember) bool { return m.Name == member })
	if i < 0 {
		return nil, fmt.Errorf("%w %s shares: nobody of that name is in the team", ErrSilent, member)
	}
	registered := h.roster.Members[i]
	subjects, err := dial.Subjects(ctx, h.nc, team.InfoOf+registered.Account)
	if err == nil {
		subjects, err = team.Copies(subjects)
	}
	if err != nil {
		return nil, silent(member, err)
	}
	questions := make([]dial.Question, len(subjects))
	for i, subject := range subjects {
		questions[i] = dial.Question{Stream: registered.Account, Last: subject}
	}
	var replies []dial.Reply
	for batch := range slices.Chunk(questions, copiesAtOnce) {
		replies = append(replies, dial.AskAll(ctx, h.nc, batch...)...)
	}
	best := map[string]Copy{} // by device
	for _, reply := range replies {
		if reply.Err != nil {
			return nil, silent(member, reply.Err)
		}
		for _, a := range reply.Answers {
			c, err := h.copyOf(registered, a)
			if err != nil {
				return nil, silent(member, err)
			}
			before, known := best[c.Device]
			newest := max(c.Number, before.Newest)
			if known && (before.Events > c.Events || before.Events == c.Events && before.Number > c.Number) {
				c = before
			}
			c.Newest = newest
			best[c.Device] = c
		}
	}
	all := slices.Collect(maps.Values(best))
	slices.SortFunc(all, func(a, b Copy) int { return strings.Compare(a.Device, b.Device) })
	return all, nil
}

// silent returns the error of a member whose copies could not be listed.
func silent(member string, err error) error {
	return fmt.Errorf("%w %s shares: %s", ErrSilent, member, err.Error())
}

// copyOf returns the copy that a chunk, the newest of its own, is of.
func (h *Hub) copyOf(member team.RosterMember, a dial.Answer) (Copy, error) {
	_, device, number, ok := team.SubjectOf(a.Subject)
	c := Copy{Member: member.Name, Device: device, Number: number, hub: h, who: member, read: &read{}}
	if !ok {
		return c, fmt.Errorf("%w: %s", chunk.ErrDamaged, a.Subject)
	}
	newest, err := c.verified(a.Data)
	c.Events, c.Share = newest.Last, team.Share{All: newest.All, Projects: newest.Projects}
	return c, err
}

// Package peers reads the copies and facts of the members of a team at the team's hub. It changes nothing there, and refuses what a
// member did not sign.
package peers

import (
	"bytes"
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
	"journal/embedded/team/facts"
	"journal/journal"
	"journal/journal/record"
)

// ErrNotListed is returned if the copies of a member cannot be listed: the hub does not answer, or knows no such member.
var ErrNotListed = errors.New("the hub does not say what")

// Hub is a connection to a hub, with its roster. It is safe for concurrent use.
type Hub struct {
	nc     *nats.Conn
	roster team.Roster

	journal string // directory in which save saves seen; empty for none

	mu   sync.Mutex
	seen team.Seen // guarded by mu
}

// Reach connects to the hub as a member. The error is team.ErrRoster if it has no roster that verifies.
func Reach(ctx context.Context, m team.Member) (*Hub, error) {
	nc, err := dial.Connect(ctx, m, m.Hub, m.Key, nats.Name("journal reader"))
	if err != nil {
		return nil, err
	}
	h, err := over(ctx, nc, m)
	if err != nil {
		nc.Close()
	}
	return h, err
}

// over returns the hub of a connection.
func over(ctx context.Context, nc *nats.Conn, m team.Member) (h *Hub, err error) {
	h = &Hub{nc: nc, journal: m.Journal, seen: team.Seen{Devices: map[string]team.Mark{}}}
	if h.roster, err = dial.Roster(ctx, nc, m); err == nil && h.journal != "" {
		h.seen, err = team.LoadSeen(h.journal)
	}
	h.seen.SeeRoster(h.roster)
	return h, err
}

// Close ends the connection, and saves the high-water marks.
func (h *Hub) Close() {
	h.nc.Close()
	_ = h.save() // the next query sees it again
}

// save saves the high-water marks.
func (h *Hub) save() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.journal == "" {
		return nil
	}
	return h.seen.Save(h.journal)
}

// SeeAgain compares the roster with the high-water marks again, and the copies of each member with less at the hub than was seen.
func SeeAgain(ctx context.Context, nc *nats.Conn, m team.Member) error {
	h, err := over(ctx, nc, m)
	if err != nil {
		return err
	}
	_, failed := h.CopiesOfEach(ctx, h.seen.Less())
	return errors.Join(append(failed, h.save())...)
}

// Members returns the names of all members, also of revoked ones, sorted.
func (h *Hub) Members() []string {
	names := make([]string, len(h.roster.Members))
	for i, m := range h.roster.Members {
		names[i] = m.Name
	}
	slices.Sort(names)
	return names
}

// atOnce bounds the members that are asked about in parallel.
const atOnce = 256

// CopiesOfEach is Copies for several members at once. The copies are in the order of the members; failed has an error for each member
// whose copies could not be listed.
func (h *Hub) CopiesOfEach(ctx context.Context, members []string) (copies []Copy, failed []error) {
	each, errs := make([][]Copy, len(members)), make([]error, len(members))
	var queries errgroup.Group
	queries.SetLimit(atOnce)
	for i, name := range members {
		queries.Go(func() error {
			each[i], errs[i] = h.Copies(ctx, name)
			return nil
		})
	}
	_ = queries.Wait() // each has its own error
	return slices.Concat(each...), slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// lessTries bounds the queries while the hub has less than was seen: a node that has just started lacks messages, and a query may come
// between the removal of a copy and the end of the next one.
const (
	lessTries = 3
	lessPause = 200 * time.Millisecond
)

// Copies lists the copies of a member: of each device the newest one, or the one before while the newest is incomplete.
func (h *Hub) Copies(ctx context.Context, member string) (all []Copy, err error) {
	for range lessTries {
		if all, err = h.listCopies(ctx, member); err != nil || !h.less(member, all) {
			break
		}
		time.Sleep(lessPause)
	}
	return all, err
}

// less raises the high-water marks of the copies of a member, and reports whether the hub has less of one.
func (h *Hub) less(member string, all []Copy) (lacks bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen.Reset(member)
	for _, c := range all {
		now := team.Mark{Copy: c.Newest}
		if c.Number == c.Newest {
			now.Last = c.Events
		}
		lacks = h.seen.See(c.Member, c.Device, now) || lacks
	}
	return lacks
}

// maxCopies bounds the copies that are listed of a member. A device has one or two.
const maxCopies = 1000

// copiesAtOnce bounds the copies of a member that one batch of questions is about: each answer has up to a megabyte, and the hub ends a
// connection to which it has 64 MB to send.
const copiesAtOnce = 20

// listCopies is Copies with one query.
func (h *Hub) listCopies(ctx context.Context, member string) ([]Copy, error) {
	i := slices.IndexFunc(h.roster.Members, func(m team.RosterMember) bool { return m.Name == member })
	if i < 0 {
		return nil, fmt.Errorf("%w %s shares: nobody of that name is in the team", ErrNotListed, member)
	}
	registered := h.roster.Members[i]
	subjects, err := dial.Subjects(ctx, h.nc, team.Info+registered.Account)
	if err != nil {
		return nil, notListed(member, err)
	}
	var questions []dial.Query
	for _, subject := range subjects {
		if _, _, isCopy := team.SubjectOf(subject); isCopy {
			questions = append(questions, dial.Query{Stream: registered.Account, Last: subject})
		}
	}
	if len(questions) > maxCopies {
		return nil, notListed(member, fmt.Errorf("they have %d copies, and at most %d are listed", len(questions), maxCopies))
	}
	best := map[string]Copy{} // by device
	for _, reply := range dial.AskAll(ctx, h.nc, copiesAtOnce, questions...) {
		if reply.Err != nil {
			return nil, notListed(member, reply.Err)
		}
		for _, a := range reply.Messages {
			c, err := h.copyOf(registered, a)
			if err != nil {
				return nil, notListed(member, err)
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
	return slices.SortedFunc(maps.Values(best), func(a, b Copy) int { return strings.Compare(a.Device, b.Device) }), nil
}

// notListed returns an ErrNotListed for a member whose copies could not be listed.
func notListed(member string, err error) error {
	return fmt.Errorf("%w %s shares: %s", ErrNotListed, member, err.Error())
}

// copyOf returns the copy whose newest chunk is given.
func (h *Hub) copyOf(member team.RosterMember, a dial.Message) (Copy, error) {
	device, number, ok := team.SubjectOf(a.Subject)
	c := Copy{Member: member.Name, Device: device, Number: number, hub: h, author: member, readPart: &readPart{}}
	if !ok {
		return c, fmt.Errorf("%w: %s", chunk.ErrDamaged, a.Subject)
	}
	newest, err := c.verified(a.Data)
	c.Events, c.Share = newest.Last, team.Share{All: newest.All, Projects: newest.Projects}
	return c, err
}

// Facts returns the facts of members. The error names each member who could not be asked or is not believed. The result is valid also with
// an error.
func (h *Hub) Facts(ctx context.Context, m team.Membership, members []string) (*facts.Cache, error) {
	known := facts.NewCache(h.roster)
	query := &facts.Query{NC: h.nc, Member: m, Only: []string{}, Rows: true, Keep: func(t facts.Summary) *facts.Summary { return &t }}
	for _, registered := range h.roster.Members {
		if slices.Contains(members, registered.Name) {
			query.Only = append(query.Only, registered.Account)
		}
	}
	return known, known.Fetch(ctx, query)
}

// Copy is a copy of the log of a member's device.
type Copy struct {
	Member string
	Device string
	Number int
	Newest int        // number of the device's newest copy, which may be incomplete
	Events uint64     // the newest event number that it has
	Share  team.Share // what of the log it holds
	hub    *Hub
	author team.RosterMember
	*readPart
}

// readPart holds the part of a copy that was read.
type readPart struct {
	chunks   []chunk.Chunk
	contents journal.Contents
	size     int    // bytes of the chunks
	last     uint64 // event number up to which it was read
	seq      uint64 // sequence of the newest chunk at the hub
	hash     []byte // of that chunk
}

// ResumedFrom returns the copy with the part that was read before, so that Log reads only the rest.
func (c Copy) ResumedFrom(before Copy) Copy {
	if before.readPart != nil && c.Member == before.Member && c.Device == before.Device && c.Number == before.Number && c.Events >= before.last {
		c.readPart = before.readPart
	}
	return c
}

// Earlier returns another copy of the same device. Its end is not known before it is read.
func (c Copy) Earlier(number int) Copy {
	c.Number, c.Events, c.readPart = number, 0, &readPart{}
	return c
}

const (
	// fetchChunks and fetchBytes bound the reply to one question.
	fetchChunks = 500
	fetchBytes  = 1 << 20
	// maxBytes bounds the chunks of a copy in memory, which are compressed: some millions of events.
	maxBytes = 512 << 20
)

// Log reads the copy, and returns it as a log with the event numbers of the device. Its chunks stay in memory, compressed. The error is
// chunk.ErrDamaged for a chunk that its member did not sign, or signed for another place.
func (c Copy) Log(ctx context.Context) (*journal.Log, error) {
	subject := team.Subject(c.author.Account, c.Device, c.Number)
	q := dial.Query{Stream: c.author.Account, Next: subject, From: c.seq + 1, Most: fetchChunks, Bytes: fetchBytes}
	if err := dial.All(ctx, c.hub.nc, q, c.add); err != nil {
		return nil, fmt.Errorf("read what %s shares: %w", c.Member, err)
	}
	if c.last < c.Events { // it was replaced meanwhile, or the node that answers has just begun
		return nil, fmt.Errorf("%w %s shares: #%d to #%d did not come; try again", ErrNotListed, c.Member, c.last+1, c.Events)
	}
	contents := c.contents // later reads do not change the log
	return journal.Offline(&records{chunks: c.chunks}, &contents), nil
}

// add adds the next chunk of the copy.
func (c Copy) add(a dial.Message) error {
	next, err := c.verified(a.Data)
	if err != nil {
		return err
	}
	if next.First != c.last+1 || !bytes.Equal(next.Before, c.hash) {
		return fmt.Errorf("%w: #%d to #%d do not follow #%d", chunk.ErrDamaged, next.First, next.Last, c.last)
	}
	if c.size += len(a.Data); c.size > maxBytes {
		return errors.New("it is more than is read at once")
	}
	records, err := next.Records()
	if err != nil {
		return err
	}
	for _, r := range records {
		c.contents.Add(r)
	}
	c.chunks = append(c.chunks, next)
	c.last, c.seq, c.hash = next.Last, a.Seq, chunk.Hash(a.Data)
	return nil
}

// verified decodes and verifies a chunk of the copy.
func (c Copy) verified(b []byte) (next chunk.Chunk, err error) {
	if next, err = chunk.Decode(b); err != nil {
		return next, err
	}
	if next.Member != c.Member || next.Device != c.Device || next.Copy != c.Number || next.Team != c.hub.roster.Team {
		return next, fmt.Errorf("%w: it is of another place", chunk.ErrDamaged)
	}
	return next, next.Verify(c.author.Keys)
}

// records implements journal.Records for chunks. It is safe for concurrent use.
type records struct {
	chunks []chunk.Chunk

	mu      sync.Mutex
	opened  int             // index of the chunk that was decoded last, plus 1; 0 for none
	decoded []record.Record // the records of that chunk
}

// Read implements journal.Records.
func (r *records) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	var selected []record.Filter
	for _, f := range filters {
		selected = append(selected, record.ParseFilter(f))
	}
	for i := range r.chunks {
		if r.chunks[i].Last <= after || r.chunks[i].First > until {
			continue
		}
		all, err := r.open(i)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for _, entry := range all {
			matches := len(selected) == 0 || slices.ContainsFunc(selected, func(f record.Filter) bool { return f.Matches(entry.Subject) })
			if matches && entry.Seq > after && entry.Seq <= until && !each(entry) {
				return nil
			}
		}
	}
	return nil
}

// open returns the records of a chunk.
func (r *records) open(i int) ([]record.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == i+1 {
		return r.decoded, nil
	}
	all, err := r.chunks[i].Records()
	if err == nil {
		r.opened, r.decoded = i+1, all
	}
	return all, err
}

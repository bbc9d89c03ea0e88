package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/journal"
	"journal/journal/record"
)

// Copy is a copy of the log of a member's device.
type Copy struct {
	Member string
	Device string
	Number int
	Newest int        // number of the device's newest copy, which may still be made
	Events uint64     // the newest number of the device's log that it has
	Share  team.Share // what it holds
	hub    *Hub
	who    team.RosterMember
	*read
}

// read holds what was read of a copy.
type read struct {
	chunks   []chunk.Chunk
	contents journal.Contents
	size     int    // bytes of them
	last     uint64 // number up to which it was read
	seq      uint64 // of the hub's newest message of it
	hash     []byte // of that
}

// Onward returns the copy as it is now, with what was read of it before: it is not asked for again.
func (c Copy) Onward(before Copy) Copy {
	if before.read != nil && c.Member == before.Member && c.Device == before.Device && c.Number == before.Number && c.Events >= before.last {
		c.read = before.read
	}
	return c
}

const (
	// fetchChunks and fetchBytes bound what one question is answered.
	fetchChunks = 500
	fetchBytes  = 1 << 20
	// maxBytes bounds what is held of a copy, as it is compressed: some millions of events.
	maxBytes = 512 << 20
)

// Log reads the copy, and returns it as a log with the event numbers of the device. It holds what it read in memory, as
// it is compressed. The error is chunk.ErrDamaged for what its member did not sign, or did not sign in this place.
func (c Copy) Log(ctx context.Context) (*journal.Log, error) {
	subject := team.Subject(c.who.Account, c.Device, c.Number)
	q := dial.Question{Stream: c.who.Account, Next: subject, From: c.seq + 1, Most: fetchChunks, Bytes: fetchBytes}
	if err := dial.All(ctx, c.hub.nc, q, c.add); err != nil {
		return nil, fmt.Errorf("read what %s shares: %w", c.Member, err)
	}
	if c.last < c.Events { // it was replaced meanwhile, or the node that answers has just begun
		return nil, fmt.Errorf("%w %s shares: #%d to #%d did not come; try again", ErrSilent, c.Member, c.last+1, c.Events)
	}
	as := c.contents // what is read later is behind it
	return journal.Offline(&records{chunks: c.chunks}, &as), nil
}

// ahead bounds the copies that are read in parallel. Each has one question open, which bounds what the hub has to send: it
// ends a connection that is 64 MB behind.
const ahead = 6

// Read is a copy that was read, or why not.
type Read struct {
	Copy
	Log *journal.Log
	Err error
}

// Ahead reads copies in parallel, and yields each in its order.
func Ahead(ctx context.Context, copies []Copy) iter.Seq[Read] {
	return func(yield func(Read) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reads := make([]chan Read, len(copies))
		started := 0
		for n := range copies {
			for ; started < min(n+ahead, len(copies)); started++ {
				c, read := copies[started], make(chan Read, 1)
				reads[started] = read
				go func() {
					log, err := c.Log(ctx)
					read <- Read{c, log, err}
				}()
			}
			if !yield(<-reads[n]) {
				return
			}
		}
	}
}

// add takes the next chunk of the copy.
func (c Copy) add(a dial.Answer) error {
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

// verified reads a chunk of the copy.
func (c Copy) verified(b []byte) (next chunk.Chunk, err error) {
	if next, err = chunk.Decode(b); err != nil {
		return next, err
	}
	if next.Member != c.Member || next.Device != c.Device || next.Copy != c.Number || next.Team != c.hub.roster.Team {
		return next, fmt.Errorf("%w: it is of another place", chunk.ErrDamaged)
	}
	return next, next.Verify(c.who.Keys)
}

// records are chunks as a log reads them. It is safe for concurrent use.
type records struct {
	chunks []chunk.Chunk

	mu sync.Mutex
	at int             // place of the chunk that was read last, from 1
	of []record.Record // what that holds
}

// Read implements journal.Records.
func (r *records) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	var selected []record.Filter
	for _, f := range filters {
		selected = append(selected, record.ParseFilter(f))
	}
	next := after + 1
	for i := range r.chunks {
		if r.chunks[i].Last < next || r.chunks[i].First > until {
			continue
		}
		all, err := r.open(i)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for _, entry := range all {
			matches := len(selected) == 0 || slices.ContainsFunc(selected, func(f record.Filter) bool { return f.Matches(entry.Subject) })
			if matches && entry.Seq >= next && entry.Seq <= until && !each(entry) {
				return nil
			}
		}
	}
	return nil
}

// open returns what a chunk holds.
func (r *records) open(i int) ([]record.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == i+1 {
		return r.of, nil
	}
	all, err := r.chunks[i].Records()
	if err == nil {
		r.at, r.of = i+1, all
	}
	return all, err
}

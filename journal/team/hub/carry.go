package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"journal/journal/record"
	"journal/journal/team"
	"journal/journal/team/chunk"
	"journal/journal/team/dial"
)

// Retire ends what a version before kept in accounts of the members': the copy of each device that has not shared
// since is carried over, and then the account's streams are removed. It gives the devices whose copies were carried
// over. The servers have to read accounts.conf again then, if it changed. After an interruption it goes on.
func (h *Hub) Retire(ctx context.Context) (carried []string, changed bool, err error) {
	for _, m := range h.Members {
		if !m.Earlier {
			continue
		}
		devices, err := h.retire(ctx, &m)
		if err != nil {
			return carried, changed, fmt.Errorf("carry over what account %s keeps: %w", m.Account, err)
		}
		for _, device := range devices {
			carried = append(carried, m.Name+"/"+device)
		}
		changed = true
		err = h.change(func() error {
			is := &h.Members[h.index(m.Name)]
			is.Earlier, is.Carrier = false, ""
			return nil
		})
		if err != nil {
			return carried, changed, err
		}
	}
	return carried, changed, nil
}

func (h *Hub) retire(ctx context.Context, m *Member) (devices []string, err error) {
	own, js, err := h.account(ctx)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	before, err := h.before(ctx, m.Account)
	if err != nil {
		return nil, err
	}
	for _, device := range slices.Sorted(maps.Keys(before)) {
		shared, err := shares(ctx, own, m.Account, device)
		if err == nil && !shared {
			if err = h.carry(ctx, own, js, m, device, before[device].name); err == nil {
				shared, err = shares(ctx, own, m.Account, device)
			}
			if err == nil && shared { // it began meanwhile
				err = removeAll(ctx, js, m.Account, team.SubjectEarlier(m.Account, device))
			}
		}
		if err != nil {
			return nil, err
		}
		if !shared {
			devices = append(devices, device)
		}
	}
	admin, err := h.admin(ctx, h.urls()...)
	if err == nil {
		err = order(ctx, admin, "$JS.API.ACCOUNT.PURGE."+m.Account, "")
		admin.Close()
	}
	return devices, err
}

// shares reports whether the hub has a copy that a device has given it since.
func shares(ctx context.Context, own *nats.Conn, account, device string) (shared bool, err error) {
	subjects, err := subjectsOf(ctx, own, account)
	return slices.ContainsFunc(subjects, func(subject string) bool {
		_, of, _, ok := team.SubjectOf(subject)
		return ok && of == device
	}), err
}

// removeAll removes the messages of a subject, with their bytes.
func removeAll(ctx context.Context, js jetstream.JetStream, account, subject string) error {
	s, err := js.Stream(ctx, account)
	for err == nil {
		var m *jetstream.RawStreamMsg
		if m, err = s.GetLastMsgForSubject(ctx, subject); err == nil {
			err = s.SecureDeleteMsg(ctx, m.Sequence)
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}

// asks is where the account HUB asks what a stream holds.
func asks(stream string) string { return strings.Replace(asking, "*", stream, 1) }

// stream is a copy of the time before.
type stream struct {
	name   string
	number int
	last   uint64
}

// before gives for each device the longest copy of the time before that an account holds, as the nodes have it.
func (h *Hub) before(ctx context.Context, account string) (map[string]stream, error) {
	best := map[string]stream{}
	err := h.each(ctx, func(nc *nats.Conn) error {
		var reply struct {
			Data struct {
				Accounts []struct {
					Streams []struct {
						Name  string `json:"name"`
						State struct {
							Last uint64 `json:"last_seq"`
						} `json:"state"`
					} `json:"stream_detail"`
				} `json:"account_details"`
			} `json:"data"`
		}
		if err := ask(ctx, nc, "JSZ", map[string]any{"account": account, "streams": true}, &reply); err != nil {
			return err
		}
		for _, a := range reply.Data.Accounts {
			for _, s := range a.Streams {
				part := strings.Split(s.Name, "_")
				if len(part) != 3 || part[0] != "D" || team.CheckName(part[1]) != nil {
					continue
				}
				number, _ := strconv.Atoi(part[2]) // of a name that is none it is 0
				is, was := stream{s.Name, number, s.State.Last}, best[part[1]]
				if cmp.Or(cmp.Compare(is.last, was.last), cmp.Compare(is.number, was.number)) > 0 {
					best[part[1]] = is
				}
			}
		}
		return nil
	})
	return best, err
}

// carrier is somebody who reads a member's account of the time before.
func (h *Hub) carrier(ctx context.Context, m *Member) (*nats.Conn, error) {
	key := team.Key{Seed: m.Carrier}
	if h.Operator != nil {
		var err error
		if key, _, err = h.Operator.user("carrier", m.Seed); err != nil {
			return nil, err
		}
	}
	return dial.Connect(ctx, h.member(), h.urls(), key)
}

// carrying is a copy on its way.
type carrying struct {
	chunk.Head
	subject string
	seq     uint64 // of the hub's newest chunk
	key     nkeys.KeyPair
	own     *nats.Conn
	js      jetstream.JetStream
	records []record.Record
	size    int
}

// carryBatch is how many messages one question is answered.
const carryBatch = 1000

// carry makes chunks of a copy of the time before, signed by whoever invites.
func (h *Hub) carry(ctx context.Context, own *nats.Conn, js jetstream.JetStream, m *Member, device, name string) error {
	there, err := h.carrier(ctx, m)
	if err != nil {
		return err
	}
	defer there.Close()
	c := carrying{Head: chunk.Head{Team: h.Team, Member: m.Name, Device: device, Earlier: true}, subject: team.SubjectEarlier(m.Account, device), own: own, js: js}
	if c.key, err = (team.Key{Seed: h.Issuer}).Pair(); err != nil {
		return err
	}
	if err := c.resume(ctx, m.Account); err != nil {
		return err
	}
	q := dial.Question{Next: ">", From: c.Last + 1, Most: carryBatch, Bytes: chunk.MaxBytes}
	err = dial.All(ctx, there, asks(name), q, func(a dial.Answer) error {
		return c.add(ctx, record.Record{Seq: a.Seq, Subject: a.Subject, ID: a.ID, Data: a.Data})
	})
	if err != nil || len(c.records) == 0 {
		return err
	}
	return c.put(ctx)
}

// resume finds where an interruption left off.
func (c *carrying) resume(ctx context.Context, account string) error {
	a, err := dial.Last(ctx, c.own, asks(account), c.subject)
	if err != nil || a.Seq == 0 {
		return err
	}
	newest, err := chunk.Decode(a.Data)
	c.seq, c.Before, c.Last = a.Seq, chunk.Hash(a.Data), newest.Last
	return err
}

// add takes the next message of the copy.
func (c *carrying) add(ctx context.Context, r record.Record) error {
	if r.Subject == record.Withheld {
		return nil
	}
	r, err := r.Unpack()
	if err != nil {
		return err
	}
	full := func() bool {
		return len(c.records) == chunk.MaxRecords || len(c.records) > 0 && c.size+len(r.Data) > chunk.MaxBytes
	}
	for full() || r.Seq > c.Last+chunk.MaxStretch {
		if err := c.put(ctx); err != nil {
			return err
		}
	}
	c.records, c.size = append(c.records, r), c.size+len(r.Data)
	return nil
}

// put adds a chunk of what was taken; without that it is of the next numbers, of which nothing was shared.
func (c *carrying) put(ctx context.Context) error {
	c.First, c.Last = c.Last+1, c.Last+chunk.MaxStretch
	if n := len(c.records); n > 0 {
		c.Last = c.records[n-1].Seq
	}
	b, err := chunk.Encode(c.Head, c.records, c.key, nil)
	if err != nil {
		return err
	}
	ack, err := c.js.Publish(ctx, c.subject, b, jetstream.WithExpectLastSequencePerSubject(c.seq))
	if err == nil {
		c.seq, c.Before, c.records, c.size = ack.Sequence, chunk.Hash(b), nil, 0
	}
	return err
}

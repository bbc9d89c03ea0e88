package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/disk"
	"journal/journal/team"
	"journal/journal/team/dial"
)

var (
	// ErrMoved is returned for a hub that was moved elsewhere.
	ErrMoved = errors.New("this hub was moved")
	// ErrRuns is returned for a hub that has to end first.
	ErrRuns = errors.New("the hub still runs")
)

// MoveTo makes in another directory the same hub for other nodes, with its members and keys, unless it is there. The nodes
// of a hub that made its own certificate get theirs from that, so what members trust stays.
func (h *Hub) MoveTo(ctx context.Context, dir string, nodes []Node) (to *Hub, made bool, err error) {
	if to, err = Open(dir); err == nil && to.Issuer != h.Issuer {
		err = fmt.Errorf("%s: %w", dir, ErrTaken)
	}
	if err == nil && h.Moved == "" {
		err = to.change(func() error { to.follow(h); return nil })
	}
	if !errors.Is(err, ErrHub) {
		return to, false, err
	}
	moved := *h
	moved.Nodes, moved.Secret, moved.Was, moved.dir = nodes, "", append(slices.Clone(h.Was), h.urls()...), dir
	if _, err := os.Lstat(filepath.Join(h.dir, keyName)); err == nil && h.TLS.Cert == certName {
		moved.Signs = true
		if err := disk.MakePrivate(dir); err != nil {
			return nil, false, err
		}
		for _, n := range nodes {
			if err := certify(h.dir, dir, n); err != nil {
				return nil, false, fmt.Errorf("the certificate of %s: %w", n.Name, err)
			}
		}
	}
	to, err = moved.write(dir)
	return to, err == nil, err
}

// follow takes over who was invited, renewed or revoked at the hub before since this one was made. Renewed says then that
// there was somebody.
func (h *Hub) follow(before *Hub) {
	h.Told = max(h.Told, before.Told)
	for _, m := range before.Members {
		i := h.index(m.Name)
		switch {
		case i < 0:
			h.Members, h.Renewed = append(h.Members, m), true
		case !slices.Contains(h.Members[i].Former, m.Key) && (h.Members[i].Key != m.Key || m.Revoked && !h.Members[i].Revoked):
			h.Members[i], h.Renewed = m, true
		}
	}
}

// certify makes a node's certificate, which that of the served hub in a directory signs.
func certify(from, dir string, n Node) error {
	own, err := tls.LoadX509KeyPair(filepath.Join(from, certName), filepath.Join(from, keyName))
	if err != nil {
		return err
	}
	cert, key, err := certificate([]string{n.Host}, time.Now(), &own)
	if err != nil {
		return err
	}
	return errors.Join(disk.ReplaceShared(filepath.Join(dir, n.Name+".crt"), cert), disk.ReplaceShared(filepath.Join(dir, n.Name+".key"), key))
}

// Runs reports whether the one node of a hub answers.
func (h *Hub) Runs(ctx context.Context) bool {
	nc, err := h.admin(ctx, h.urls()...)
	if err != nil {
		return false
	}
	defer nc.Close()
	var is struct {
		Data struct {
			Cluster struct {
				Name string `json:"name"`
			} `json:"cluster"`
		} `json:"data"`
	}
	err = ask(ctx, nc, "VARZ", struct{}{}, &is)
	return err == nil && is.Data.Cluster.Name == "" // else it is a node of what it was moved to
}

// fromHeader names the sequence that a message had where it was copied from.
const fromHeader = "Journal-From"

// Take copies what the node at a URL has of the members: each message as it is, in order. What laptops gave this hub
// themselves meanwhile stays. After an interruption it goes on. It gives how many messages were copied.
func (h *Hub) Take(ctx context.Context, from string) (n int, err error) {
	there, err := dial.Connect(ctx, team.Member{Team: h.Team, Hub: []string{from}}, []string{from}, h.Key)
	if err != nil {
		return 0, err
	}
	defer there.Close()
	own, js, err := h.account(ctx)
	if err != nil {
		return 0, err
	}
	defer own.Close()
	for _, m := range h.Members {
		state, err := subjectsOf(ctx, there, m.Account)
		if err != nil {
			return n, err
		}
		for _, subject := range state {
			c := taking{js: js, there: there, account: m.Account, subject: subject}
			if err := c.take(ctx, func() { n++ }); err != nil {
				return n, fmt.Errorf("copy %s: %w", subject, err)
			}
		}
	}
	return n, nil
}

// subjectsOf lists the subjects of which the stream of an account has messages, none where there is no stream.
func subjectsOf(ctx context.Context, nc *nats.Conn, account string) ([]string, error) {
	all, err := dial.Subjects(ctx, nc, strings.Replace(listing, "*", account, 1))
	if errors.Is(err, dial.ErrNothingThere) {
		err = nil
	}
	return all, err
}

// takeBatch is the number of messages of one answer.
const takeBatch = 1000

// asks returns the subject on which the account HUB asks what a stream holds.
func asks(stream string) string { return strings.Replace(asking, "*", stream, 1) }

// taking copies one subject.
type taking struct {
	js               jetstream.JetStream
	there            *nats.Conn
	account, subject string
	last, from       uint64 // of the newest message here, and what it was there
}

// take copies what is not here yet.
func (c *taking) take(ctx context.Context, copied func()) error {
	s, err := c.js.Stream(ctx, c.account)
	if err != nil {
		return err
	}
	var m *jetstream.RawStreamMsg
	err = agreed(func() error {
		m, err = s.GetLastMsgForSubject(ctx, c.subject)
		return err
	})
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	if err == nil {
		if c.from, err = strconv.ParseUint(m.Header.Get(fromHeader), 10, 64); err != nil {
			return nil // its laptop was faster
		}
		c.last = m.Sequence
	}
	q := dial.Question{Next: c.subject, From: c.from + 1, Most: takeBatch, Bytes: 4 << 20}
	err = dial.All(ctx, c.there, asks(c.account), q, func(a dial.Answer) error {
		err := c.put(ctx, a)
		if err == nil {
			copied()
		}
		return err
	})
	if no := (*jetstream.APIError)(nil); errors.As(err, &no) && no.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return nil // its laptop has begun to give it itself
	}
	return err
}

func (c *taking) put(ctx context.Context, a dial.Answer) error {
	m := &nats.Msg{Subject: a.Subject, Data: a.Data, Header: nats.Header{fromHeader: {strconv.FormatUint(a.Seq, 10)}}}
	ack, err := c.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(c.last))
	if err == nil {
		c.last = ack.Sequence
	}
	return err
}

// Leaves remembers that a hub was moved to another directory.
func (h *Hub) Leaves(to string) error {
	return h.change(func() error {
		h.Moved = to
		return nil
	})
}

// Reaches reports whether laptops that know the nodes of another hub reach one of this.
func (h *Hub) Reaches(other *Hub) bool {
	return slices.ContainsFunc(h.urls(), func(u string) bool { return slices.Contains(other.urls(), u) })
}

// Readdress gives an invitation of the hub before for this one.
func (h *Hub) Readdress(m team.Member) team.Member {
	m.Hub, m.Replicas = h.urls(), h.replicas()
	return m
}

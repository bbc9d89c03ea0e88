package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"journal/embedded/team"
	"journal/embedded/team/dial"
)

const (
	// answerWait bounds the time for one answer of the hub, which may first read what it keeps of all members.
	answerWait = 30 * time.Second
	// againWait is the time after which an answer is requested again.
	againWait = 8 * time.Second
	// retryPause is the pause between requests.
	retryPause = 100 * time.Millisecond
	// madeAtOnce bounds the streams that are made in parallel; three nodes make 35 a second one by one, and 105 so.
	madeAtOnce = 32
)

// retry does something, and again while no answer comes or no node leads: a node that stops to lead never answers, and
// nodes that just started have not elected a leader. What it does may happen twice. The error is team.ErrNoAnswer after
// answerWait.
func retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	for {
		once, done := context.WithTimeout(ctx, againWait)
		err := do(once)
		done()
		if !hasNoLeader(err) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", team.ErrNoAnswer, err.Error())
		case <-time.After(retryPause):
		}
	}
}

// hasNoLeader reports whether nodes have not seen each other yet, or not elected the leader of a stream.
func hasNoLeader(err error) bool {
	const noPeers = 10005 // the server's JSClusterNoPeersErr
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == noPeers ||
		errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders)
}

// Reload sends the servers the accounts as they are now, and returns when every node has them. The error names each node that has
// not.
func (h *Hub) Reload(ctx context.Context) error {
	nc, err := h.admin(ctx, h.urls()...)
	if err != nil {
		return err
	}
	defer nc.Close()
	work, sending := errgroup.WithContext(ctx)
	work.SetLimit(madeAtOnce)
	for _, a := range h.accounts() {
		work.Go(func() error {
			if err := request(sending, nc, "$SYS.REQ.CLAIMS.UPDATE", a.JWT, &struct{}{}); err != nil {
				return fmt.Errorf("the servers do not take account %s (resolver of type full?): %w", a.ID, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	return h.each(ctx, func(nc *nats.Conn) error {
		own, err := dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Key)
		for tries := 0; errors.Is(err, team.ErrRefused) && tries < 20; tries++ { // servers distribute accounts among each other
			time.Sleep(100 * time.Millisecond)
			own, err = dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Key)
		}
		if err == nil {
			own.Close()
		}
		return err
	})
}

// Announce makes the missing streams at the hub, and publishes the roster.
func (h *Hub) Announce(ctx context.Context) error {
	nc, js, err := h.account(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	wanted := map[string]jetstream.StreamConfig{
		team.RosterStream: {Name: team.RosterStream, Subjects: []string{rosterSubject}, MaxMsgs: 1},
		// Members' streams republish their facts to the news. A node that ends forgets them.
		team.News: {
			Name: team.News, Description: "what devices told last", Subjects: []string{"N.>"}, Storage: jetstream.MemoryStorage,
			MaxMsgsPerSubject: 1, MaxBytes: newsBytes, MaxMsgSize: newsMost, DenyPurge: true, Duplicates: dedupeWindow,
		},
	}
	err = h.change(func() error { // another call may have revoked or invited somebody since
		h.RosterNumber++
		return nil
	})
	if err != nil {
		return err
	}
	roster := team.Roster{Team: h.Team, Number: h.RosterNumber}
	for _, m := range h.Members {
		wanted[m.Account.ID] = jetstream.StreamConfig{
			Name: m.Account.ID, Description: "what " + m.Name + " shares", Subjects: []string{team.Subjects(m.Account.ID)},
			MaxBytes: h.Limits.Bytes, Discard: jetstream.DiscardNew, DenyPurge: true,
			Duplicates: dedupeWindow, // nobody may have another's message taken for a repeated one
			// A fact's place, TOPIC-DEVICE-PROJECT, becomes three tokens of its subject in the news (facts.News).
			RePublish: &jetstream.RePublish{Source: "E." + m.Account.ID + "." + team.Facts + ".*", Destination: "N." + m.Account.ID + ".{{split(1,-)}}"},
		}
		// Also who is revoked: what they shared is there.
		roster.Members = append(roster.Members, team.RosterMember{Name: m.Name, Account: m.Account.ID, Keys: append([]string{m.Key}, m.Former...), Revoked: m.Revoked})
	}
	text, err := roster.Encode(h.Issuer)
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	if err := exist(ctx, js, h.replicas(), wanted); err != nil {
		return fmt.Errorf("give each member a place: %w", err)
	}
	err = retry(ctx, func(ctx context.Context) error {
		_, err := js.Publish(ctx, rosterSubject, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	return nil
}

const (
	rosterSubject = "roster"
	// dedupeWindow is the least that the server takes.
	dedupeWindow = 100 * time.Millisecond
	// newsBytes bounds the news, of which the oldest go, and newsMost one message of them, which a fact never reaches.
	newsBytes = 64 << 20
	newsMost  = 128 << 10
)

// exist makes the streams that are missing, and updates the bounds and replicas of the others.
func exist(ctx context.Context, js jetstream.JetStream, replicas int, wanted map[string]jetstream.StreamConfig) error {
	existing := map[string]bool{}
	err := retry(ctx, func(ctx context.Context) error {
		all := js.ListStreams(ctx)
		for info := range all.Info() {
			name := info.Config.Name
			existing[name] = true
			bound := cmp.Or(wanted[name].MaxBytes, -1) // as the server spells none
			if info.Config.MaxBytes == bound && info.Config.Replicas == replicas {
				delete(wanted, name)
			}
		}
		return all.Err()
	})
	if err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(madeAtOnce)
	for name, c := range wanted {
		c.AllowDirect, c.Replicas = true, replicas
		do := js.CreateStream
		if existing[name] {
			do = js.UpdateStream
		}
		work.Go(func() error {
			return retry(ctx, func(ctx context.Context) error {
				_, err := do(ctx, c)
				return err
			})
		})
	}
	return work.Wait()
}

// account connects to the account HUB.
func (h *Hub) account(ctx context.Context) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := dial.Connect(ctx, h.member(), h.urls(), h.Key)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc) // fails for options alone
	return nc, js, err
}

// member returns what the operator needs to connect.
func (h *Hub) member() team.Member {
	return team.Member{Team: h.Team, Hub: []string{h.url(h.Nodes[0])}, CA: h.TLS.CA}
}

// urls returns the addresses of the nodes for clients.
func (h *Hub) urls() (all []string) {
	for _, n := range h.Nodes {
		all = append(all, h.url(n))
	}
	return all
}

// url returns the address of a node for clients.
func (h *Hub) url(n Node) string {
	scheme := "nats"
	if h.TLS.On() {
		scheme = "tls"
	}
	return fmt.Sprintf("%s://%s:%d", scheme, n.Host, n.Client)
}

// each does something at every node, as the hub's admin.
func (h *Hub) each(ctx context.Context, do func(*nats.Conn) error) error {
	var all error
	for _, n := range h.Nodes {
		nc, err := h.admin(ctx, h.url(n))
		if err == nil {
			err = do(nc)
			nc.Close()
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", n.Name, err))
		}
	}
	return all
}

// ask asks the server that a connection leads to.
func ask(ctx context.Context, nc *nats.Conn, endpoint string, reply any) error {
	if err := request(ctx, nc, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+"."+endpoint, "{}", reply); err != nil {
		return fmt.Errorf("%s: %w", endpoint, err)
	}
	return nil
}

// request sends servers a message, and reads the JSON of the reply. The error is the one that it reports, or team.ErrNoAnswer after
// answerWait.
func request(ctx context.Context, nc *nats.Conn, subject, body string, reply any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	return dial.Request(ctx, nc, m, reply)
}

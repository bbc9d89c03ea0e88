package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
	// firstWait is the time after which an answer is requested again; it doubles: 5, 10 and 15 s.
	firstWait = 5 * time.Second
	// leaderPoll is the pause between requests while nobody leads a stream.
	leaderPoll = 100 * time.Millisecond
	// madeAtOnce bounds the streams that are made in parallel; three nodes make 35 a second one by one, and 105 so.
	madeAtOnce = 32
)

// retry does something, and again while no answer comes or no node leads: a node that stops to lead never answers, and
// nodes that just started have not elected a leader. What it does may happen twice. The error is team.ErrNoAnswer after
// answerWait.
func retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	for wait := firstWait; ; {
		once, done := context.WithTimeout(ctx, wait)
		err := do(once)
		done()
		switch {
		case hasNoLeader(err):
			pause(ctx, leaderPoll)
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
			wait *= 2
		default:
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %s", team.ErrNoAnswer, err.Error())
		}
	}
}

// pause waits, but not beyond ctx.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// hasNoLeader reports whether nodes have not seen each other yet, or not elected the leader of a stream.
func hasNoLeader(err error) bool {
	const noPeers = 10005 // the server's JSClusterNoPeersErr
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == noPeers ||
		errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders)
}

// Reload has every node read its configuration again, whose files are there already; of a cluster that there
// the servers get the accounts. The error names each node whose accounts.conf is another than that of this directory.
func (h *Hub) Reload(ctx context.Context) error {
	read := h.reread
	if h.Cluster != nil {
		read = h.pushAccounts
	}
	if err := read(ctx); err != nil {
		return err
	}
	return h.known(ctx)
}

func (h *Hub) reread(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		// A server (2.15) that reads of a new account listens for its imports when it reads of it again.
		for range 2 {
			if err := order(ctx, nc, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+".RELOAD", "{}"); err != nil {
				return err
			}
		}
		return nil
	})
}

// known checks that every node has the account HUB with the key of this directory.
func (h *Hub) known(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		own, err := dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Key)
		// The servers of an existing cluster distribute accounts among each other.
		for tries := 0; h.Cluster != nil && errors.Is(err, team.ErrRefused) && tries < 20; tries++ {
			time.Sleep(100 * time.Millisecond)
			own, err = dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Key)
		}
		if errors.Is(err, team.ErrRefused) && h.Cluster == nil {
			return fmt.Errorf("it has not read the accounts.conf of this directory; copy it there and call this again: %w", err)
		}
		if err == nil {
			own.Close()
		}
		return err
	})
}

// Announce makes the missing streams of members at the hub, and publishes the roster. It calls given, unless that is nil,
// from one goroutine at a time, with how many streams there are of those that were missing.
func (h *Hub) Announce(ctx context.Context, given func(done, all int64)) error {
	nc, js, err := h.account(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	wanted := map[string]jetstream.StreamConfig{
		team.RosterStream: {Name: team.RosterStream, Subjects: []string{rosterSubject}, MaxMsgs: 1},
	}
	if h.replicas() == 1 {
		wanted[again] = jetstream.StreamConfig{
			Name: again, Description: "how the stream of the news is made", Subjects: []string{again + ".*"}, MaxMsgsPerSubject: 1, AllowMsgSchedules: true,
			RePublish: &jetstream.RePublish{Source: again + ".now", Destination: "$JS.API.STREAM.CREATE." + team.News},
		}
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
			Name: m.Account.ID, Description: "what " + m.Name + " shares", Subjects: []string{team.Subject(m.Account.ID, "", 0)},
			MaxBytes: h.Limits.Bytes, Discard: jetstream.DiscardNew, DenyPurge: true,
			Duplicates: dedupeWindow, // nobody may have another's message taken for a repeated one
			RePublish:  &jetstream.RePublish{Source: "E." + m.Account.ID + "." + team.Facts + ".*", Destination: "N." + m.Account.ID + ".{{split(1,-)}}"},
		}
		// Also who is revoked: what they shared is there.
		roster.Members = append(roster.Members, team.RosterMember{Name: m.Name, Account: m.Account.ID, Keys: append([]string{m.Key}, m.Former...), Revoked: m.Revoked})
	}
	text, err := roster.Encode(h.Issuer)
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	if err := exist(ctx, js, h.replicas(), wanted, given); err != nil {
		return fmt.Errorf("give each member a place: %w", err)
	}
	err = retry(ctx, func(ctx context.Context) error {
		_, err := js.Publish(ctx, rosterSubject, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	if err := retry(ctx, func(ctx context.Context) error { return h.news(ctx, js) }); err != nil {
		return fmt.Errorf("colleagues hear of each other later than they could: %w", err)
	}
	return nil
}

// news makes the stream of the news, which members' streams republish their facts to. A server that is in no cluster forgets it
// when it ends: a scheduled message makes it create the stream again.
func (h *Hub) news(ctx context.Context, js jetstream.JetStream) error {
	c := jetstream.StreamConfig{
		Name: team.News, Description: "what devices told last", Subjects: []string{"N.>"}, Storage: jetstream.MemoryStorage,
		AllowDirect: true, Replicas: h.replicas(), MaxMsgsPerSubject: 1, MaxBytes: newsBytes, MaxMsgSize: newsMost, DenyPurge: true, Duplicates: dedupeWindow,
	}
	if _, err := js.CreateOrUpdateStream(ctx, c); err != nil || h.replicas() > 1 {
		return err
	}
	text, err := json.Marshal(c)
	if err == nil {
		_, err = js.Publish(ctx, again+".how", text, jetstream.WithScheduleEvery(againEvery), jetstream.WithScheduleTarget(again+".now"))
	}
	return err
}

const (
	rosterSubject = "roster"
	// again is the stream of one node with the scheduled request that makes the stream of the news, sent
	// againEvery.
	again      = "AGAIN"
	againEvery = 5 * time.Second
	// dedupeWindow is the least that the server takes.
	dedupeWindow = 100 * time.Millisecond
	// newsBytes bounds the news, of which the oldest go, and newsMost one message of them, which a fact never reaches.
	newsBytes = 64 << 20
	newsMost  = 128 << 10
)

// exist makes the streams that are missing, and updates the bounds and replicas of the others.
func exist(ctx context.Context, js jetstream.JetStream, replicas int, wanted map[string]jetstream.StreamConfig, given func(done, all int64)) error {
	existing := map[string]bool{}
	err := retry(ctx, func(ctx context.Context) error {
		all := js.ListStreams(ctx)
		for info := range all.Info() {
			name := info.Config.Name
			existing[name] = true
			if info.Config.MaxBytes == cmp.Or(wanted[name].MaxBytes, -1) && info.Config.Replicas == replicas {
				delete(wanted, name)
			}
		}
		return all.Err()
	})
	if err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	var done sync.Mutex
	made, missing := int64(0), int64(len(wanted))
	work.SetLimit(madeAtOnce)
	for name, c := range wanted {
		c.AllowDirect, c.Replicas = true, replicas
		do := js.CreateStream
		if existing[name] {
			do = js.UpdateStream
		}
		work.Go(func() error {
			err := retry(ctx, func(ctx context.Context) error {
				_, err := do(ctx, c)
				return err
			})
			done.Lock()
			defer done.Unlock()
			if made++; given != nil {
				given(made, missing)
			}
			return err
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
func ask(ctx context.Context, nc *nats.Conn, endpoint string, question, reply any) error {
	b, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if err := request(ctx, nc, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+"."+endpoint, b, reply); err != nil {
		return fmt.Errorf("%s: %w", endpoint, err)
	}
	return nil
}

// order sends servers a request, and returns the error that they report.
func order(ctx context.Context, nc *nats.Conn, subject, body string) error {
	var reply struct {
		Error struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	err := request(ctx, nc, subject, []byte(body), &reply)
	if err == nil && reply.Error.Description != "" {
		err = errors.New(reply.Error.Description)
	}
	return err
}

// request sends a message, and reads the JSON of its reply. The error is team.ErrNoAnswer after answerWait.
func request(ctx context.Context, nc *nats.Conn, subject string, body []byte, reply any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subject, body)
	if errors.Is(err, context.DeadlineExceeded) {
		return team.ErrNoAnswer
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(m.Data, reply)
}

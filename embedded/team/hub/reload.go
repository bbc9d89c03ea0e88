package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/synadia-io/orbit.go/natscontext"
	"golang.org/x/sync/errgroup"

	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/journal/disk"
)

const (
	// answerWait bounds the time for one answer of the hub, which may first load the streams of all members.
	answerWait = 30 * time.Second
	// tryWait is the time after which a request is tried again.
	tryWait = 8 * time.Second
	// retryPause is the pause between tries.
	retryPause = 100 * time.Millisecond
	// requestsAtOnce bounds requests in parallel. Three nodes create 35 streams a second one by one, and 105 a second so.
	requestsAtOnce = 32
)

// retry calls do until it is answered, for at most answerWait: a node that ceases to lead never answers, nodes that just started have not
// elected a leader, and accounts reach one node after the other. What do requests may happen twice. After answerWait the error is
// team.ErrNoAnswer.
func retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	for {
		once, done := context.WithTimeout(ctx, tryWait)
		err := do(once)
		done()
		timeout := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
		if temporary := timeout || hasNoLeader(err) || errors.Is(err, team.ErrRefused); !temporary {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", team.ErrNoAnswer, err.Error())
		case <-time.After(retryPause):
		}
	}
}

// hasNoLeader reports whether err means that nodes have not seen each other yet, or not elected the leader of a stream.
func hasNoLeader(err error) bool {
	const noPeers = 10005 // the server's JSClusterNoPeersErr
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == noPeers ||
		errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders)
}

// Reload sends the servers the accounts as they are now, and returns when every node has them. The error names each node that lacks them.
func (h *Hub) Reload(ctx context.Context) error {
	nc, err := h.admin(ctx, h.urls()...)
	if err != nil {
		return err
	}
	defer nc.Close()
	work, sending := errgroup.WithContext(ctx)
	work.SetLimit(requestsAtOnce)
	for _, a := range h.Accounts() {
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
		return retry(ctx, func(ctx context.Context) error {
			own, err := dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Key)
			if err == nil {
				own.Close()
			}
			return err
		})
	})
}

// Announce creates the missing streams at the hub, and publishes the roster.
func (h *Hub) Announce(ctx context.Context) error {
	nc, err := dial.Connect(ctx, h.member(), h.urls(), h.Key)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	wanted := map[string]jetstream.StreamConfig{
		team.RosterStream: {Name: team.RosterStream, Subjects: []string{rosterSubject}, MaxMsgs: 1},
	}
	err = h.change(func(now *Hub) error { // another call may have revoked or invited somebody since
		// Also a hub whose files were restored from a backup exceeds the numbers that readers saw.
		now.RosterNumber = max(now.RosterNumber+1, uint64(time.Now().Unix()))
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
			Duplicates: dedupeWindow, // no message is to be dropped as a repeated one
		}
		// Revoked members stay listed, because what they shared stays.
		roster.Members = append(roster.Members, team.RosterMember{Name: m.Name, Account: m.Account.ID, Keys: append([]string{m.Key}, m.Former...), Revoked: m.Revoked})
	}
	if err := createStreams(ctx, js, h.replicas(), wanted); err != nil {
		return fmt.Errorf("create the streams of members: %w", err)
	}
	text, err := roster.Encode(h.Issuer)
	if err == nil {
		err = retry(ctx, func(ctx context.Context) error {
			_, err := js.Publish(ctx, rosterSubject, text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	return nil
}

const (
	rosterSubject = "roster"
	// dedupeWindow is the least that the server takes.
	dedupeWindow = 100 * time.Millisecond
)

// createStreams creates the streams that the hub lacks of those that are wanted, by name, and updates those with another quota.
func createStreams(ctx context.Context, js jetstream.JetStream, replicas int, wanted map[string]jetstream.StreamConfig) error {
	err := retry(ctx, func(ctx context.Context) error {
		existing := js.ListStreams(ctx)
		for info := range existing.Info() {
			if c := info.Config; c.MaxBytes == cmp.Or(wanted[c.Name].MaxBytes, -1) { // the server spells none as -1
				delete(wanted, c.Name)
			}
		}
		return existing.Err()
	})
	if err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(requestsAtOnce)
	for _, c := range wanted {
		c.AllowDirect, c.Replicas = true, replicas
		work.Go(func() error {
			return retry(ctx, func(ctx context.Context) error {
				_, err := js.CreateOrUpdateStream(ctx, c)
				return err
			})
		})
	}
	return work.Wait()
}

// member returns a member for dial.Connect by the operator.
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

// each calls do with an admin's connection to each node. The error names the nodes where that failed.
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

// ask sends a monitoring request to the server of a connection.
func ask(ctx context.Context, nc *nats.Conn, endpoint string, reply any) error {
	if err := request(ctx, nc, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+"."+endpoint, "{}", reply); err != nil {
		return fmt.Errorf("%s: %w", endpoint, err)
	}
	return nil
}

// request sends the servers a message, and decodes the reply. The error is the one in the reply, or team.ErrNoAnswer after
// answerWait.
func request(ctx context.Context, nc *nats.Conn, subject, body string, reply any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	return dial.Request(ctx, nc, &nats.Msg{Subject: subject, Data: []byte(body)}, reply)
}

// Cluster is an existing cluster with an operator, whose servers keep the accounts that they get
// (resolver of type full). Its configuration is not changed.
type Cluster struct {
	// Context is the name of a context of the nats command, or the path of its file. Its user is of
	// the servers' system account. It is read at each use, so its key may change.
	Context string `json:"context"`
}

// ErrContext is returned for a context that cannot be used.
var ErrContext = errors.New("the context of the nats command cannot be used")

// clusterWait bounds the time to connect to one server.
const clusterWait = 5 * time.Second

// connect connects to one of some servers, or to the address of the context without any. The error is ErrContext.
func (c Cluster) connect(urls ...string) (*nats.Conn, error) {
	useURLs := func(o *nats.Options) error {
		if len(urls) > 0 {
			o.Servers = urls
		}
		return nil
	}
	nc, _, err := natscontext.Connect(c.Context, useURLs, nats.Name("journal team"), nats.Timeout(clusterWait), nats.NoReconnect(), nats.IgnoreDiscoveredServers())
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrContext, c.Context, err)
	}
	return nc, nil
}

// check returns an error for a cluster that cannot be a hub. It makes the path of a context absolute: later calls are made elsewhere.
func (c *Cluster) check(ctx context.Context) (err error) {
	if strings.ContainsRune(c.Context, os.PathSeparator) {
		if c.Context, err = filepath.Abs(c.Context); err != nil {
			return err
		}
	}
	nc, err := c.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	var reply struct {
		Data struct {
			Disabled bool `json:"disabled"`
		} `json:"data"`
	}
	if err := ask(ctx, nc, "JSZ", &reply); err != nil {
		return fmt.Errorf("%w: its user may not ask the servers, as one of their account may: %w", ErrContext, err)
	}
	if reply.Data.Disabled {
		return errors.New("the cluster's JetStream is off")
	}
	return nil
}

// ParseOperatorKey reads a file with the seed of an operator or of a signing key.
func ParseOperatorKey(path string) (seed string, err error) {
	b, err := disk.ReadFile(path, 4<<10)
	if err != nil {
		return "", err
	}
	seed = strings.TrimSpace(string(b))
	if kind, _, err := nkeys.DecodeSeed([]byte(seed)); err != nil || kind != nkeys.PrefixByteOperator {
		return "", fmt.Errorf("%s holds no seed of an operator (SO…)", path)
	}
	return seed, nil
}

// admin connects to one of some nodes, as a user of the system account.
func (h *Hub) admin(ctx context.Context, urls ...string) (*nats.Conn, error) {
	if h.Cluster == nil {
		return dial.Connect(ctx, h.member(), urls, h.Admin)
	}
	return h.Cluster.connect(urls...)
}

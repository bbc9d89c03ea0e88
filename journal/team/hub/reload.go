package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/team"
	"journal/journal/team/dial"
)

// Reload has every node read its configuration again, whose files are there already; of a cluster that there
// is the servers are told. The error names each node whose accounts.conf is that of an earlier version.
func (h *Hub) Reload(ctx context.Context) error {
	read := h.reread
	if h.Cluster != nil {
		read = h.tell
	}
	for _, do := range []func(context.Context) error{read, h.known, h.clear} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (h *Hub) reread(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		return order(ctx, nc, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+".RELOAD", "{}")
	})
}

// known says whether every node has the account ROSTER. One that has not lets a reader rewrite the roster.
func (h *Hub) known(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		keeper, err := dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Roster)
		// The servers of a cluster that there is tell each other of accounts.
		for tries := 0; h.Cluster != nil && errors.Is(err, team.ErrRefused) && tries < 20; tries++ {
			time.Sleep(100 * time.Millisecond)
			keeper, err = dial.Connect(ctx, h.member(), []string{nc.ConnectedUrl()}, h.Roster)
		}
		if errors.Is(err, team.ErrRefused) && h.Cluster == nil {
			return fmt.Errorf("it has not read the accounts.conf of this directory; copy it there and call this again: %w", err)
		}
		if err == nil {
			keeper.Close()
		}
		return err
	})
}

// clear removes what TEAM keeps of the time when it might: the roster of an earlier version, and what
// a member made there.
func (h *Hub) clear(ctx context.Context) error {
	name := "TEAM"
	if h.Operator != nil {
		var err error
		if name, err = publicOf(h.Operator.Team); err != nil {
			return err
		}
	}
	nc, err := h.admin(ctx, h.urls()...)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := order(ctx, nc, "$JS.API.ACCOUNT.PURGE."+name, ""); err != nil {
		return fmt.Errorf("remove what account TEAM keeps: %w", err)
	}
	return nil
}

// Disconnect ends the links of those who are revoked or had other keys. With nkeys a node that reads its configuration
// again ends connections of clients, and not those of laptops.
func (h *Hub) Disconnect(ctx context.Context) error {
	var gone []string
	for _, m := range h.Members {
		if len(m.ended()) > 0 { // with new keys a laptop comes back in a second
			gone = append(gone, account(m.Name), m.Account)
		}
	}
	return h.each(ctx, func(nc *nats.Conn) error {
		var reply struct {
			Data struct {
				Leafs []struct {
					ID      uint64 `json:"id"`
					Account string `json:"account"`
				} `json:"leafs"`
			} `json:"data"`
		}
		if err := ask(ctx, nc, "LEAFZ", struct{}{}, &reply); err != nil {
			return err
		}
		for _, l := range reply.Data.Leafs {
			if !slices.Contains(gone, l.Account) {
				continue
			}
			if err := ask(ctx, nc, "KICK", map[string]uint64{"cid": l.ID}, &struct{}{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Announce says at the hub who is in the team.
func (h *Hub) Announce(ctx context.Context) error {
	nc, err := dial.Connect(ctx, h.member(), h.urls(), h.Roster)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	create := func() error {
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: rosterStream, Subjects: []string{rosterSubject}, MaxMsgs: 1, AllowDirect: true, Replicas: h.replicas(),
		})
		return err
	}
	err = create()
	for tries := 0; isPlaceless(err) && tries < 50; tries++ { // nodes that just started have not seen each other
		time.Sleep(100 * time.Millisecond)
		err = create()
	}
	if err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	var names []string
	for _, m := range h.Members {
		names = append(names, m.Name) // also of who is revoked: what they shared is there
	}
	if _, err := js.Publish(ctx, rosterSubject, []byte(strings.Join(names, "\n"))); err != nil {
		return fmt.Errorf("say who is in the team: %w", err)
	}
	return nil
}

// isPlaceless says whether too few nodes were there for a stream's replicas.
func isPlaceless(err error) bool {
	const noPeers = 10005 // the server's JSClusterNoPeersErr
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == noPeers
}

// The roster is the last message of the one stream of the account ROSTER. Only the question for it is there
// for TEAM, which has no stream: what a member asks is answered on any subject that they name, also on one
// that is an order to the server or that a stream of their account keeps.
const (
	rosterStream  = "MEMBERS"
	rosterSubject = "roster"
	rosterService = "$JS.API.DIRECT.GET." + rosterStream
)

// rosterAsked are the names of the question in TEAM: as invitations permit it, and the one without which the
// server gives an account a way to its whole API, also to one that may have no stream.
var rosterAsked = []string{"$JS.API.DIRECT.GET." + team.Roster, "$JS.API.INFO"}

// member is whoever runs the hub, as far as the way there goes.
func (h *Hub) member() team.Member {
	return team.Member{Team: h.Team, Hub: []string{h.url(h.Nodes[0])}, CA: h.TLS.CA}
}

// urls is where clients reach the nodes.
func (h *Hub) urls() (all []string) {
	for _, n := range h.Nodes {
		all = append(all, h.url(n))
	}
	return all
}

// url is where clients reach a node.
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
func ask(ctx context.Context, nc *nats.Conn, what string, question, reply any) error {
	b, err := json.Marshal(question)
	if err != nil {
		return err
	}
	m, err := nc.RequestWithContext(ctx, "$SYS.REQ.SERVER."+nc.ConnectedServerId()+"."+what, b)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return json.Unmarshal(m.Data, reply)
}

// order has servers do something, and gives what they say is wrong.
func order(ctx context.Context, nc *nats.Conn, subject, body string) error {
	var reply struct {
		Error struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	m, err := nc.RequestWithContext(ctx, subject, []byte(body))
	if err == nil {
		err = json.Unmarshal(m.Data, &reply)
	}
	if err == nil && reply.Error.Description != "" {
		err = errors.New(reply.Error.Description)
	}
	return err
}

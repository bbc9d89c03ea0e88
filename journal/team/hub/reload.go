package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/team"
	"journal/journal/team/dial"
)

// Reload has every node read its configuration again, whose files are there already; of a cluster that there
// is the servers are told.
func (h *Hub) Reload(ctx context.Context) error {
	if h.Cluster != nil {
		return h.tell(ctx)
	}
	return h.each(ctx, func(nc *nats.Conn) error {
		var reply struct {
			Error *struct {
				Description string `json:"description"`
			} `json:"error"`
		}
		if err := ask(ctx, nc, "RELOAD", struct{}{}, &reply); err != nil {
			return err
		}
		if reply.Error != nil {
			return errors.New(reply.Error.Description)
		}
		return nil
	})
}

// Disconnect ends the links of those who are revoked. With nkeys a node that reads its configuration
// again ends connections of clients, and not those of laptops.
func (h *Hub) Disconnect(ctx context.Context) error {
	var gone []string
	for _, m := range h.Members {
		if m.Revoked {
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
	urls := make([]string, len(h.Nodes))
	for i, n := range h.Nodes {
		urls[i] = h.url(n)
	}
	nc, err := dial.Connect(ctx, h.member(), urls, h.Keeper)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: team.Roster, Subjects: []string{rosterSubject}, MaxMsgs: 1, AllowDirect: true, Replicas: h.replicas(),
	})
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

const rosterSubject = "roster"

// member is whoever runs the hub, as far as the way there goes.
func (h *Hub) member() team.Member {
	return team.Member{Team: h.Team, Hub: []string{h.url(h.Nodes[0])}, CA: h.TLS.CA}
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

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
)

// earlierHub makes of a hub's directory what a version before wrote: members have accounts with streams of their own,
// and two keys.
func earlierHub(t testing.TB, dir string) {
	t.Helper()
	h, err := hub.Open(dir)
	mustDo(t, err)
	var members []map[string]string
	was := map[string]any{
		"team": h.Team, "domain": "hub", "nodes": h.Nodes, "limits": map[string]any{"bytes": h.Limits.Bytes, "streams": 16},
		"admin": h.Admin, "roster": team.Key{Seed: newUserKey(t)},
	}
	var accounts strings.Builder
	if h.Operator == nil {
		fmt.Fprintf(&accounts, "system_account: SYS\naccounts {\n  SYS { users: [ { nkey: %s } ] }\n  ROSTER { jetstream: enabled }\n  TEAM { users: [", publicOf(t, h.Admin.Seed))
	}
	for _, m := range h.Members {
		path := filepath.Join(dir, m.Name+".invitation")
		in, err := team.ReadMember(path)
		mustDo(t, err)
		reader := newUserKey(t)
		one := map[string]string{"name": m.Name, "upload": m.Key, "reader": publicOf(t, reader)}
		if h.Operator != nil {
			one["account"], one["seed"] = m.Account, m.Seed
		} else {
			fmt.Fprintf(&accounts, " { nkey: %s },", publicOf(t, reader))
		}
		members = append(members, one)
		writeJSON(t, path, map[string]any{
			"journal_team": 1, "team": h.Team, "name": m.Name, "hub": []string{"nats://127.0.0.1:1"}, "clients": in.Hub,
			"domain": "hub", "replicas": 1, "upload": in.Key, "reader": team.Key{Seed: reader},
		})
	}
	was["members"] = members
	if o := h.Operator; o != nil {
		was["operator"] = map[string]string{"jwt": o.JWT, "seed": o.Seed, "system": o.System, "team": o.Hub}
	}
	writeJSON(t, filepath.Join(dir, "hub.json"), was)
	if o := h.Operator; o != nil {
		fmt.Fprintf(&accounts, "operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload {\n", o.JWT, publicOf(t, o.System))
		for i, seed := range append([]string{o.System}, seedsOf(h)...) {
			c := jwt.NewAccountClaims(publicOf(t, seed))
			if i > 0 {
				c.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: h.Limits.Bytes, Streams: 16, Consumer: jwt.NoLimit}
			}
			pair, err := nkeys.FromSeed([]byte(o.Seed))
			mustDo(t, err)
			token, err := c.Encode(pair)
			mustDo(t, err)
			fmt.Fprintf(&accounts, "  %s: %s\n", c.Subject, token)
		}
		accounts.WriteString("}\n")
		mustDo(t, os.WriteFile(filepath.Join(dir, "accounts.conf"), []byte(accounts.String()), 0o600))
		return
	}
	accounts.WriteString(" ] }\n")
	for _, m := range h.Members {
		fmt.Fprintf(&accounts, "  M_%s { jetstream: enabled, users: [ { nkey: %s, permissions: { publish: [\"$JS.API.STREAM.>\", \"journal.>\"], subscribe: [\"_INBOX.>\"] } } ] }\n", m.Name, m.Key)
	}
	accounts.WriteString("}\n")
	mustDo(t, os.WriteFile(filepath.Join(dir, "accounts.conf"), []byte(accounts.String()), 0o600))
}

// seedsOf gives those of the members' accounts.
func seedsOf(h *hub.Hub) (all []string) {
	for _, m := range h.Members {
		all = append(all, m.Seed)
	}
	return all
}

// quietHub starts a hub as the version wrote it that had no news.
func quietHub(t testing.TB, h *hubtest.Hub) {
	t.Helper()
	h.Start(t)
	h.Announced(t)
	nc, err := dial.Connect(t.Context(), team.Member{Team: "acme"}, []string{h.Server("node-1").ClientURL()}, h.Key)
	mustDo(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	mustDo(t, err)
	mustDo(t, js.DeleteStream(t.Context(), team.News))
	for name, change := range map[string]*regexp.Regexp{"accounts.conf": regexp.MustCompile(`(?m)^.*"[NL]\..*\n`), "hub.json": regexp.MustCompile(`,\s*"form": 1`)} {
		b, err := os.ReadFile(filepath.Join(h.Dir, name))
		mustDo(t, err)
		mustDo(t, os.WriteFile(filepath.Join(h.Dir, name), change.ReplaceAll(b, nil), 0o600))
	}
	h.Reread(t)
	h.Reread(t)
}

// copyOfEarlier makes at such a hub, which runs, a copy of a member's device as that version did, and says something in it.
func copyOfEarlier(t testing.TB, dir, member, device, text string) {
	t.Helper()
	js, err := jetstream.New(asMember(t, dir, member))
	mustDo(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "D_" + device + "_1", Subjects: []string{"journal.>"}, AllowDirect: true})
	mustDo(t, err)
	for n := range 3 {
		e, err := events.Wrap(events.PromptSubmitted{Text: text}, events.Meta{ID: events.NewID(), At: time.Now().UnixNano(), Project: "old-1", Session: "old"})
		mustDo(t, err)
		r, err := journal.NewRecord(e)
		mustDo(t, err)
		data, _, err := r.Pack()
		mustDo(t, err)
		if n == 1 { // it was not shared
			r, data = record.Record{Subject: record.Withheld}, nil
		}
		m := &nats.Msg{Subject: r.Subject, Data: data, Header: nats.Header{}}
		if r.ID != "" {
			m.Header.Set(nats.MsgIdHdr, r.ID)
		}
		_, err = js.PublishMsg(t.Context(), m)
		mustDo(t, err)
	}
}

// asMember reaches a hub as the member who was invited in its directory.
func asMember(t testing.TB, dir, member string) *nats.Conn {
	t.Helper()
	in, err := team.ReadMember(filepath.Join(dir, member+".invitation"))
	mustDo(t, err)
	return hubtest.As(t, in)
}

func newUserKey(t testing.TB) string {
	t.Helper()
	pair, err := nkeys.CreateUser()
	mustDo(t, err)
	seed, err := pair.Seed()
	mustDo(t, err)
	return string(seed)
}

func publicOf(t testing.TB, seed string) string {
	t.Helper()
	pair, err := nkeys.FromSeed([]byte(seed))
	mustDo(t, err)
	public, err := pair.PublicKey()
	mustDo(t, err)
	return public
}

func writeJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	mustDo(t, err)
	mustDo(t, os.WriteFile(path, b, 0o600))
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

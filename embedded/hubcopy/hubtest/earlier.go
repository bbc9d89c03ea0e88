package hubtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/testutil"
)

// Earlier makes of a hub's directory what the version before wrote, whose readers' account kept the roster: hub.json, and
// accounts.conf where there is one. It gives the key of that account.
func Earlier(t testing.TB, dir string) team.Key {
	t.Helper()
	h, err := hub.Open(dir)
	must(t, err)
	keeper, public := keeperOf(t, h)
	path := filepath.Join(dir, "accounts.conf")
	if b, err := os.ReadFile(path); err == nil {
		text := string(b)
		if h.Operator == nil {
			text = without(text, "  ROSTER {", "  }\n")
			text = strings.Replace(text, "  TEAM {\n    users: [", "  TEAM {\n    jetstream: enabled\n    users: [ { nkey: "+public+" }", 1)
		}
		var lines []string
		for line := range strings.Lines(text) {
			if account, token, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(account, "A") {
				line = "  " + account + ": " + EarlierClaims(t, h, token) + "\n"
			}
			if !strings.Contains(line, "account: ROSTER") {
				lines = append(lines, line)
			}
		}
		must(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	}
	known := map[string]any{}
	b, err := os.ReadFile(filepath.Join(dir, "hub.json"))
	must(t, err)
	must(t, json.Unmarshal(b, &known))
	delete(known, "roster")
	if o, ok := known["operator"].(map[string]any); ok {
		delete(o, "roster")
	}
	known["keeper"] = keeper
	b, err = json.Marshal(known)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "hub.json"), b, 0o600))
	return keeper
}

// EarlierClaims gives what that version signed in the place of an account's JWT.
func EarlierClaims(t testing.TB, h *hub.Hub, token string) string {
	t.Helper()
	c, err := jwt.DecodeAccountClaims(token)
	must(t, err)
	if c.Name != "TEAM" {
		return token
	}
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	c.Imports = slices.DeleteFunc(c.Imports, func(i *jwt.Import) bool { return !strings.HasPrefix(string(i.LocalSubject), "M.") })
	pair, err := nkeys.FromSeed([]byte(h.Operator.Seed))
	must(t, err)
	token, err = c.Encode(pair)
	must(t, err)
	return token
}

func keeperOf(t testing.TB, h *hub.Hub) (k team.Key, public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	must(t, err)
	public, err = pair.PublicKey()
	must(t, err)
	seed, err := pair.Seed()
	must(t, err)
	if h.Operator == nil {
		return team.Key{Seed: string(seed)}, public
	}
	account, err := nkeys.FromSeed([]byte(h.Operator.Team))
	must(t, err)
	token, err := jwt.NewUserClaims(public).Encode(account)
	must(t, err)
	creds, err := jwt.FormatUserConfig(token, seed)
	must(t, err)
	return team.Key{Creds: string(creds)}, public
}

// AnnounceEarlier says at a hub, as that version did, who is in the team.
func AnnounceEarlier(t testing.TB, port int, keeper team.Key, replicas int, names ...string) {
	t.Helper()
	nc, err := dial.Connect(t.Context(), team.Member{}, []string{fmt.Sprintf("nats://127.0.0.1:%d", port)}, keeper)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	testutil.Eventually(t, "the node that makes streams knows the account", func() bool {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
			Name: team.Roster, Subjects: []string{"roster"}, MaxMsgs: 1, AllowDirect: true, Replicas: replicas,
		})
		return err == nil
	})
	_, err = js.Publish(t.Context(), "roster", []byte(strings.Join(names, "\n")))
	must(t, err)
}

// without cuts out of a text what stands from one mark to the end of another.
func without(text, from, to string) string {
	before, rest, _ := strings.Cut(text, from)
	_, after, ok := strings.Cut(rest, to)
	if !ok {
		panic(fmt.Sprintf("no %q in:\n%s", from, text))
	}
	return before + after
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

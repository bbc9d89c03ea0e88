package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
)

// company is a cluster that there is: one server with an operator, who has a signing key.
type company struct {
	dir     string
	ports   []string // for laptops, nodes
	signing string   // seed
	config  string
}

// newCompany starts a cluster as its operator has it. Between the choice of its ports and the start somebody else may take them: then
// it never is ready, and another one is started.
func newCompany(t *testing.T) company {
	t.Helper()
	for range 3 {
		if c, ok := startCompany(t); ok {
			return c
		}
	}
	t.Fatal("the company's server is not ready")
	return company{}
}

// startCompany writes the configuration of a cluster and starts it.
func startCompany(t *testing.T) (c company, ready bool) {
	t.Helper()
	c = company{dir: t.TempDir(), ports: strings.Split(hubtest.Ports(t), ":")}
	pair := func(kind nkeys.PrefixByte) (k nkeys.KeyPair, public, seed string) {
		k, err := nkeys.CreatePair(kind)
		if err != nil {
			t.Fatal(err)
		}
		public, _ = k.PublicKey()
		b, _ := k.Seed()
		return k, public, string(b)
	}
	encode := func(claims jwt.Claims, k nkeys.KeyPair) string {
		token, err := claims.Encode(k)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	operator, operatorID, _ := pair(nkeys.PrefixByteOperator)
	_, signingID, signing := pair(nkeys.PrefixByteOperator)
	system, systemID, _ := pair(nkeys.PrefixByteAccount)
	_, userID, userSeed := pair(nkeys.PrefixByteUser)
	c.signing = signing
	o := jwt.NewOperatorClaims(operatorID)
	o.Name, o.SystemAccount = "company", systemID
	o.SigningKeys.Add(signingID)
	a := jwt.NewAccountClaims(systemID)
	a.Name = "SYS"
	creds, err := jwt.FormatUserConfig(encode(jwt.NewUserClaims(userID), system), []byte(userSeed))
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, "system.creds", string(creds))
	c.write(t, "signing.nk", signing+"\n")
	c.write(t, "config/nats/context/system.json", fmt.Sprintf(`{"description": "ours", "url": "nats://127.0.0.1:%s", "creds": %q}`, c.ports[0], filepath.Join(c.dir, "system.creds")))
	c.config = c.write(t, "server.conf", fmt.Sprintf(`
server_name: company-1
listen: "127.0.0.1:%s"
operator: %s
system_account: %s
resolver: { type: full, dir: %q, allow_delete: false }
resolver_preload: { %s: %s }
jetstream { store_dir: %q, max_file_store: 1TB }
`, c.ports[0], encode(o, operator), systemID, filepath.Join(c.dir, "jwt"), systemID, encode(a, operator), filepath.Join(c.dir, "js")))
	options, err := natsd.ProcessConfigFile(c.config)
	if err != nil {
		t.Fatal(err)
	}
	options.NoLog, options.NoSigs = true, true
	s, err := natsd.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return c, testutil.Within(testutil.Patience/3, func() bool { return s.ReadyForConnections(10 * time.Millisecond) })
}

func (c company) write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(c.dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A cluster that there is gets the team's accounts by a context of the nats command and the key of its
// operator, and none of its configuration is written.
func TestTeamOfACompany(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	alice, bob := newWorld(t), newWorld(t)
	for _, w := range []*world{alice, bob} {
		w.env = append(w.env, "XDG_CONFIG_HOME="+filepath.Join(c.dir, "config"))
	}
	hub := filepath.Join(c.dir, "hub")
	node := "127.0.0.1:" + strings.Join(c.ports, ":")
	ok := func(w *world, args ...string) string {
		t.Helper()
		out, errOut, code := w.run("", append([]string{"team"}, args...)...)
		if code != 0 {
			t.Fatalf("team %s: %d, %s", args, code, errOut)
		}
		return out
	}
	begin := []string{"init", hub, "--name", "acme", "--node", node, "--plain", "--context"}
	for want, args := range map[string][]string{
		"--operator-key":         append(begin, "system"),
		"cannot be used":         append(begin, "other", "--operator-key", filepath.Join(c.dir, "signing.nk")),
		"no seed of an operator": append(begin, "system", "--operator-key", filepath.Join(c.dir, "system.creds")),
	} {
		if _, errOut, code := alice.run("", append([]string{"team"}, args...)...); code == 0 || !strings.Contains(errOut, want) {
			t.Errorf("%s: %d, %s", args, code, errOut)
		}
	}
	ok(alice, append(begin, "system", "--operator-key", filepath.Join(c.dir, "signing.nk"))...)
	ok(alice, "invite", "alice", "--hub", hub)
	ok(alice, "invite", "bob", "--hub", hub)
	ok(alice, "reload", "--hub", hub)
	ok(alice, "join", filepath.Join(hub, "alice.invitation"))
	ok(bob, "join", filepath.Join(hub, "bob.invitation"))
	alice.hook(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"paint the blue door","cwd":"/home/dev/project"}`)
	alice.shares()
	bob.hook(`{"session_id":"b1","hook_event_name":"UserPromptSubmit","prompt":"go on","cwd":"/home/dev/project"}`)
	if out, errOut, _ := bob.run("", "sessions", "--team", "--all"); !strings.Contains(out, "paint the blue door") {
		t.Errorf("bob reads %s%s", out, errOut)
	}
	ok(alice, "revoke", "alice", "--hub", hub)
	ok(alice, "reload", "--hub", hub)
	testutil.Eventually(t, "alice is out", func() bool {
		out, _, _ := alice.run("", "team", "status", "--json")
		return strings.Contains(out, `"connected": false`)
	})
	if _, errOut, code := alice.run("", "sessions", "--team=bob"); code == 0 {
		t.Errorf("alice reads still: %s", errOut)
	}
	if out, errOut, _ := bob.run("", "sessions", "--team", "--all"); !strings.Contains(out, "paint the blue door") {
		t.Errorf("what she shared is gone: %s%s", out, errOut)
	}
}

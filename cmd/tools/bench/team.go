package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// teams is row 15: the same hook without a team, and in a team whose hub answers, is dead, is silent, has no address, or refuses
// the key. The hub is a nats-server process of this run. The project is shared, so that its events are copied meanwhile.
func (b *bench) teams() []line {
	team := b.newHub()
	defer team.stop()
	silent := must(net.Listen("tcp", "127.0.0.1:0")) // it never answers
	defer silent.Close()
	alone := b.newStore()
	b.start(alone)
	group := []variant{b.floor(), b.sending("hook, no team", alone.hook(), b.calls(1))}
	group[1].as = "no team"
	stores := []*store{alone}
	for i, h := range []struct {
		state  string
		change func(invitation map[string]any)
		status string // text in the team's status that shows the state
	}{
		{"alive", func(map[string]any) {}, `"connected": true`},
		{"dead", func(in map[string]any) { in["hub"] = []string{"nats://127.0.0.1:1"} }, `"problem": `},
		{"silent", func(in map[string]any) { in["hub"] = []string{"nats://" + silent.Addr().String()} }, `"problem": `},
		{"of no address", func(in map[string]any) { in["hub"] = []string{"nats://hub.invalid:7422"} }, `"problem": `},
		{"refusing the key", func(map[string]any) {}, `"problem": `}, // the member was invited after the reload
	} {
		s := b.newStore()
		b.start(s)
		name := fmt.Sprintf("m%d", i)
		invitation := team.invite(name)
		doc := map[string]any{}
		check(json.Unmarshal(must(os.ReadFile(invitation)), &doc))
		h.change(doc)
		check(os.WriteFile(invitation, must(json.Marshal(doc)), 0o600))
		if i == 0 {
			team.start() // later members are unknown to it, which the other states do not need
			team.verb(b.ctx, "team", "reload", "--hub", team.at)
		}
		s.verb(b.ctx, "team", "join", invitation)
		s.verb(b.ctx, "team", "share", b.root, "--yes")
		eventually(b.ctx, "it is known that the hub is "+h.state, func() bool { return strings.Contains(s.verb(b.ctx, "team", "status", "--json"), h.status) })
		group = append(group, b.sending("hook, hub "+h.state, s.hook(), b.calls(2+i)).against(2, bar{within: 0.2}))
		stores = append(stores, s)
	}
	lines := b.measure(b.n, group...)
	for i, s := range stores {
		lines = append(lines, line{What: "memory of the owner, " + strings.TrimPrefix(group[1+i].name, "hook, "), Value: fmt.Sprintf("%d MB", s.resident(b.ctx)>>20)})
	}
	return lines
}

// hub is a team's hub of one node.
type hub struct {
	*bench
	*store
	at     string // its directory
	port   string
	server *exec.Cmd
}

// newHub creates a hub with journal team init.
func (b *bench) newHub() *hub {
	h := &hub{bench: b, store: b.newStore(), at: b.file("hub")}
	output(exec.CommandContext(b.ctx, "go", "build", "-o", b.file("nats-server"), "github.com/nats-io/nats-server/v2"))
	var ports []string
	for range 2 {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		ports = append(ports, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	h.port = ports[0]
	h.verb(b.ctx, "team", "init", h.at, "--name", "acme", "--node", "127.0.0.1:"+strings.Join(ports, ":"), "--plain")
	return h
}

// invite invites a member and returns the file of the invitation.
func (h *hub) invite(name string) string {
	h.verb(h.bench.ctx, "team", "invite", name, "--hub", h.at)
	return filepath.Join(h.at, name+".invitation")
}

// start starts the server and waits until it answers.
func (h *hub) start() {
	h.server = exec.CommandContext(h.bench.ctx, h.file("nats-server"), "-c", "node-1.conf", "-l", h.file("nats-server.log"))
	h.server.Dir = h.at
	check(h.server.Start())
	eventually(h.bench.ctx, "the hub answers", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+h.port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// stop ends the server, if it was started.
func (h *hub) stop() {
	if h.server != nil {
		_ = h.server.Process.Kill()
		_ = h.server.Wait() // the error says that it was killed
	}
}

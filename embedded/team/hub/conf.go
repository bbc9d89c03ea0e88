package hub

import (
	"fmt"
	"strconv"
	"strings"

	"journal/embedded/team"
)

// server returns the configuration of a node.
func (h *Hub) server(n Node) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A node of the hub of team %s. Written by journal team init; yours to change.", h.Team)
	line("server_name: %s", strconv.Quote(n.Name))
	line("listen: %s", strconv.Quote(fmt.Sprintf("%s:%d", n.listen(), n.Client)))
	line("# monitoring for prometheus-nats-exporter and nats server report; keep it inside")
	line("# http: 127.0.0.1:8222")
	line("# max_file is no bound: one server would else keep three quarters of its free disk back for its members, and refuse who\n# does not fit. A full disk keeps what comes at the laptops.")
	line("jetstream { store_dir: %s, max_file: 1EB }", strconv.Quote("jetstream-"+n.Name))
	if h.TLS.Cert != "" {
		line("tls { cert_file: %s, key_file: %s }", strconv.Quote(h.TLS.Cert), strconv.Quote(h.TLS.Key))
	}
	if h.hasClusterPorts() {
		line("cluster {")
		line("  name: %s", strconv.Quote(h.Team))
		line("  listen: %s", strconv.Quote(fmt.Sprintf("%s:%d", n.listen(), n.Cluster)))
		b.WriteString(h.guard(n))
		line("  routes: [")
		for _, other := range h.Nodes {
			if other.Name != n.Name {
				line("    %s", strconv.Quote(h.route(other)))
			}
		}
		line("  ]")
		line("}")
	}
	line("include ./%s", accountsName)
	return b.String()
}

// The subjects of the account HUB that members' accounts import. With a token position an account can use only subjects that
// have its own name at that position; the others are for every account of a member.
const (
	chunks, chunksToken   = "E.*.*.*", 2
	removal, removalToken = "$JS.API.STREAM.MSG.DELETE.*", 6
	newest, newestToken   = "$JS.API.STREAM.MSG.GET.*", 6
	asking                = "$JS.API.DIRECT.GET.*"
	listing               = "$JS.API.STREAM.INFO.*"
)

// imported is a subject of the account HUB as a member's account calls it.
type imported struct{ hub, local string }

// importsOf returns all that an account of a member has.
func importsOf(account string) []imported {
	return []imported{
		{strings.Replace(chunks, "*", account, 1), team.Put + "*.*"},
		{strings.Replace(removal, "*", account, 1), team.Remove},
		{strings.Replace(newest, "*", account, 1), team.Newest},
		{asking, team.AskOf + "*"},
		{listing, team.InfoOf + "*"},
	}
}

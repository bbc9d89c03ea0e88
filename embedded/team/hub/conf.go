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

// accounts returns the part of the configuration that is the same on every node.
func (h *Hub) accounts() (string, error) {
	if h.Operator != nil {
		return h.Operator.resolver(h)
	}
	admin, err := publicOf(h.Admin.Seed)
	if err != nil {
		return "", err
	}
	own, err := publicOf(h.Key.Seed)
	if err != nil {
		return "", err
	}
	names := make([]string, len(h.Members))
	for i, m := range h.Members {
		names[i] = m.Account
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Who is in team %s. Written by journal team, which writes it anew: do not change it.", h.Team)
	line("system_account: SYS")
	line("accounts {")
	line("  SYS { users: [ { nkey: %s } ] }", admin)
	line("  HUB {")
	line("    jetstream: enabled")
	line("    users: [ { nkey: %s } ]", own)
	line("    exports: [")
	line("      { service: %q, account_token_position: %d }", chunks, chunksToken)
	line("      { service: %q, account_token_position: %d }", removal, removalToken)
	line("      { service: %q, account_token_position: %d }", newest, newestToken)
	line("      { service: %q, response_type: stream, accounts: [%s] }", asking, strings.Join(names, ", "))
	line("      { service: %q, accounts: [%s] }", listing, strings.Join(names, ", "))
	line("      { service: %q, account_token_position: %d }", telling, tellingToken)
	line("    ]")
	line("  }")
	for _, m := range h.Members {
		var users []string
		if !m.Revoked {
			users = append(users, fmt.Sprintf("{ nkey: %s }", m.Key))
		}
		line("  %s {", m.Account)
		line("    users: [ %s ]", strings.Join(users, ", "))
		line("    imports: [")
		for _, i := range importsOf(m.Account) {
			line("      { service: { account: HUB, subject: %q }, to: %q }", i.hub, i.local)
		}
		line("    ]")
		line("  }")
	}
	line("}")
	return b.String(), nil
}

// The subjects of the account HUB that members' accounts import. With a token position an account can use only subjects that
// have its own name at that position; the others are for every account of a member.
const (
	chunks, chunksToken   = "E.*.*.*", 2
	removal, removalToken = "$JS.API.STREAM.MSG.DELETE.*", 6
	newest, newestToken   = "$JS.API.STREAM.MSG.GET.*", 6
	telling, tellingToken = "N.*.*.*", 2
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
		{strings.Replace(telling, "*", account, 1), team.Publish + "*.*"},
	}
}

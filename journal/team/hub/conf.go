package hub

import (
	"fmt"
	"strconv"
	"strings"
)

// server gives the configuration of a node.
func (h *Hub) server(n Node) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A node of the hub of team %s. Written by journal team init; yours to change.", h.Team)
	line("server_name: %s", strconv.Quote(n.Name))
	line("listen: %s", strconv.Quote(fmt.Sprintf("0.0.0.0:%d", n.Client)))
	line("# monitoring for prometheus-nats-exporter and nats server report; keep it inside")
	line("# http: 127.0.0.1:8222")
	line("# max_file is no bound: one server would else keep three quarters of its free disk back for its members, and refuse who\n# does not fit. A full disk keeps what comes at the laptops.")
	line("jetstream { store_dir: %s, domain: %s, max_file: 1EB }", strconv.Quote("jetstream-"+n.Name), strconv.Quote(h.Domain))
	line("# With them each member can be permitted no more than their own flow control and answers.")
	line("feature_flags { js_ack_fc_v2: true, js_api_reply_v2: true }")
	tls := ""
	if h.TLS.Cert != "" {
		tls = fmt.Sprintf("cert_file: %s, key_file: %s", strconv.Quote(h.TLS.Cert), strconv.Quote(h.TLS.Key))
		line("tls { %s }", tls)
	}
	line("leafnodes {")
	line("  listen: %s", strconv.Quote(fmt.Sprintf("0.0.0.0:%d", n.Leaf)))
	line("  no_advertise: true # laptops know all nodes by the names in their invitation")
	if tls != "" {
		line("  tls { %s, handshake_first: true }", tls)
	}
	line("}")
	if len(h.Nodes) > 1 {
		line("cluster {")
		line("  name: %s", strconv.Quote(h.Team))
		line("  listen: %s", strconv.Quote(fmt.Sprintf("0.0.0.0:%d", n.Cluster)))
		line("  # add tls { } here unless the nodes share a network that nobody else is on")
		line("  routes: [")
		for _, other := range h.Nodes {
			if other.Name != n.Name {
				line("    %s", strconv.Quote(fmt.Sprintf("nats://%s:%d", other.Host, other.Cluster)))
			}
		}
		line("  ]")
		line("}")
	}
	line("include ./%s", accountsName)
	return b.String()
}

// accounts gives the part of the configuration that is the same on every node.
func (h *Hub) accounts() (string, error) {
	if h.Operator != nil {
		return h.Operator.resolver(h)
	}
	admin, err := publicOf(h.Admin.Seed)
	if err != nil {
		return "", err
	}
	keeper, err := publicOf(h.Roster.Seed)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Who is in team %s. Written by journal team, which writes it anew: do not change it.", h.Team)
	line("system_account: SYS")
	line("accounts {")
	line("  SYS { users: [ { nkey: %s } ] }", admin)
	line("  ROSTER {")
	line("    jetstream: enabled")
	line("    users: [ { nkey: %s } ]", keeper)
	line("    exports: [ { service: %q, accounts: [TEAM] } ]", rosterService)
	line("  }")
	var readers []string
	var imports []string
	for _, s := range rosterAsked {
		imports = append(imports, fmt.Sprintf("{ service: { account: ROSTER, subject: %q }, to: %q }", rosterService, s))
	}
	for _, m := range h.Members {
		var users, exports []string
		if !m.Revoked {
			users = append(users, user(m.Upload, h.upload(m.Name)))
			readers = append(readers, user(m.Reader, h.reader(m.Name)))
		}
		for _, s := range shared {
			exports = append(exports, fmt.Sprintf(`{ service: "$JS.API.%s", accounts: [TEAM], response_type: stream }`, s))
			imports = append(imports, fmt.Sprintf(`{ service: { account: %s, subject: "$JS.API.%s" }, to: "%s%s" }`, account(m.Name), s, prefix(m.Name), s))
		}
		line("  %s {", account(m.Name))
		line("    jetstream { max_mem: 0, max_store: %d, max_streams: %d }", h.Limits.Bytes*int64(h.replicas()), h.Limits.Streams)
		line("    users: [%s]", list(users))
		line("    exports: [%s]", list(exports))
		line("  }")
	}
	line("  TEAM {")
	line("    users: [%s]", list(readers))
	line("    imports: [%s]", list(imports))
	line("  }")
	line("}")
	return b.String(), nil
}

// user gives an entry of a list of users.
func user(key string, p permissions) string {
	return fmt.Sprintf("{ nkey: %s, permissions: { publish: { allow: %s }, subscribe: { allow: %s } } }", key, quoted(p.publish), quoted(p.subscribe))
}

func quoted(all []string) string {
	q := make([]string, len(all))
	for i, s := range all {
		q[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

// list gives entries a line each.
func list(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "\n      " + strings.Join(all, "\n      ") + "\n    "
}

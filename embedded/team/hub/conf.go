package hub

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/jwt/v2"

	"journal/embedded/team"
)

// server returns the configuration of a node.
func (h *Hub) server(n Node) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A node of the hub of team %s. Written by journal team init; yours to change.", h.Team)
	line("server_name: %s", strconv.Quote(n.Name))
	line("listen: %s", strconv.Quote(fmt.Sprintf("%s:%d", n.Listen, n.Client)))
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
		line("  listen: %s", strconv.Quote(fmt.Sprintf("%s:%d", n.Listen, n.Cluster)))
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
	line("resolver { type: full, dir: %s, allow_delete: false } # keeps the accounts that journal team reload sends", strconv.Quote("accounts-"+n.Name))
	line("include ./%s", accountsName)
	return b.String()
}

// service is a subject of the account HUB that members' accounts import.
type service struct {
	subject string
	// position is that of the token of the subject which has to be the name of the member's account, so that an account can use
	// only its own. It is 0 if the subject is for every account of a member.
	position uint
	local    string // as the member's account calls it
	answers  jwt.ResponseType
}

var services = []service{
	{"E.*.*.*", 2, team.Put + "*.*", jwt.ResponseTypeSingleton},
	{"$JS.API.STREAM.MSG.DELETE.*", 6, team.Remove, jwt.ResponseTypeSingleton},
	{"$JS.API.STREAM.MSG.GET.*", 6, team.Newest, jwt.ResponseTypeSingleton},
	{"$JS.API.DIRECT.GET.*", 0, team.AskOf + "*", jwt.ResponseTypeStream},
	{"$JS.API.STREAM.INFO.*", 0, team.InfoOf + "*", jwt.ResponseTypeSingleton},
}

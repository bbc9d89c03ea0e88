package embedded

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of the server. The owner's own connection may do everything. A connection by the unix socket is local: the permissions
// of the socket have proved the user. A connection over TCP is tool: only the password proves anything.
const (
	ownerUser = "owner"
	localUser = "local"
	toolUser  = "journal"
)

// publishable holds the subjects to which local and tool may publish. Only the owner publishes to journal.> and changes streams
// (ADR-0030 rule 3). Other clients read, and ask the owner to append.
//
// For local, who could write the files as well, this prevents mistakes, not malice. The server does not check reply subjects against
// permissions, so a client can have the answer to an allowed request stored in the log by naming a subject of the log as reply. Such
// a message lacks the Nats-Msg-Id header. Requests of tool stay in an account of its own (see admitTools).
var publishable = []string{
	"JOURNAL.v1.>",
	"$JS.API.INFO",
	"$JS.API.STREAM.INFO.>",
	"$JS.API.STREAM.NAMES",
	"$JS.API.STREAM.LIST",
	"$JS.API.STREAM.MSG.GET.>",
	"$JS.API.DIRECT.GET.>",
	"$JS.API.CONSUMER.>",
	"$JS.ACK.>",
	"$JS.FC.>",
}

// shutdownSubjects holds the subjects of publishable that make the owner leave. They are denied to tool: a client that may read and
// append over TCP must not end the recording of everybody else.
var shutdownSubjects = []string{"JOURNAL.v1.stop", "JOURNAL.v1.retire"}

// subscribable holds the subjects to which local and tool may subscribe: replies and deliveries. A client that could subscribe to the
// append subject would take events away from the owner.
var subscribable = []string{"_INBOX.>"}

// authenticator assigns a user to each connection.
type authenticator struct {
	owner        string // password of the owner's own connection
	toolPassword string // password for TCP; "" without a TCP listener
	admin        bool   // tool has the rights of local
	// tools is the account of tool. It is nil before it is made, and if tool has the rights of local.
	tools atomic.Pointer[server.Account]
}

// newSecret returns 32 random bytes as text that needs no quoting in a URL.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // Never fails; it ends the process if the system has no randomness.
	return base64.RawURLEncoding.EncodeToString(b)
}

// Check implements server.Authentication.
func (d *authenticator) Check(c server.ClientAuthentication) bool {
	opts, addr := c.GetOpts(), c.RemoteAddress()
	if addr == nil { // Already closed.
		return false
	}
	// Only in-process connections are pipes: ours, and those we bridge.
	if addr.Network() == "pipe" {
		own := opts.Username == ownerUser || opts.Username == toolsConnUser
		if !own {
			c.RegisterUser(guest(localUser, nil))
			return true
		}
		if !same(opts.Password, d.owner) {
			return false
		}
		user := &server.User{Username: opts.Username}
		if opts.Username == toolsConnUser {
			user.Account = d.tools.Load()
		}
		c.RegisterUser(user)
		return true
	}
	if d.toolPassword == "" || opts.Username != toolUser || !same(opts.Password, d.toolPassword) {
		return false
	}
	if d.admin {
		c.RegisterUser(guest(toolUser, nil))
		return true
	}
	tools := d.tools.Load()
	if tools == nil { // the server starts
		return false
	}
	user := guest(toolUser, shutdownSubjects)
	user.Account = tools
	c.RegisterUser(user)
	return true
}

func guest(name string, denied []string) *server.User {
	return &server.User{Username: name, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publishable, Deny: denied},
		Subscribe: &server.SubjectPermission{Allow: subscribable},
	}}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

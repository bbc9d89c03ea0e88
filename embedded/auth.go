package embedded

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of the server. Every connection is one of them, by the door it
// came through: the owner's own connection may do everything; local came from
// the unix socket, whose permissions have already proved the user; tool came
// over TCP, where only the password proves anything.
const (
	ownerUser = "owner"
	localUser = "local"
	toolUser  = "journal"
)

// Subjects that local and tool may publish to. Only the owner publishes to
// journal.> and changes streams (ADR-0030 rule 3): the rest of the world asks
// it to append, and reads.
//
// For local, who could write the files as well, this keeps mistakes out, not
// malice: the server does not check reply subjects against permissions, so
// whoever asks an allowed question with a subject of the log as reply has the
// answer stored there; it is recognisable by its missing Nats-Msg-Id header.
// What tool asks stays in an account of its own (see admitTools).
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

// Subjects of publishable that make the owner leave. They are not for tool: what may read
// and append over TCP must not end the recording of everybody else.
var ending = []string{"JOURNAL.v1.stop", "JOURNAL.v1.retire"}

// Subjects that local and tool may subscribe to: replies and deliveries. A
// client that could subscribe to the append subject would take events away
// from the owner.
var subscribable = []string{"_INBOX.>"}

// doorman tells the users apart.
type doorman struct {
	owner string // password of the owner's own connection
	tool  string // password for TCP; "" when there is no TCP listener
	admin bool   // tool may do what local may
	// tools is the account of tool; nil: it is not made yet, or tool may do what local may.
	tools atomic.Pointer[server.Account]
}

// newSecret returns 32 random bytes as text that needs no quoting in a URL.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // Never fails; it ends the process if the system has no randomness.
	return base64.RawURLEncoding.EncodeToString(b)
}

// Check implements server.Authentication.
func (d *doorman) Check(c server.ClientAuthentication) bool {
	opts, addr := c.GetOpts(), c.RemoteAddress()
	if addr == nil { // Already closed.
		return false
	}
	// Only in-process connections are pipes: ours, and those we bridge.
	if addr.Network() == "pipe" {
		own := opts.Username == ownerUser || opts.Username == usherUser
		if !own {
			c.RegisterUser(guest(localUser, nil))
			return true
		}
		if !same(opts.Password, d.owner) {
			return false
		}
		user := &server.User{Username: opts.Username}
		if opts.Username == usherUser {
			user.Account = d.tools.Load()
		}
		c.RegisterUser(user)
		return true
	}
	if d.tool == "" || opts.Username != toolUser || !same(opts.Password, d.tool) {
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
	user := guest(toolUser, ending)
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

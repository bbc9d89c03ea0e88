package embedded

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of the server. See also toolsConnUser.
const (
	ownerUser = "owner"   // the owner's own connection, which may do everything
	localUser = "local"   // a connection through the unix socket, which only the current user can open
	toolUser  = "journal" // a connection over TCP, which needs a password
)

// publishable holds the subjects to which localUser and toolUser may publish. Only the owner publishes to journal.> and changes streams
// (ADR-0030 rule 3). Other clients read, and ask the owner to append.
//
// For localUser, who could write the files as well, this prevents mistakes, not malice. The server does not check reply subjects against
// permissions. So a client can have the answer to an allowed request stored in the log: it names a subject of the log as the reply subject.
// Such a message lacks the Nats-Msg-Id header, so readers do not take it for an event. Requests of toolUser stay in an account of its own
// (see admitTools).
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

// shutdownSubjects holds the requests that make the owner leave. toolUser may not send them: a client that may read and append over TCP
// must not end the recording of everybody else.
var shutdownSubjects = []string{"JOURNAL.v1.stop", "JOURNAL.v1.retire"}

// subscribable holds the subjects to which localUser and toolUser may subscribe: replies and deliveries. A client that could subscribe to
// the append subject would receive events that are meant for the owner.
var subscribable = []string{"_INBOX.>"}

// authenticator assigns a user to each connection.
type authenticator struct {
	owner        string // password of the owner's own connection
	toolPassword string // password for TCP; "" without a TCP listener
	admin        bool   // toolUser has the rights of localUser
	// tools is the account of toolUser. It is nil until the server has started, and always if admin is true.
	tools atomic.Pointer[server.Account]
}

// newSecret returns 32 random bytes as text that needs no quoting in a URL.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: it ends the process if the system has no randomness
	return base64.RawURLEncoding.EncodeToString(b)
}

// Check implements server.Authentication.
func (a *authenticator) Check(c server.ClientAuthentication) bool {
	opts, addr := c.GetOpts(), c.RemoteAddress()
	if addr == nil { // the connection is closed
		return false
	}
	// Only in-process connections are pipes: the owner's own, and those of bridges.
	if addr.Network() == "pipe" {
		if opts.Username != ownerUser && opts.Username != toolsConnUser {
			c.RegisterUser(clientUser(localUser, nil))
			return true
		}
		if !same(opts.Password, a.owner) {
			return false
		}
		user := &server.User{Username: opts.Username}
		if opts.Username == toolsConnUser {
			user.Account = a.tools.Load()
		}
		c.RegisterUser(user)
		return true
	}
	if a.toolPassword == "" || opts.Username != toolUser || !same(opts.Password, a.toolPassword) {
		return false
	}
	if a.admin {
		c.RegisterUser(clientUser(toolUser, nil))
		return true
	}
	tools := a.tools.Load()
	if tools == nil { // the server is starting
		return false
	}
	user := clientUser(toolUser, shutdownSubjects)
	user.Account = tools
	c.RegisterUser(user)
	return true
}

// clientUser returns a user with the rights of a client of the owner. It may not publish to the denied subjects.
func clientUser(name string, denied []string) *server.User {
	return &server.User{Username: name, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publishable, Deny: denied},
		Subscribe: &server.SubjectPermission{Allow: subscribable},
	}}
}

// same compares passwords in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Package sock is the client's half of the owner's door: where the unix socket
// of a journal directory is, and how to reach it safely. It imports neither
// the NATS server nor the NATS client, so a process that only wants to talk to
// an owner does not pay for either.
//
// A socket is guarded by file permissions alone (ADR-0030 rule 1), so everything
// here checks that what it meets belongs to the user who runs it: the
// directory, the socket file, and the process at the other end.
package sock

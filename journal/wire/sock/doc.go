// Package sock finds the unix socket of a journal directory, and listens at it or connects to it safely. It imports neither the NATS
// server nor the NATS client, so that a process that only asks an owner does not pay for either.
//
// A socket is guarded by file permissions alone (ADR-0030 rule 1), so this package checks that the directory, the socket file and
// the process at the other end belong to the current user.
package sock

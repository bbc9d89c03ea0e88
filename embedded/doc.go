// Package embedded runs the JetStream server in the process that owns a journal
// directory (package ownership), and lets the user's other processes reach it
// through a unix socket. It is the only importer of nats-server.
//
// JetStream does not guard its directory: two servers on one store acknowledge
// each other's losses without an error. So nothing here opens the store before
// the process holds an [ownership.Lock], and the lock outlives the server.
//
// The life of an owner:
//
//	Inherited the lock is taken over from the hook that started the process, or
//	          taken with TryLock
//	Own       check the store, start the server, connect to it
//	Serve     open the socket; from here on hooks can append
//	Beat      every second, with Intact, while the owner lives
//	Close     stop cleanly and say so in the clean marker
//	Release   the next owner may start
//
// Clean: the last server on the store was shut down, and its index files are still
// the ones it wrote.
package embedded

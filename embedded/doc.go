// Package embedded makes one process the only owner of one journal directory,
// runs the JetStream server in that process, and lets the user's other
// processes reach it through a unix socket. It is the only importer of
// nats-server.
//
// JetStream does not guard its directory: two servers on one store acknowledge
// each other's losses without an error. So nothing here opens the store before
// the process holds a [Lock], and the lock outlives the server.
//
// The life of an owner:
//
//	Prepare   the directory is private to this user
//	TryLock   by a hook, which hands the locked file to a child with Spawn;
//	          the child takes it over with Inherited. Or the process keeps it.
//	Own       check the store, start the server, connect to it
//	Serve     open the socket; from here on hooks can append
//	Beat      every second, with Intact, while the owner lives
//	Close     stop cleanly and say so in the clean marker
//	Release   the next owner may start
//
// Glossary. Owner: the process that holds the lock. Holder: what the owner
// wrote about itself into the lock file. Clean: the last server on the store
// was shut down, and its index files are still the ones it wrote. Replaced:
// the directory of a running owner was removed and made anew by someone else.
package embedded

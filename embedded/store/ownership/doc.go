// Package ownership makes one process the only owner of one journal directory: the
// lock, the directory around it, and how a hook hands the lock to the owner that it
// starts. It knows nothing of the server, so that a hook need not link one.
//
// The life of a lock:
//
//	Prepare   the directory is private to this user
//	TryLock   by a hook, which hands the locked file to a child with Spawn;
//	          the child takes it over with Inherited. Or the process keeps it.
//	Beat      every second, with Intact, while the owner lives
//	Release   the next owner may start
//
// Holder: what the owner wrote about itself into the lock file. Replaced: the
// directory of a running owner was removed and made anew by someone else.
package ownership

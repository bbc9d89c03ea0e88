// Package ptrace follows a process and all that it starts through the calls by which they change
// files below one directory. It writes these down in their order, and lets chosen ones fail as a
// bad disk would: below the program, which is the one that people use. For tests; nobody else may
// be a child of the process that follows.
package ptrace

import "io/fs"

// Kind is the kind of a call.
type Kind uint8

// The kinds of calls.
const (
	Create   Kind = iota // a file or directory Ino, named Name in Dir
	Write                // Data at Off
	Truncate             // to Size
	Sync                 // of a file or of a directory: it returned without an error
	SyncFail             // it returned an error: what was written before may be gone for good
	Rename               // Ino, which was Name in Dir, is Name2 in Dir2 from now on
	Link                 // Ino, which is Name in Dir, is Name2 in Dir2 too
	Remove               // of Name in Dir
	Mark                 // a process said Name
)

// Op is one call. Files and directories have numbers, the followed directory 0, which are not used
// again.
type Op struct {
	Kind      Kind
	Ino       int
	IsDir     bool // of what is created
	Mode      fs.FileMode
	Dir, Dir2 int
	Name      string
	Name2     string
	Target    string // of a created symbolic link
	Off, Size int64
	Data      []byte
	PID       int
}

// Recording lists the calls of a run.
type Recording struct {
	Ops    []Op
	Faults map[string]int // how many calls failed on purpose, by call and error
}

// Config selects the calls to follow.
type Config struct {
	Root   string   // directory, empty, absolute, without symbolic links
	Args   []string // of the process that is started; its own first act is Follow
	Env    []string
	Plan   Plan
	Forget bool // keep no operations: only faults are wanted
}

// markPath is the beginning of paths that are no paths: who opens one says the rest.
const markPath = "//mark/"

// What the marks mean that the follower itself understands.
const (
	// Durable reports whether all up to here survives whatever comes.
	Durable = "durable"
	// Healed ends all faults.
	Healed = "healed"
	// Kill, with the id of a process behind it, kills that process at a moment when no call is
	// half recorded.
	Kill = "kill "
)

// Package ptrace traces a process, and the processes that it starts, at the system calls that change files below a directory.
// It records these calls in their order, and can make chosen ones fail as on a bad disk. So tests can use the program that
// people use, unchanged. The tracing process must have no other children.
package ptrace

import "io/fs"

// Kind is the kind of an Op.
type Kind uint8

// The kinds of operations.
const (
	Create   Kind = iota // of the file or directory Ino, as Name in Dir
	Write                // of Data at Off
	Truncate             // to Size
	Sync                 // of a file or directory, without an error
	SyncFail             // of a file or directory, with an error: earlier writes may be lost for good
	Rename               // of Ino from Name in Dir to Name2 in Dir2
	Link                 // of Ino, which is Name in Dir, to the additional Name2 in Dir2
	Remove               // of Name in Dir
	Mark                 // a process called Say with Name
)

// Op is an operation that a process made. Each file and directory has a number, which is not used again; the traced directory
// has 0.
type Op struct {
	Kind      Kind
	Ino       int
	IsDir     bool        // whether Create made a directory
	Mode      fs.FileMode // permissions that Create set
	Dir, Dir2 int
	Name      string
	Name2     string
	Target    string // of a created symbolic link
	Off, Size int64
	Data      []byte
	PID       int // id of the thread
}

// Recording lists the operations of a run.
type Recording struct {
	Ops    []Op
	Faults map[string]int // number of calls that were made to fail, by "CALL ERROR"
}

// Config selects the process and the calls to trace.
type Config struct {
	Root   string   // the traced directory: empty, absolute, without symbolic links
	Args   []string // command line of the process, which must first call Follow
	Env    []string
	Plan   Plan
	Forget bool // record no operations but marks
}

// markPath begins the paths that Say opens to send a mark; no such file exists.
const markPath = "//mark/"

// Marks that Run itself acts on.
const (
	// Durable means that everything up to here is durable.
	Durable = "durable"
	// Healed ends all faults.
	Healed = "healed"
	// Kill, followed by the id of a process, kills that process while no call is being recorded.
	Kill = "kill "
)

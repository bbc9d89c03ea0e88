// Package ptrace traces a process, and the processes that it starts, at the system calls that change files below a directory.
// It records these calls in their order, and can make some of them fail as on a bad disk. So tests can use the program that
// people use, unchanged. The tracing process must have no other children.
package ptrace

import "io/fs"

// Kind is the kind of an Op.
type Kind uint8

// The kinds of operations.
const (
	Create   Kind = iota // of the file, directory or symbolic link Ino, as Name in Dir
	Write                // of Data at Off
	Truncate             // to Size
	Sync                 // of a file or directory, without an error
	SyncFail             // of a file or directory, with an error: earlier writes may be lost for good
	Rename               // of Ino from Name in Dir to Name2 in Dir2
	Link                 // of Ino, which is Name in Dir, to the additional Name2 in Dir2
	Remove               // of Name from Dir
	Mark                 // a call of Say with the text Name
)

// Op is an operation of a traced process. Each file and directory has a number, which is not used again. The traced directory has
// the number 0.
type Op struct {
	Kind      Kind
	Ino       int         // number of the file or directory
	IsDir     bool        // whether Create made a directory
	Mode      fs.FileMode // permissions that Create set
	Dir, Dir2 int         // numbers of the directories of Name and Name2
	Name      string
	Name2     string
	Target    string // of a created symbolic link
	Off, Size int64
	Data      []byte
}

// Recording lists the operations of a run.
type Recording struct {
	Ops    []Op
	Faults map[string]int // number of calls that were made to fail, by "CALL ERROR"
}

// Config selects the process and the calls to trace.
type Config struct {
	Root      string   // the traced directory: empty, absolute, without symbolic links
	Args      []string // command line of the process, which must call Follow before it changes files
	Env       []string
	Plan      Plan
	OnlyMarks bool // record no other operations
}

// markPath begins the path that Say opens to send a mark. No such file exists.
const markPath = "//mark/"

// Marks with a meaning. Run acts on Healed and Kill, and package powercut on Durable.
const (
	// Durable declares all earlier operations durable.
	Durable = "durable"
	// Healed ends all faults: no later call is made to fail.
	Healed = "healed"
	// Kill, followed by the id of a process, kills that process while no call is being recorded.
	Kill = "kill "
)

package projections

import (
	"slices"

	"journal/events"
)

// maxFiles bounds how many files a state holds: the newest. Real sessions touch
// some hundreds.
const maxFiles = 1000

// FileState is one file that the agent used.
type FileState struct {
	Path    string `json:"path"`
	Op      string `json:"op"`       // write or edit once it was written, else read
	Count   int    `json:"count"`    // how often it was used
	LastSeq uint64 `json:"last_seq"` // last use
}

// FilesState is a list of files, newest use first, at most 1,000.
type FilesState []FileState

// Files lists the files that the agent read, wrote and edited.
var Files = Declare("files", 1, Lane, "files read, written and edited, newest first",
	On(func(l FilesState, e events.FileRead, at At) FilesState { return l.used(e.Path, "read", at) }),
	On(func(l FilesState, e events.FileWritten, at At) FilesState { return l.used(e.Path, e.Op, at) }),
)

func (l FilesState) used(path, op string, at At) FilesState {
	f := FileState{Path: path, Op: op, Count: 1, LastSeq: at.Seq}
	if i := slices.IndexFunc(l, func(o FileState) bool { return o.Path == path }); i >= 0 {
		f.Count = l[i].Count + 1
		if op == "read" {
			f.Op = l[i].Op
		}
		return slices.Concat(FilesState{f}, l[:i], l[i+1:])
	}
	return slices.Concat(FilesState{f}, l[:min(len(l), maxFiles-1)])
}

// MarshalJSON gives a list even when it is empty.
func (l FilesState) MarshalJSON() ([]byte, error) { return marshalList(l) }

package projections

import "journal/events"

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
	out := make(FilesState, 1, len(l)+1)
	for _, old := range l {
		if old.Path != path {
			out = append(out, old)
			continue
		}
		f.Count = old.Count + 1
		if op == "read" {
			f.Op = old.Op
		}
	}
	out[0] = f
	return out[:min(len(out), maxFiles)]
}

// MarshalJSON gives a list also when there are none.
func (l FilesState) MarshalJSON() ([]byte, error) { return marshalList(l) }

package projections

import (
	"slices"
	"strings"

	"journal/events"
)

// maxFiles bounds how many files a state holds: the newest. Real sessions touch
// some hundreds.
const maxFiles = 1000

// FileState is one file that the agent used.
type FileState struct {
	Path    string `json:"path"`
	Op      string `json:"op"`             // write or edit once it was written, else read
	Count   int    `json:"count"`          // how often it was used
	LastSeq uint64 `json:"last_seq"`       // last use
	Was     string `json:"was,omitempty"`  // its path before it was moved
	Lane    string `json:"lane,omitempty"` // of the subagent that used it last, for the main thread
}

// FilesState is a list of files, newest use first, at most 1,000.
type FilesState []FileState

// Files lists the files that the agent read, wrote and edited.
var Files = Declare("files", 2, Lane, "files read, written and edited, newest first",
	On(func(l FilesState, e events.FileRead, at At) FilesState { return l.used(e.Path, "read", at) }),
	On(func(l FilesState, e events.FileWritten, at At) FilesState { return l.used(e.Path, e.Op, at) }),
	On(FilesState.moved),
)

func (l FilesState) used(path, op string, at At) FilesState {
	f := FileState{Path: path, Op: op, Count: 1, LastSeq: at.Seq}
	if i := slices.IndexFunc(l, func(o FileState) bool { return o.Path == path }); i >= 0 {
		f.Count, f.Was = l[i].Count+1, l[i].Was
		if op == "read" {
			f.Op = l[i].Op
		}
		return slices.Concat(FilesState{f}, l[:i], l[i+1:])
	}
	return slices.Concat(FilesState{f}, l[:min(len(l), maxFiles-1)])
}

// moved gives files their new paths: one file, or all below a directory. What stood
// at a new path is gone.
func (l FilesState) moved(e events.FileMoved, _ At) FilesState {
	if e.From == e.To {
		return l
	}
	taken := map[string]bool{}
	for _, f := range l {
		if to, moves := renamed(f.Path, e); moves {
			taken[to] = true
		}
	}
	if len(taken) == 0 {
		return l
	}
	var out FilesState
	for _, f := range l {
		switch to, moves := renamed(f.Path, e); {
		case moves:
			f.Was, f.Path = f.Path, to
		case taken[f.Path]:
			continue
		}
		out = append(out, f)
	}
	return out
}

// renamed gives the path of a file after a move of it, or of a directory above it.
func renamed(path string, e events.FileMoved) (to string, moves bool) {
	rest, within := strings.CutPrefix(path, e.From)
	if !within || rest != "" && rest[0] != '/' {
		return path, false
	}
	return e.To + rest, true
}

// MarshalJSON gives a list even when it is empty.
func (l FilesState) MarshalJSON() ([]byte, error) { return marshalList(l) }

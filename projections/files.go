package projections

import (
	"cmp"
	"encoding/json"
	"iter"
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

// key is a file's own: no two files of a state have one path.
func (f *FileState) key() string { return f.Path }

// FilesState holds up to 2,000 files and shows the 1,000 that were used last. When it is full the
// older ones go. States of a fold share the files that did not change.
type FilesState struct{ files keyed[string, *FileState] }

// Files lists the files that the agent read, wrote and edited.
var Files = Declare("files", 2, Lane, "files read, written and edited, newest first",
	On(func(s FilesState, e events.FileRead, at At) FilesState { return s.used(e.Path, "read", "", at) }),
	On(func(s FilesState, e events.FileWritten, at At) FilesState { return s.used(e.Path, e.Op, "", at) }),
	On(FilesState.moved),
)

// All yields the files, newest use first, at most 1,000.
func (s FilesState) All() iter.Seq[FileState] {
	return func(yield func(FileState) bool) {
		for _, f := range s.newest() {
			if !yield(*f) {
				return
			}
		}
	}
}

// Len is how many files All gives, at most.
func (s FilesState) Len() int { return min(s.files.Len(), maxFiles) }

func (s FilesState) newest() []*FileState {
	all := slices.AppendSeq(make([]*FileState, 0, s.files.Len()), s.files.All())
	slices.SortFunc(all, func(a, b *FileState) int { return cmp.Compare(b.LastSeq, a.LastSeq) })
	return all[:min(len(all), maxFiles)]
}

// there says whether a held file is one of the 1,000 that are shown.
func (s FilesState) there(f *FileState) bool {
	if s.files.Len() <= maxFiles {
		return true
	}
	newer := 0
	for o := range s.files.All() {
		if o.LastSeq > f.LastSeq {
			newer++
		}
	}
	return newer < maxFiles
}

func (s FilesState) used(path, op, lane string, at At) FilesState {
	f := &FileState{Path: path, Op: op, Count: 1, LastSeq: at.Seq, Lane: lane}
	was, place, held := s.files.of(path)
	if held && s.there(was) {
		f.Count, f.Was = was.Count+1, was.Was
		if op == "read" {
			f.Op = was.Op
		}
	}
	if held {
		return FilesState{s.files.set(place, f)}
	}
	if s.files.Len() == 2*maxFiles {
		s = filesOf(s.newest())
	}
	return FilesState{s.files.with(f)}
}

// filesOf makes a state of files with different paths.
func filesOf(all []*FileState) (s FilesState) {
	for _, f := range all {
		s.files = s.files.with(f)
	}
	return s
}

// moved gives files their new paths: one file, or all below a directory. What stood
// at a new path is gone.
func (s FilesState) moved(e events.FileMoved, _ At) FilesState {
	if e.From == e.To {
		return s
	}
	all, taken := s.newest(), map[string]bool{}
	for _, f := range all {
		if to, moves := renamed(f.Path, e); moves {
			taken[to] = true
		}
	}
	if len(taken) == 0 {
		return s
	}
	var left []*FileState
	for _, f := range all {
		switch to, moves := renamed(f.Path, e); {
		case moves:
			there := *f
			there.Was, there.Path = f.Path, to
			left = append(left, &there)
		case !taken[f.Path]:
			left = append(left, f)
		}
	}
	return filesOf(left)
}

// renamed gives the path of a file after a move of it, or of a directory above it.
func renamed(path string, e events.FileMoved) (to string, moves bool) {
	rest, within := strings.CutPrefix(path, e.From)
	if !within || rest != "" && rest[0] != '/' {
		return path, false
	}
	return e.To + rest, true
}

// MarshalJSON gives the list that All yields.
func (s FilesState) MarshalJSON() ([]byte, error) { return json.Marshal(s.newest()) }

// Equal says whether two states hold equal files; comparisons in tests use it.
func (s FilesState) Equal(t FilesState) bool {
	return slices.Equal(slices.Collect(s.All()), slices.Collect(t.All()))
}

// SubagentFiles lists the files that the session's subagents wrote and edited, for
// the main thread: what it handed on is its work. A subagent has none.
var SubagentFiles = Declare("subagent-files", 1, Lane, "files that subagents wrote and edited, newest first",
	OnIn(Session, func(s FilesState, e events.FileWritten, at At) FilesState {
		if at.Target.Lane != "" || at.Lane == "" {
			return s
		}
		return s.used(e.Path, e.Op, at.Lane, at)
	}),
	OnIn(Session, FilesState.moved),
)

// PlacesState is where things were in the files in work when the owner looked last. Seq is 0 when nobody looked.
type PlacesState struct {
	events.PlacesObserved

	Seq uint64 `json:"seq,omitempty"`
	// Stale are the files that were written since.
	Stale []string `json:"stale,omitempty"`
}

// Places tells where things were in the files in work when the owner of the log looked at them last, at a compaction. What
// was written since is not where it was.
var Places = Declare("places", 1, Lane, "where things were in the files in work at the newest compaction",
	On(func(_ PlacesState, e events.PlacesObserved, at At) PlacesState {
		return PlacesState{PlacesObserved: e, Seq: at.Seq}
	}),
	OnIn(Session, func(s PlacesState, e events.FileWritten, _ At) PlacesState {
		if s.Seq > 0 {
			s.Stale = append(s.Stale[:len(s.Stale):len(s.Stale)], e.Path)
		}
		return s
	}),
)

// GitState is the checkout as it was observed last. Seq is 0 when nobody looked.
type GitState struct {
	events.GitObserved

	Seq uint64 `json:"seq,omitempty"`
}

// Git tells how the checkout stood when the owner of the log looked at it last, at a compaction.
var Git = Declare("git", 1, Lane, "how the checkout stood at the newest compaction",
	On(func(_ GitState, e events.GitObserved, at At) GitState { return GitState{e, at.Seq} }),
)

// NoteFile is a file of plan, notes or knowledge that is there, whatever it holds.
type NoteFile struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Entries int    `json:"entries"`
	Open    int    `json:"open,omitempty"` // boxes to tick
	// Unverified and Mean are of the learnings in it.
	Unverified int     `json:"unverified,omitempty"`
	Mean       float64 `json:"mean_confirmations,omitempty"`
	Seq        uint64  `json:"seq"` // last change
}

// maxNoteFiles bounds how many files are known, those that changed last.
const maxNoteFiles = 200

// NoteFiles lists the files of plan, notes and knowledge that are there, the one that changed last at the end. A file
// without sections is one as well (S1.10).
var NoteFiles = Declare("note-files", 1, Project, "the files of plan, notes and knowledge that are there",
	On(func(l []NoteFile, e events.FileObserved, at At) []NoteFile {
		switch e.Kind {
		case events.FlowFile, events.PlanFile, events.StockFile, events.OtherFile:
		default:
			return l
		}
		l = slices.DeleteFunc(slices.Clone(l), func(f NoteFile) bool { return f.Path == e.Path })
		if e.Gone {
			return l
		}
		f := NoteFile{Path: e.Path, Kind: e.Kind, Entries: len(e.Entries), Open: max(0, e.Open), Seq: at.Seq}
		if e.Kind == events.StockFile {
			c := confidence(e.Entries)
			f.Unverified, f.Mean = c.Unverified, c.Mean
		}
		return last(append(l, f), maxNoteFiles)
	}),
)

// confidence sums up the learnings of a file.
func confidence(entries []events.Entry) Confidence {
	var s StockState
	for _, e := range entries {
		s.Learnings = append(s.Learnings, learningOf(e))
	}
	return s.Confidence()
}

package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"journal/events"
)

// maxFiles bounds the files that a state shows; it holds twice as many. Real sessions use some hundreds.
const maxFiles = 1000

// FileState is one file that the agent used.
type FileState struct {
	Path       string `json:"path"`
	Op         string `json:"op"`                   // newest write or edit; read if it was only read
	Count      int    `json:"count"`                // number of writes and edits; number of reads if it was only read
	LastSeq    uint64 `json:"last_seq"`             // newest event that Count counts
	WrittenSeq uint64 `json:"-"`                    // newest event that wrote or edited it, 0 for none
	Lines      string `json:"lines,omitempty"`      // the ranges of the newest reads since WrittenSeq, as "10-20, 5-9"; empty if unknown
	ReadSeq    uint64 `json:"-"`                    // newest read of a range since WrittenSeq, 0 for none
	MovedFrom  string `json:"moved_from,omitempty"` // path before the last move
	Lane       string `json:"lane,omitempty"`       // in SubagentFiles: the subagent that last wrote it
}

// key returns the path in the form in which paths are compared.
func (f *FileState) key() string { return Slashed(f.Path) }

// Slashed returns a path in the form in which paths are compared. The tools of one agent spell Windows paths differently:
// C:\x, c:/x and, in the shell of Git, /c/x.
func Slashed(path string) string {
	switch {
	case len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/'):
		return strings.ToLower(path[:1]) + strings.ReplaceAll(path[1:], `\`, "/")
	case len(path) > 1 && path[0] == '/' && 'a' <= path[1] && path[1] <= 'z' && (len(path) == 2 || path[2] == '/'):
		return path[1:2] + ":" + path[2:]
	}
	return path
}

// FilesState holds up to 2,000 files, and shows the 1,000 that were used last. When it is full, it drops the files that it does
// not show. Successive states share unchanged files.
type FilesState struct{ files keyed[string, *FileState] }

// Files lists the files that the agent read, wrote and edited.
var Files = Declare("files", 7, Lane, "files read, written and edited, newest first",
	On(func(s FilesState, e events.FileRead, at At) FilesState {
		f := FileState{Path: e.Path, Op: "read"}
		if e.From > 0 {
			f.Lines = fmt.Sprint(e.From, "-", e.To)
		}
		return s.used(f, at)
	}),
	On(func(s FilesState, e events.FileWritten, at At) FilesState {
		return s.used(FileState{Path: e.Path, Op: e.Op}, at)
	}),
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

// Len returns the number of files that All yields.
func (s FilesState) Len() int { return min(s.files.Len(), maxFiles) }

// newest returns the files that All yields.
func (s FilesState) newest() []*FileState {
	all := slices.AppendSeq(make([]*FileState, 0, s.files.Len()), s.files.All())
	slices.SortFunc(all, func(a, b *FileState) int { return cmp.Compare(b.LastSeq, a.LastSeq) })
	return all[:min(len(all), maxFiles)]
}

// shows reports whether one of the held files is among those that All yields.
func (s FilesState) shows(f *FileState) bool {
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

// used returns the state after a use of a file. Reading a written file changes only its ranges. A file that was not shown counts as new.
func (s FilesState) used(use FileState, at At) FilesState {
	f, writes := &use, use.Op != "read"
	f.Count, f.LastSeq = 1, at.Seq
	if writes {
		f.WrittenSeq = at.Seq
	} else if f.Lines != "" {
		f.ReadSeq = at.Seq
	}
	old, i, held := s.files.find(f.key())
	if held && s.shows(old) {
		written := old.WrittenSeq > 0
		if written && !writes {
			if f.Lines == "" {
				return s
			}
			read := *old
			read.Lines, read.ReadSeq = withRange(old.Lines, f.Lines), at.Seq
			return FilesState{s.files.set(i, &read)}
		}
		f.MovedFrom = old.MovedFrom
		if writes == written { // Count counts either reads or writes
			f.Count += old.Count
		}
		if !writes {
			f.Lines, f.ReadSeq = withRange(old.Lines, f.Lines), max(old.ReadSeq, f.ReadSeq)
		}
	}
	if held {
		return FilesState{s.files.set(i, f)}
	}
	if s.files.Len() == 2*maxFiles {
		s = filesOf(s.newest())
	}
	return FilesState{s.files.with(f)}
}

// maxRanges bounds the ranges of a file.
const maxRanges = 3

// withRange returns the ranges of a file with a range in front of them, at most maxRanges.
func withRange(ranges, newest string) string {
	if newest == "" {
		return ranges
	}
	all := []string{newest}
	for _, r := range strings.Split(ranges, ", ") {
		if r != "" && r != newest && len(all) < maxRanges {
			all = append(all, r)
		}
	}
	return strings.Join(all, ", ")
}

// filesOf returns a state of files with unique paths.
func filesOf(all []*FileState) (s FilesState) {
	for _, f := range all {
		s.files = s.files.with(f)
	}
	return s
}

// moved updates the paths after a move of a file or a directory. It drops files that the move replaced.
func (s FilesState) moved(e events.FileMoved, _ At) FilesState {
	if e.From == e.To {
		return s
	}
	all, targets := s.newest(), map[string]bool{}
	for _, f := range all {
		if target, moves := renamed(f.Path, e); moves {
			targets[target] = true
		}
	}
	if len(targets) == 0 {
		return s
	}
	var left []*FileState
	for _, f := range all {
		switch target, moves := renamed(f.Path, e); {
		case moves:
			moved := *f
			moved.MovedFrom, moved.Path = f.Path, target
			left = append(left, &moved)
		case !targets[f.Path]:
			left = append(left, f)
		}
	}
	return filesOf(left)
}

// renamed returns a file's path after a move. moves reports whether the move was of the file, or of a directory above it.
func renamed(path string, e events.FileMoved) (to string, moves bool) {
	rest, within := strings.CutPrefix(path, e.From)
	if !within || rest != "" && rest[0] != '/' {
		return path, false
	}
	return e.To + rest, true
}

// MarshalJSON encodes the list that All yields.
func (s FilesState) MarshalJSON() ([]byte, error) { return json.Marshal(s.newest()) }

// Equal reports whether two states show equal files; tests compare with it.
func (s FilesState) Equal(t FilesState) bool {
	return slices.Equal(slices.Collect(s.All()), slices.Collect(t.All()))
}

// SubagentFiles lists the files that the session's subagents wrote and edited. Only the main lane has the list: the subagents did
// its work.
var SubagentFiles = Declare("subagent-files", 3, Lane, "files that subagents wrote and edited, newest first",
	OnIn(Session, func(s FilesState, e events.FileWritten, at At) FilesState {
		if at.Target.Lane != "" || at.Lane == "" {
			return s
		}
		return s.used(FileState{Path: e.Path, Op: e.Op, Lane: at.Lane}, at)
	}),
	OnIn(Session, FilesState.moved),
)

// PlacesState holds the lines of changes and definitions in the files being edited, as the owner last read them. Seq is
// 0 before the first.
type PlacesState struct {
	events.PlacesObserved

	Seq uint64 `json:"seq,omitempty"` // the event with the lines
	// Stale lists the files that were written after Seq: their lines may have moved.
	Stale []string `json:"stale,omitempty"`
}

// Places records the lines of changes and definitions in the files being edited, as the owner of the log read them at the
// newest compaction.
var Places = Declare("places", 1, Lane, "the lines of changes and definitions in the files being edited at the newest compaction",
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

// UsesState holds the other uses of a changed symbol, as the owner last found them. Seq is 0 before the first.
type UsesState struct {
	events.UsesObserved

	Seq uint64 `json:"seq,omitempty"`
}

// Uses records where else a changed symbol was used, as the owner of the log found it at the newest compaction. It leaves out
// uses in files that were written since: their lines may have moved.
var Uses = Declare("uses", 1, Lane, "where else a changed symbol was used at the newest compaction",
	On(func(_ UsesState, e events.UsesObserved, at At) UsesState { return UsesState{e, at.Seq} }),
	OnIn(Session, func(s UsesState, e events.FileWritten, _ At) UsesState {
		s.Lines = slices.DeleteFunc(slices.Clone(s.Lines), func(l events.UseLine) bool {
			return strings.HasSuffix(Slashed(e.Path), "/"+l.Path)
		})
		return s
	}),
)

// GitState is the state of the checkout as last observed. Seq is 0 before the first observation.
type GitState struct {
	events.GitObserved

	Seq uint64 `json:"seq,omitempty"`
}

// Git records the state of the checkout as the owner of the log read it at the newest compaction.
var Git = Declare("git", 1, Lane, "the state of the checkout at the newest compaction",
	On(func(_ GitState, e events.GitObserved, at At) GitState { return GitState{e, at.Seq} }),
)

// NoteFile is an existing file with a plan, notes or knowledge.
type NoteFile struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`           // as in events.FileObserved
	Entries int    `json:"entries"`        // number of entries
	Open    int    `json:"open,omitempty"` // number of unticked boxes
	// Unverified and Mean are those of the Confidence of the learnings in the file.
	Unverified int     `json:"unverified,omitempty"`
	Mean       float64 `json:"mean_confirmations,omitempty"`
	Seq        uint64  `json:"seq"` // last change
}

// maxNoteFiles bounds the files; it keeps those that changed last.
const maxNoteFiles = 200

// NoteFiles lists the existing files of plan, notes and knowledge, the last changed one at the end. Files without
// entries count too (S1.10).
var NoteFiles = Declare("note-files", 1, Project, "the existing files of plan, notes and knowledge",
	On(func(l []NoteFile, e events.FileObserved, at At) []NoteFile {
		if !slices.Contains([]string{events.FlowFile, events.PlanFile, events.StockFile, events.OtherFile}, e.Kind) {
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
		return lastOf(append(l, f), maxNoteFiles)
	}),
)

// confidence returns the Confidence of the learnings of a file.
func confidence(entries []events.Entry) Confidence {
	var s StockState
	for _, e := range entries {
		s.Learnings = append(s.Learnings, learningOf(e))
	}
	return s.Confidence()
}

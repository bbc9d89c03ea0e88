package projections

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/events/shell"
	"journal/events/text"
)

// Bounds of a state: its edits, and the error of one in UTF-16 units.
const (
	maxEdits     = 60
	maxEditError = 200
)

// EditState is an edit of a passage in a file that no later edit took back, the writing of a whole file, or a failed call that would have
// written a file.
type EditState struct {
	Seq  uint64 `json:"seq"`
	Path string `json:"path"`
	events.Passage

	Whole  bool   `json:"whole,omitempty"`  // the whole file was written
	Stash  int    `json:"-"`                // the stash of git that has the edit: 1 is the newest, 0 for none or one that was applied since
	Use    string `json:"-"`                // id of the call
	Said   string `json:"said,omitempty"`   // the agent's words directly before the call
	Undoes uint64 `json:"undoes,omitempty"` // the event of the edit that this one took back, 0 for none
	Error  string `json:"error,omitempty"`  // why the edit failed, empty if it did not; nothing was written to the file since
}

// EditsState lists edits, oldest first, at most 60.
type EditsState []EditState

// Edits lists the newest edits of the agent that stand, and those that failed.
var Edits = Declare("edits", 6, Lane, "the newest edits of files that were not taken back, oldest first",
	On(func(s EditsState, e events.ToolUsed, at At) EditsState {
		if !e.Writes || !e.Failed || e.Aborted || len(e.Paths) == 0 {
			return s
		}
		failed := EditState{Seq: at.Seq, Path: e.Paths[0], Error: cmp.Or(text.CutLine(e.Error, maxEditError), "failed")}
		return grown(s.withoutFailed(e.Paths[0]), failed, maxEdits)
	}),
	On(func(s EditsState, e events.FileWritten, at At) EditsState {
		if e.Op == "write" { // the whole file: nothing shows which edits of it are left
			return grown(s.without([]string{e.Path}), EditState{Seq: at.Seq, Path: e.Path, Whole: true, Use: e.Use}, maxEdits)
		}
		s = s.withoutFailed(e.Path)
		for _, p := range e.Passages {
			s = s.with(EditState{Seq: at.Seq, Path: e.Path, Passage: p, Use: e.Use})
		}
		return s
	}),
	On(func(s EditsState, e events.CommandRan, _ At) EditsState {
		if e.Failed || e.Mark != "" || !strings.Contains(e.Command, "git ") {
			return s
		}
		for _, words := range shell.Commands(e.Command) {
			switch {
			case len(words) < 2 || words[0] != "git":
			case words[1] == "stash":
				s = s.stashed(words[2:], e.Cwd)
			default:
				s = s.without(discarded(words[1], words[2:], e.Cwd))
			}
		}
		return s
	}),
	On(func(s EditsState, e events.MomentRecorded, _ At) EditsState {
		if len(e.Announced) == 0 {
			return s
		}
		s = slices.Clone(s)
		for i := range s {
			for _, a := range e.Announced {
				if a.Use == s[i].Use && a.Use != "" {
					s[i].Said = a.Text
				}
			}
		}
		return s
	}),
	On(func(s EditsState, e events.FileMoved, _ At) EditsState {
		s = slices.Clone(s)
		for i := range s {
			s[i].Path, _ = renamed(s[i].Path, e)
		}
		return s
	}),
)

// with returns the edits after one more. An edit that it takes back is dropped.
func (s EditsState) with(edit EditState) EditsState {
	undone := s.undoneBy(edit)
	if undone < 0 {
		return grown(s, edit, maxEdits)
	}
	edit.Undoes = s[undone].Seq
	return append(slices.Delete(slices.Clone(s), undone, undone+1), edit)
}

// undoneBy returns the index of the newest edit that another takes back, -1 for none.
func (s EditsState) undoneBy(edit EditState) int {
	for i, earlier := range slices.Backward(s) {
		if Slashed(earlier.Path) == Slashed(edit.Path) && edit.Passage.Undoes(earlier.Passage) {
			return i
		}
	}
	return -1
}

// withoutFailed returns the edits without failed ones of a file.
func (s EditsState) withoutFailed(file string) EditsState {
	failed := func(edit EditState) bool { return edit.Error != "" && Slashed(edit.Path) == Slashed(file) }
	if !slices.ContainsFunc(s, failed) {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), failed)
}

// without returns the edits outside of some files and directories.
func (s EditsState) without(paths []string) EditsState {
	if len(paths) == 0 {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), func(edit EditState) bool {
		return slices.ContainsFunc(paths, edit.isWithin)
	})
}

// isWithin reports whether the edited file is a file or lies below a directory.
func (e EditState) isWithin(file string) bool {
	rest, within := strings.CutPrefix(Slashed(e.Path), strings.TrimSuffix(Slashed(file), "/"))
	return within && (rest == "" || rest[0] == '/')
}

// stashed returns the edits after `git stash` with some arguments, in a directory. An edit is gone once the stash that has it is
// dropped. A stash of single files (behind "--") leaves the other edits where they are: which of them it has is unknown.
func (s EditsState) stashed(args []string, dir string) EditsState {
	action := "push"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		action = args[0]
	}
	meant := 1 // the stash that pop, apply and drop are about, as in EditState.Stash
	for _, arg := range args[min(1, len(args)):] {
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(arg, "stash@{"), "}")); err == nil && n >= 0 {
			meant = n + 1
		}
	}
	var left EditsState
	for _, e := range s {
		switch inside := e.isWithin(dir); {
		case !inside:
		case action == "push" || action == "save":
			if e.Stash > 0 || !slices.Contains(args, "--") {
				e.Stash++
			}
		case action == "clear" && e.Stash > 0, action == "drop" && e.Stash == meant:
			continue
		case (action == "pop" || action == "apply") && e.Stash == meant:
			e.Stash = 0
		case (action == "pop" || action == "drop") && e.Stash > meant:
			e.Stash--
		}
		left = append(left, e)
	}
	return left
}

// discarded returns the files and directories whose changes a command of git discarded. A relative path counts from the directory of the
// command.
func discarded(action string, args []string, cwd string) (paths []string) {
	switch {
	case action == "reset" && slices.Contains(args, "--hard"):
		return []string{cwd}
	case action == "restore" && !slices.Contains(args, "--staged"), action == "checkout":
		for _, target := range args {
			if isOption := strings.HasPrefix(target, "-"); isOption {
				continue
			}
			target = Slashed(target)
			if isAbsolute := path.IsAbs(target) || strings.HasPrefix(target[min(1, len(target)):], ":"); !isAbsolute {
				target = path.Join(Slashed(cwd), target)
			}
			paths = append(paths, target)
		}
	}
	return paths
}

// MarshalJSON encodes the edits as a list.
func (s EditsState) MarshalJSON() ([]byte, error) { return marshalList(s) }

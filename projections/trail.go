package projections

import (
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// TrailState describes where the agent works: its directory, its files, and names of program symbols in texts.
type TrailState struct {
	Root string `json:"root,omitempty"` // directory of the project
	Cwd  string `json:"cwd,omitempty"`  // directory of the last command, else of the start
	// Files lists the files that the agent read, searched or wrote, the newest last.
	Files []TrailFile `json:"files,omitempty"`
	// Queries lists the agent's commands and its searches in files, the newest last.
	Queries []string `json:"queries,omitempty"`
	// Item is the todo in progress that is listed last.
	Item string `json:"item,omitempty"`
	// Words are the person's newest two prompts, oldest first, and the agent's last text. While a turn runs, its last findings stand before
	// that text, and its reasoning behind it.
	Words [3]string `json:"-"`
	// Request is the event of the newest prompt that began a turn and is more than a reply such as "yes", 0 for none.
	Request uint64 `json:"-"`
	// Failed lists the names in the output of the newest failed command. It is empty after a test, build or linter that
	// passed.
	Failed []string `json:"failed,omitempty"`
	// Summary lists the names in the summary of the newest announced compaction. It is empty until the client reports the summary.
	Summary []string `json:"summary,omitempty"`

	Todos TodosState `json:"-"` // the lane's todos, of which Item is one
}

// TrailFile is a file that the agent read, searched or wrote.
type TrailFile struct {
	Path    string `json:"path"`
	Written bool   `json:"written,omitempty"`
	// Passages lists the newest changed passages that no later change took back, the newest last.
	Passages []events.Passage `json:"-"`
	// From and To are the first and last line of the newest read, 0 for the whole file.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`

	UsedSeq    uint64 `json:"-"` // newest event that read, searched or wrote it
	WrittenSeq uint64 `json:"-"` // newest event that wrote it, 0 for none
}

// changed records a changed passage. If it takes an earlier one back, neither is left.
func (f *TrailFile) changed(p events.Passage) {
	for i, earlier := range slices.Backward(f.Passages) {
		if p.Undoes(earlier) {
			f.Passages = slices.Delete(slices.Clone(f.Passages), i, i+1)
			return
		}
	}
	f.Passages = grown(f.Passages, p, trailPassages)
}

// Bounds of a TrailState.
const (
	trailFiles    = 40   // files
	trailPassages = 4    // passages of one file
	trailQueries  = 30   // queries
	trailNames    = 40   // names in Failed
	trailWords    = 8000 // UTF-16 units of a text
	trailFindings = 3    // findings of the running turn
)

// Trail records where the agent works. From it the owner of the log derives the places that it observes at a compaction.
var Trail = Declare("trail", 4, Lane, "where the agent works, on which files, and what it searched for",
	OnIn(Project, func(s TrailState, e events.ProjectSeen, _ At) TrailState {
		s.Root = e.Root
		return s
	}),
	On(func(s TrailState, e events.SessionStarted, _ At) TrailState {
		setNonEmpty(&s.Root, e.Root)
		setNonEmpty(&s.Cwd, e.Cwd)
		return s
	}),
	On(func(s TrailState, e events.CommandRan, _ At) TrailState {
		if e.Person {
			return s
		}
		setNonEmpty(&s.Cwd, e.Cwd)
		switch failed := e.Failed || e.Mark != ""; {
		case failed:
			s.Failed = text.Identifiers(e.Outcome+"\n"+text.EndUnits(e.Error+"\n"+e.Output, trailWords), trailNames)
		case e.Outcome != "":
			s.Failed = nil
		}
		return s.searched(e.Command)
	}),
	On(func(s TrailState, e events.ToolUsed, at At) TrailState {
		if e.Query != "" && !e.Failed && len(e.Paths) == 1 && path.Ext(e.Paths[0]) != "" { // a search in one file
			s = s.used(e.Paths[0], at, func(*TrailFile) {})
		}
		return s.searched(e.Query)
	}),
	On(func(s TrailState, e events.FileRead, at At) TrailState {
		return s.used(e.Path, at, func(f *TrailFile) { f.From, f.To = e.From, e.To })
	}),
	On(func(s TrailState, e events.FileWritten, at At) TrailState {
		return s.used(e.Path, at, func(f *TrailFile) {
			f.Written, f.WrittenSeq = true, at.Seq
			for _, p := range e.Passages {
				f.changed(p)
			}
		})
	}),
	On(func(s TrailState, e events.PromptSubmitted, at At) TrailState {
		if e.Machine {
			return s
		}
		s.Words[0], s.Words[1] = s.Words[1], text.CutUnits(e.Text, trailWords)
		if prompt := (PromptState{Text: e.Text}); !e.DuringTurn && !prompt.Reply() {
			s.Request = at.Seq
		}
		return s
	}),
	On(func(s TrailState, e events.TodosWritten, at At) TrailState { return s.listed(s.Todos.written(e, at)) }),
	OnIn(Session, func(s TrailState, e events.TaskChanged, at At) TrailState { return s.listed(s.Todos.shared(e, at)) }),
	On(func(s TrailState, e events.TurnEnded, _ At) TrailState { return s.said(e.Text) }),
	On(func(s TrailState, e events.MomentRecorded, _ At) TrailState {
		words := append(slices.Clone(lastOf(e.Findings, trailFindings)), e.Said, e.Thought)
		return s.said(strings.TrimSpace(strings.Join(words, "\n\n")))
	}),
	On(func(s TrailState, _ events.CompactionIntended, _ At) TrailState {
		s.Summary = nil
		return s
	}),
	OnIn(Session, func(s TrailState, e events.SummaryDrafted, _ At) TrailState { // the summariser has a lane of its own
		s.Summary = e.Names
		return s
	}),
)

// listed records the todos, and the last one in progress.
func (s TrailState) listed(todos TodosState) TrailState {
	s.Todos, s.Item = todos, ""
	for _, t := range todos {
		if t.Status == "in_progress" {
			s.Item = t.Text
		}
	}
	return s
}

// said records the agent's last text.
func (s TrailState) said(words string) TrailState {
	if words != "" {
		s.Words[2] = text.EndUnits(words, trailWords)
	}
	return s
}

// searched records a command or a search.
func (s TrailState) searched(query string) TrailState {
	const longest = 500 // bytes; a longer command is a script
	if query != "" && len(query) <= longest {
		s.Queries = grown(s.Queries, query, trailQueries)
	}
	return s
}

// used applies change to a file, and moves it to the end.
func (s TrailState) used(file string, at At, change func(*TrailFile)) TrailState {
	same := func(f TrailFile) bool { return f.Path == file }
	f, _ := firstMatch(s.Files, same)
	f.Path, f.UsedSeq = file, at.Seq
	change(&f)
	s.Files = grown(slices.DeleteFunc(slices.Clone(s.Files), same), f, trailFiles)
	return s
}

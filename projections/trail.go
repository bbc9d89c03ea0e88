package projections

import (
	"slices"

	"journal/events"
	"journal/events/text"
)

// TrailState holds the agent's directory, its files, and the names that it meets there.
type TrailState struct {
	Root string `json:"root,omitempty"` // of the project
	Cwd  string `json:"cwd,omitempty"`  // where it last ran a command, or began
	// Files lists the files that it read or wrote, the newest last.
	Files []TrailFile `json:"files,omitempty"`
	// Queries lists its searches in files, the newest last.
	Queries []string `json:"queries,omitempty"`
	// Item is the todo in progress.
	Item string `json:"item,omitempty"`
	// Words are the person's newest two prompts, and the agent's last words.
	Words [3]string `json:"-"`
	// Failed lists the names in the output of the newest failed command; none after a test, build or linter that went
	// well.
	Failed []string `json:"failed,omitempty"`
	// Summary lists the names in the summary of the running compaction.
	Summary []string `json:"summary,omitempty"`

	Todos TodosState `json:"-"`
}

// TrailFile is a file that the agent read or wrote.
type TrailFile struct {
	Path    string `json:"path"`
	Written bool   `json:"written,omitempty"`
	// At lists the newest changed places, the newest last.
	At []events.Passage `json:"-"`
	// From and To are the lines read last, 0 for the whole file.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

const (
	trailFiles    = 40
	trailPassages = 4
	trailQueries  = 30
	trailNames    = 40
	trailWords    = 8000 // UTF-16 units of words
)

// Trail records the agent's directory and files. From it the owner of the log derives the places to look at when the
// context is compacted.
var Trail = Declare("trail", 2, Lane, "where the agent works, on which files, and what it searched for",
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
			s.Failed = text.Names(e.Outcome+"\n"+text.EndUnits(e.Error+"\n"+e.Output, trailWords), trailNames)
		case e.Outcome != "":
			s.Failed = nil
		}
		return s.searched(e.Command)
	}),
	On(func(s TrailState, e events.ToolUsed, _ At) TrailState { return s.searched(e.Query) }),
	On(func(s TrailState, e events.FileRead, _ At) TrailState {
		return s.used(e.Path, func(f *TrailFile) { f.From, f.To = e.From, e.To })
	}),
	On(func(s TrailState, e events.FileWritten, _ At) TrailState {
		return s.used(e.Path, func(f *TrailFile) {
			f.Written = true
			f.At = last(append(slices.Clip(f.At), e.At...), trailPassages)
		})
	}),
	On(func(s TrailState, e events.PromptSubmitted, _ At) TrailState {
		if !e.Machine {
			s.Words[0], s.Words[1] = s.Words[1], text.CutUnits(e.Text, trailWords)
		}
		return s
	}),
	On(func(s TrailState, e events.TodosWritten, at At) TrailState { return s.listed(s.Todos.written(e, at)) }),
	OnIn(Session, func(s TrailState, e events.TaskChanged, at At) TrailState { return s.listed(s.Todos.shared(e, at)) }),
	On(func(s TrailState, e events.TurnEnded, _ At) TrailState { return s.note(e.Text) }),
	On(func(s TrailState, e events.MomentRecorded, _ At) TrailState { return s.note(e.Said) }),
	On(func(s TrailState, _ events.CompactionIntended, _ At) TrailState {
		s.Summary = nil
		return s
	}),
	OnIn(Session, func(s TrailState, e events.SummaryDrafted, _ At) TrailState { // by the lane that summarises
		s.Summary = e.Names
		return s
	}),
)

// listed records the todos, and the newest one in progress.
func (s TrailState) listed(todos TodosState) TrailState {
	s.Todos, s.Item = todos, ""
	for _, t := range todos {
		if t.Status == "in_progress" {
			s.Item = t.Text
		}
	}
	return s
}

func (s TrailState) note(words string) TrailState {
	if words != "" {
		s.Words[2] = text.CutUnits(words, trailWords)
	}
	return s
}

func (s TrailState) searched(query string) TrailState {
	const long = 500 // a script, not a search
	if query != "" && len(query) <= long {
		s.Queries = last(append(slices.Clip(s.Queries), query), trailQueries)
	}
	return s
}

// used moves a file to the end and changes it.
func (s TrailState) used(path string, change func(*TrailFile)) TrailState {
	same := func(f TrailFile) bool { return f.Path == path }
	f, _ := first(s.Files, same)
	f.Path = path
	change(&f)
	s.Files = grown(slices.DeleteFunc(slices.Clone(s.Files), same), f, trailFiles)
	return s
}

// Package compilation has the fold of the compile workflow: directories are compiled from their CLAUDE.md (S2).
package compilation

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/projections"
)

// State is the newest run of the compile workflow in the project (S2). Any session may continue the run, also after a
// crash or /clear.
type State struct {
	Run      int      `json:"run,omitempty"`      // number of the run in the project, from 1; 0 for none
	Seq      uint64   `json:"seq,omitempty"`      // first event of the run
	Session  string   `json:"session,omitempty"`  // the session that started it
	Conflict string   `json:"conflict,omitempty"` // for existing files: skip, overwrite; empty if not planned
	All      bool     `json:"all,omitempty"`      // the person asked to compile every target again
	Ended    bool     `json:"ended,omitempty"`    // the person ended it
	Targets  []Target `json:"targets,omitempty"`
	Lanes    []Lane   `json:"lanes,omitempty"` // compiling subagents, oldest first
	Root     string   `json:"-"`               // root of the project, to resolve absolute paths
}

// Target is one directory of a run.
type Target struct {
	Path     string   `json:"path"`
	Reasons  []string `json:"reasons"`        // as in events.CompileTarget
	Mode     string   `json:"mode,omitempty"` // create, update; empty if not planned
	Language string   `json:"language,omitempty"`
	Spec     string   `json:"spec,omitempty"` // digest of the target's CLAUDE.md when it was planned
	Bare     bool     `json:"bare,omitempty"` // the target has no IMPLEMENTS.md
	// Status is one of the constants from NeedsLanguage to Warning.
	Status  string `json:"status"`
	Phase   string `json:"phase,omitempty"`   // one of events.CompilePhases; empty before the start
	Try     int    `json:"try,omitempty"`     // number of the attempt in the phase green
	Session string `json:"session,omitempty"` // of the newest start, as Lane
	Lane    string `json:"lane,omitempty"`    // the compiling subagent, empty for a main lane

	// Files of all results of the run, relative to the project's root, each once.
	Generated   []string            `json:"generated,omitempty"`
	Skipped     []string            `json:"skipped,omitempty"`
	Overwritten []string            `json:"overwritten,omitempty"`
	Symbols     []string            `json:"symbols,omitempty"` // modified or exported symbols; empty for unknown
	Tests       events.CompileTests `json:"tests"`             // of the newest result
	Outcome     string              `json:"outcome,omitempty"` // status of the newest result, in the compiler's words

	Verdict string  `json:"verdict,omitempty"` // of the newest validation
	Rounds  int     `json:"rounds,omitempty"`  // number of rounds of heals or answers
	Issues  []Issue `json:"issues,omitempty"`  // of the newest validation
	Diff    *Diff   `json:"diff,omitempty"`    // of the newest comparison, nil for none

	// Sequences of the newest event of each kind, 0 for none.
	Started   uint64            `json:"started,omitempty"`
	Stopped   uint64            `json:"stopped,omitempty"` // the compiler ended without a result
	Finished  uint64            `json:"finished,omitempty"`
	Validated uint64            `json:"validated,omitempty"`
	Acted     uint64            `json:"acted,omitempty"` // the newest event that began a round of heals or answers
	Seq       uint64            `json:"seq"`             // last change
	At        projections.Stamp `json:"at"`              // time of the last change
}

// Diff describes how the interface of a target changed (S2.8).
type Diff struct {
	Breaking bool                   `json:"breaking"`
	Changes  []events.CompileChange `json:"changes,omitempty"`
	Affected []string               `json:"affected,omitempty"`
	Seq      uint64                 `json:"seq"`
}

// Projection tracks which directories are compiled from their CLAUDE.md, and their progress, from commands, subagents
// and result files (S2.11).
var Projection = projections.Declare("compile", 4, projections.Project, "the run of the compile workflow: its targets, phases, issues and questions",
	projections.On(State.planned),
	projections.On(State.started),
	projections.On(func(s State, e events.CompileFinished, at projections.At) State { return s.result(e.Target, e, at) }),
	projections.On(State.validated),
	projections.On(State.compared),
	projections.On(State.answered),
	projections.On(State.answeredInDialog),
	projections.On(func(s State, _ events.CompileEnded, _ projections.At) State {
		s.Ended = s.Run > 0
		return s
	}),
	projections.On(State.observed),
	projections.On(State.subagentBegan),
	projections.On(State.subagentTasked),
	projections.On(State.subagentDone),
	projections.On(State.sessionBegan),
	projections.On(State.sessionEnded),
	projections.On(State.sessionGone),
	projections.On(func(s State, e events.ProjectSeen, _ projections.At) State {
		s.Root = cmp.Or(e.Root, s.Root)
		return s
	}),
	projections.OpenedInProject[State]([]events.Type{
		events.TypeOf[events.CompilePlanned](), events.TypeOf[events.CompileStarted](), events.TypeOf[events.CompileFinished](), events.TypeOf[events.CompileValidated](),
		events.TypeOf[events.CompileCompared](), events.TypeOf[events.CompileAnswered](), events.TypeOf[events.SubagentTasked](), events.TypeOf[events.FileObserved](),
	}, projections.SessionBounds...),
)

// Open reports whether anything is left to do in the run.
func (s State) Open() bool {
	return !s.Ended && slices.ContainsFunc(s.Targets, func(t Target) bool { return !t.Done() })
}

// Target returns the target with a path, if the run has it.
func (s State) Target(path string) (Target, bool) {
	i := s.index(path)
	if i < 0 {
		return Target{}, false
	}
	return s.Targets[i], true
}

// index returns the index of the target with a path, -1 for none.
func (s State) index(path string) int {
	return slices.IndexFunc(s.Targets, func(t Target) bool { return t.Path == path })
}

// planned starts a run, or plans an open run again. A target that is under way keeps its state. A compiled target is compiled
// again only if its CLAUDE.md has changed, its source was removed, or the person asks for every target. In a run that was already
// planned for every target, asking for that again changes nothing.
func (s State) planned(e events.CompilePlanned, at projections.At) State {
	next := State{Run: s.Run, Seq: s.Seq, Session: s.Session, Conflict: e.Conflict, All: e.All, Lanes: s.Lanes, Root: s.Root}
	everything := e.All && !(s.Open() && s.All) // the person asks for every target now, and has not before in this run
	if !s.Open() {
		next.Run, next.Seq, next.Session = s.Run+1, at.Seq, at.Session
	}
	for _, p := range e.Targets {
		t := Target{Path: p.Path}
		old, _ := s.Target(p.Path)
		if keeps := !s.Ended && old.underWay(); keeps || old.compiledFrom(p) && !everything {
			t = old
		} else {
			t.Language = old.Language // the person may have chosen it
			t.Seq, t.At = at.Seq, projections.Stamp(at.At)
		}
		t.Reasons, t.Mode, t.Spec, t.Bare = p.Reasons, p.Mode, p.Spec, p.Bare
		if t.Started > 0 {
			t.Mode = old.Mode // the plan has "update" for a target that this run creates
		}
		t.Language = cmp.Or(p.Language, t.Language)
		t.settle()
		if next.index(t.Path) < 0 {
			next.Targets = append(next.Targets, t)
		}
	}
	if s.Open() {
		for _, t := range s.Targets {
			if t.Started > 0 && next.index(t.Path) < 0 {
				next.Targets = append(next.Targets, t)
			}
		}
	}
	return next
}

// underWay reports whether a target was started, and has no result yet or one after which compiling goes on.
func (t Target) underWay() bool {
	return t.Started > 0 && !t.Done() && t.Status != Compiled
}

// compiledFrom reports whether a target was compiled from the CLAUDE.md that p names, and its source exists.
func (t Target) compiledFrom(p events.CompileTarget) bool {
	return t.Finished > 0 && t.Spec == p.Spec && !slices.Contains(p.Reasons, "no_source")
}

func (s State) started(e events.CompileStarted, at projections.At) State {
	return s.with(e.Target, at, func(t *Target) {
		phase, try, running := t.Phase, t.Try, t.Status == Running
		t.Phase = e.Phase
		if e.Phase == "" {
			t.Phase = events.CompilePhases[0]
			if running {
				t.Phase = phase
			}
		}
		switch t.Phase {
		case "parse", "red":
			t.Try = 0
		case "green":
			t.Try = max(e.Try, 1)
			if running && phase == "green" {
				t.Try = max(t.Try, try)
			}
		case "done": // the compiler reports no result but this phase
			if t.Finished == 0 || t.Started > t.Finished {
				t.Finished = at.Seq
			}
			return
		}
		t.begin(at, at.Lane)
	})
}

// begin records that a lane compiles the target from here on.
func (t *Target) begin(at projections.At, lane string) {
	t.beginRound(at.Seq)
	t.Started, t.Stopped = at.Seq, 0
	t.Session, t.Lane = at.Session, lane
}

func (s State) compared(e events.CompileCompared, at projections.At) State {
	if t, known := s.Target(e.Target); known && t.Mode == "create" {
		return s // a created target has no earlier interface
	}
	return s.with(e.Target, at, func(t *Target) {
		t.Diff = &Diff{Breaking: e.Breaking, Changes: e.Changes, Affected: e.Affected, Seq: at.Seq}
	})
}

// with returns a copy of the run in which one target has changed. It adds a target that was not planned. An event after the end
// of a run starts a new run.
func (s State) with(path string, at projections.At, change func(*Target)) State {
	if s.Run == 0 || s.Ended {
		s = State{Run: s.Run + 1, Seq: at.Seq, Session: at.Session, Lanes: s.Lanes, Root: s.Root}
	}
	s.Targets = slices.Clone(s.Targets)
	i := s.index(path)
	if i < 0 {
		i = len(s.Targets)
		s.Targets = append(s.Targets, Target{Path: path, Reasons: []string{}})
	}
	t := &s.Targets[i]
	change(t)
	t.Seq, t.At = at.Seq, projections.Stamp(at.At)
	t.settle()
	return s
}

// Report counts the results of a run (S2.5). Each file counts once.
type Report struct {
	Run         int                 `json:"run"`
	Targets     int                 `json:"targets"`
	Compiled    int                 `json:"compiled"`  // targets with a result
	Created     int                 `json:"created"`   // of the compiled ones
	Updated     int                 `json:"updated"`   // of the compiled ones
	Generated   int                 `json:"generated"` // number of files, as Skipped and Overwritten
	Skipped     int                 `json:"skipped"`
	Overwritten int                 `json:"overwritten"`
	Tests       events.CompileTests `json:"tests"`
	Rounds      int                 `json:"rounds"`  // maximum over the targets
	Outcome     string              `json:"outcome"` // success, warning; empty for a run that is open or was ended
	By          map[string]int      `json:"by"`      // number of targets by status
}

// Report counts the results of the run.
func (s State) Report() Report {
	r := Report{Run: s.Run, Targets: len(s.Targets), By: map[string]int{}}
	generated, skipped, overwritten := set{}, set{}, set{}
	for _, t := range s.Targets {
		r.By[t.Status]++
		if t.Finished > 0 {
			r.Compiled++
			switch t.Mode {
			case "create":
				r.Created++
			case "update":
				r.Updated++
			}
		}
		generated.add(t.Generated)
		skipped.add(t.Skipped)
		overwritten.add(t.Overwritten)
		r.Tests.Total += t.Tests.Total
		r.Tests.Passed += t.Tests.Passed
		r.Tests.Failed += t.Tests.Failed
		r.Rounds = max(r.Rounds, t.Rounds)
	}
	r.Generated, r.Skipped, r.Overwritten = len(generated), len(skipped), len(overwritten)
	if r.Targets > 0 && !s.Open() && !s.Ended {
		r.Outcome = "success"
		if r.By[Warning] > 0 {
			r.Outcome = "warning"
		}
	}
	return r
}

type set map[string]bool

func (s set) add(all []string) {
	for _, v := range all {
		s[v] = true
	}
}

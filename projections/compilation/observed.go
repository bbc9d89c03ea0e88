package compilation

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"journal/events"
	"journal/projections"
)

// Lane is a compiling subagent (S2.4). Hooks report its start and its end, and its task when the tool call that runs it
// ends: at once for a background call, after the subagent's end for others.
type Lane struct {
	Lane    string `json:"lane"`
	Session string `json:"session"`
	Target  string `json:"target,omitempty"`  // empty until known
	Untyped bool   `json:"untyped,omitempty"` // its task is known and its type is not: it is perhaps no compiler
	Started uint64 `json:"started,omitempty"`
	Ended   uint64 `json:"ended,omitempty"`
}

// maxLanes bounds the lanes; the oldest are dropped.
const maxLanes = 200

// isCompiler reports whether a type of subagents, with or without the prefix of a plugin, compiles.
func isCompiler(agentType string) bool {
	return strings.HasPrefix(agentType[strings.LastIndexByte(agentType, ':')+1:], "compil")
}

func (s State) subagentBegan(e events.SubagentStarted, at projections.At) State {
	i := s.laneIndex(at.Lane, at.Session)
	switch compiler := isCompiler(e.AgentType); {
	case at.Lane == "" || i < 0 && !compiler:
		return s
	case i >= 0 && s.Lanes[i].Untyped && !compiler:
		s.Lanes = slices.Delete(slices.Clone(s.Lanes), i, i+1)
		return s
	}
	s = s.withLane(at.Lane, at, func(l *Lane) { l.Started, l.Ended, l.Untyped = at.Seq, 0, false })
	if target := s.Lanes[s.laneIndex(at.Lane, at.Session)].Target; target != "" { // the task came first, or the subagent continues
		return s.compiledBy(at.Lane, target, "", at)
	}
	return s
}

// subagentTasked records the target of a lane. Tasks of other subagents, such as a validator, name the same CLAUDE.md. So a
// task counts only if it names a result file, or if its subagent is a compiler. The type may be known before or after the
// task.
func (s State) subagentTasked(e events.SubagentTasked, at projections.At) State {
	target := s.targetIn(e.Text)
	if e.Lane == "" || target == "" {
		return s
	}
	i := s.laneIndex(e.Lane, at.Session)
	if i >= 0 && s.Lanes[i].Target != "" {
		return s // the result of the lane came first
	}
	compiles := i >= 0 || strings.Contains(e.Text, "-compile-") || strings.Contains(e.Text, "/compile-")
	s = s.withLane(e.Lane, at, func(l *Lane) { l.Target, l.Untyped = target, !compiles })
	if !compiles {
		return s
	}
	phase := events.CompilePhases[0]
	for _, requested := range []string{"red", "green"} { // a task can be for one of these phases alone
		if strings.Contains(e.Text, "phase: "+requested) {
			phase = requested
		}
	}
	return s.compiledBy(e.Lane, target, phase, at)
}

// compiledBy records that a lane compiles a target, and has done so since the lane began. phase is empty if it is unknown. A running
// target keeps its phase, unless phase is a later one than the first.
func (s State) compiledBy(lane, target, phase string, at projections.At) State {
	first := events.CompilePhases[0]
	phase = cmp.Or(phase, first)
	began, ended := at.Seq, uint64(0)
	if l := s.Lanes[s.laneIndex(lane, at.Session)]; l.Started > 0 {
		began, ended = l.Started, l.Ended
	}
	return s.with(target, at, func(t *Target) {
		if t.Status != Running || t.Phase == "" || phase != first {
			t.Phase, t.Try = phase, 0
		}
		t.begin(at, lane)
		t.Started = max(began, t.Finished+1) // after the last result: the target runs again
		if ended > t.Started {
			t.Stopped = ended
		}
	})
}

func (s State) subagentDone(_ events.SubagentEnded, at projections.At) State {
	i := s.laneIndex(at.Lane, at.Session)
	if i < 0 {
		return s
	}
	target := s.Lanes[i].Target
	s = s.withLane(at.Lane, at, func(l *Lane) { l.Ended = at.Seq })
	return s.stop(at, func(t Target) bool { return t.Path == target && t.Lane == at.Lane })
}

// sessionEnded records that the session's subagents have ended with the session.
func (s State) sessionEnded(_ events.SessionEnded, at projections.At) State {
	return s.stop(at, func(t Target) bool { return at.Lane == "" && t.Session == at.Session && t.Lane != "" })
}

// sessionGone records that the session's subagents have ended with the session's process.
func (s State) sessionGone(_ events.SessionGone, at projections.At) State {
	return s.stop(at, func(t Target) bool { return t.Session == at.Session && t.Lane != "" })
}

// sessionBegan records that the subagents of an earlier process of the session have ended.
func (s State) sessionBegan(e events.SessionStarted, at projections.At) State {
	if at.Lane != "" || e.Source != "startup" && e.Source != "resume" {
		return s
	}
	return s.stop(at, func(t Target) bool { return t.Session == at.Session && t.Lane != "" })
}

// stop records that the compilers of the selected running targets have ended.
func (s State) stop(at projections.At, selected func(Target) bool) State {
	for _, t := range s.Targets {
		if t.Status == Running && selected(t) && !s.Ended {
			s = s.with(t.Path, at, func(t *Target) { t.Stopped = at.Seq })
		}
	}
	return s
}

// observed applies a compiler's own result file (docs/FILES.md §S2).
func (s State) observed(e events.FileObserved, at projections.At) State {
	if e.Kind != events.CompileFile || e.Gone || e.Gap != "" && len(e.Labels) == 0 {
		return s
	}
	result := events.CompileResult(e.Labels)
	target := s.targetOf(e)
	if target == "" || result.Status == "" || !s.ofThisRun(e, target, at) {
		return s
	}
	if !e.Written {
		at.Lane = "" // the observing lane need not be the compiler
	} else if at.Lane != "" {
		s = s.withLane(at.Lane, at, func(l *Lane) { l.Target, l.Untyped = target, false })
		// A subagent that began after the last result compiles again, even if its result is the same.
		if t, known := s.Target(target); known && t.Finished >= t.Started && s.Lanes[s.laneIndex(at.Lane, at.Session)].Started > t.Finished {
			s = s.compiledBy(at.Lane, target, "", at)
		}
	}
	return s.result(target, result, at)
}

// ofThisRun reports whether a result belongs to this run, and not to an earlier one: a tool has just written the file, its name has
// the observer's session, a session of the run or the number of the run, or the target has had no result since its last start.
func (s State) ofThisRun(e events.FileObserved, target string, at projections.At) bool {
	if e.Written {
		return true
	}
	name := path.Base(e.Path)
	if strings.HasPrefix(name, "compile-") { // then the directory has the name of the session
		name = path.Base(path.Dir(e.Path)) + "-" + name
	}
	known := func(session string) bool {
		return session != "" && (strings.HasPrefix(name, session+"-compile-") ||
			len(session) >= projections.ShortID && strings.HasPrefix(name, session[:projections.ShortID]+"-compile-"))
	}
	return known(at.Session) || strings.HasPrefix(name, s.resultPrefix()) || slices.ContainsFunc(s.Targets, func(t Target) bool {
		return known(t.Session) || t.Path == target && t.Started > t.Finished
	})
}

// targetOf returns the target of a result, empty if unknown: the path in the file, because file names do not distinguish
// src/a-b and src/a/b. Without a path it is the only target of the run that the file's name fits.
func (s State) targetOf(e events.FileObserved) string {
	if dir := s.relative(e.Label("target_dir")); dir != "" {
		return dir
	}
	if spec := e.Label("claude_md_path"); spec != "" {
		return s.relative(path.Dir(s.slashed(spec)))
	}
	var found []string
	for _, t := range s.Targets {
		if strings.HasSuffix(path.Base(e.Path), "compile-"+flat(t.Path)+".json") {
			found = append(found, t.Path)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// flat returns a target in the form in which names of result files contain it.
func flat(target string) string {
	return strings.ReplaceAll(strings.ReplaceAll(target, "/", "-"), ".", "root")
}

// relative returns a path relative to the project's root, empty for a path outside of it.
func (s State) relative(p string) string {
	if p == "" {
		return ""
	}
	if p = path.Clean(s.slashed(p)); path.IsAbs(p) || hasDrive(p) {
		root := s.slashed(s.Root)
		if p == root {
			return "."
		}
		rest, inside := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
		if !inside || root == "" {
			return ""
		}
		p = rest
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}

// slashed returns a path, or a text with paths, with slashes in place of the backslashes of Windows if the project's root is a path of
// Windows.
func (s State) slashed(p string) string {
	if !hasDrive(projections.Slashed(s.Root)) {
		return p
	}
	return projections.Slashed(strings.ReplaceAll(p, `\`, "/"))
}

// hasDrive reports whether a path that projections.Slashed returned is an absolute one of Windows.
func hasDrive(p string) bool { return len(p) > 2 && p[1:3] == ":/" }

// targetIn returns the target of a task, empty for none: the directory of the first CLAUDE.md in its text, or the root if the
// text names the root's result file. It splits only texts with a CLAUDE.md: splitting every task of the project took a third
// of the time of the first answer in a log of a year.
func (s State) targetIn(text string) string {
	text = s.slashed(text)
	if strings.Contains(text, "/CLAUDE.md") {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;()<>[]{}=", r) }) {
			dir, after, ok := strings.Cut(strings.TrimLeft(word, ":*-"), "/CLAUDE.md")
			if ok && endsName(after) {
				if dir = s.relative(dir); dir != "" {
					return dir
				}
			}
		}
	}
	if strings.Contains(text, "compile-root.json") {
		return "."
	}
	return ""
}

// endsName reports whether the rest of a word does not continue the name of a file: it is empty or punctuation, or a Korean or Japanese
// particle, which follows a name without a blank.
func endsName(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return strings.Trim(rest, ".:!?*") == "" || next >= utf8.RuneSelf
}

// laneIndex returns the index of a lane, -1 for an unknown one.
func (s State) laneIndex(lane, session string) int {
	return slices.IndexFunc(s.Lanes, func(l Lane) bool { return l.Lane == lane && l.Session == session })
}

// withLane returns the run with a copy of its lanes in which one has changed. It adds a new lane.
func (s State) withLane(lane string, at projections.At, change func(*Lane)) State {
	s.Lanes = slices.Clone(s.Lanes)
	i := s.laneIndex(lane, at.Session)
	if i < 0 {
		if len(s.Lanes) == maxLanes {
			s.Lanes = slices.Delete(s.Lanes, 0, 1)
		}
		i = len(s.Lanes)
		s.Lanes = append(s.Lanes, Lane{Lane: lane, Session: at.Session})
	}
	change(&s.Lanes[i])
	return s
}

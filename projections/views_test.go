package projections_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/projections/compilation"
	"journal/projections/workers"
)

// foldOf folds events of the target, a second apart; the first has sequence 1.
func foldOf(t *testing.T, p projections.Projection, log ...events.Event) *projections.Fold {
	t.Helper()
	f := projections.NewFold(target, projections.Config{}, p)
	for i, e := range log {
		apply(t, f, eventstest.Wrap(t, e, events.Meta{Project: target.Project, Session: target.Session, Seq: uint64(i + 1), At: int64(i+1) * 1e9}))
	}
	return f
}

// TestEntriesOfNotes: an entry that is no longer in any file is lost; an entry is printed as it was in its file, and
// stays the same if edited after its first line.
func TestEntriesOfNotes(t *testing.T) {
	t.Parallel()
	file := func(entries ...events.Entry) events.Event {
		return events.FileObserved{Path: "flow.md", Kind: events.FlowFile, Entries: entries, Digest: fmt.Sprint(len(entries))}
	}
	first, second := events.Entry{Heading: "one", Text: "text of it"}, events.Entry{Heading: "two", Text: "another\nand more"}
	s := projections.Flow.In(foldOf(t, projections.Flow, file(first, second), file(second), events.NoteRecorded{Heading: "three", Text: "noted"}, events.NoteRecorded{Text: "bare"}))
	if lost := s.Dropped(); len(lost) != 1 || lost[0].Heading != "one" || lost[0].DroppedSeq != 2 {
		t.Errorf("lost %+v", lost)
	}
	var printed []string
	for _, e := range s.Entries {
		printed = append(printed, e.Markdown())
	}
	slices.Sort(printed)
	want := []string{"##\n\nbare\n", "## one\ntext of it\n", "## three\n\nnoted\n", "## two\nanother\nand more\n"}
	if !slices.Equal(printed, want) {
		t.Errorf("printed %q, want %q", printed, want)
	}
	i := slices.IndexFunc(s.Entries, func(e projections.FlowEntry) bool { return e.Heading == "two" })
	for _, c := range []struct {
		heading, text string
		is            bool
	}{
		{"two", "another\nand more", true}, {"two", "another\nand less", true}, {"two", "something else", false}, {"one", "another\nand more", false},
	} {
		if s.Entries[i].SameAs(events.Entry{Heading: c.heading, Text: c.text}) != c.is {
			t.Errorf("%+v is the second one: %v", c, !c.is)
		}
	}
}

// TestNotesAreBounded: of too many entries those in no file go first, oldest first, then the oldest.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 2000
	entries := func(from, to int) (all []events.Entry) {
		for i := from; i < to; i++ {
			all = append(all, events.Entry{Heading: fmt.Sprintf("2026-01-01 %05d", i)})
		}
		return all
	}
	file := func(path string, all []events.Entry) events.Event {
		return events.FileObserved{Path: path, Kind: events.FlowFile, Entries: all, Digest: path + fmt.Sprint(len(all))}
	}
	held := func(log ...events.Event) (gone, there int) {
		s := projections.Flow.In(foldOf(t, projections.Flow, log...))
		gone = len(s.Dropped())
		return gone, len(s.Entries) - gone
	}
	for _, c := range []struct {
		log         []events.Event
		gone, there int
	}{
		{[]events.Event{file("a", entries(0, most))}, 0, most},
		{[]events.Event{file("a", entries(0, most)), file("b", entries(0, 5))}, 0, most},
		{[]events.Event{file("a", entries(0, 10)), file("a", entries(0, 7)), file("b", entries(0, most-10))}, 3, most - 3},
		{[]events.Event{file("a", entries(0, 10)), file("a", entries(0, 7)), file("b", entries(0, most-8))}, 1, most - 1},
		{[]events.Event{file("a", entries(0, 10)), file("a", entries(0, 7)), file("b", entries(0, most-7))}, 0, most},
		{[]events.Event{file("a", entries(0, 10)), file("a", entries(3, 10)), file("b", entries(0, most-8))}, 1, most - 1},
	} {
		if gone, there := held(c.log...); gone != c.gone || there != c.there {
			t.Errorf("%d observations: %d that are gone and %d, want %d and %d", len(c.log), gone, there, c.gone, c.there)
		}
	}
}

// TestTakeovers: takeovers by others are told at one start, once; takeovers here are known as of a sequence there.
func TestTakeovers(t *testing.T) {
	t.Parallel()
	s := projections.Handovers.In(foldOf(t, projections.Handovers,
		events.HandoverTaken{Member: "m", Device: "d", Session: "x", AsOf: 7},
		events.HandoverNoticed{Member: "n", Device: "d", Session: "s", By: "y"},
		events.NoticeGiven{Kind: "pressure", AsOf: 9},
		events.NoticeGiven{Kind: "start", AsOf: 1},
		events.HandoverNoticed{Member: "n", Device: "e", Session: "s", By: "z"},
		events.NoticeGiven{Kind: "start", AsOf: 4},
	))
	if untold := s.Unshown(); len(s.TakenOver) != 2 || len(untold) != 1 || untold[0].Device != "e" {
		t.Errorf("untold: %+v of %+v", untold, s.TakenOver)
	}
	for _, c := range []struct {
		member, device, session string
		asOf                    uint64
		took                    bool
	}{
		{"m", "d", "x", 7, true}, {"m", "d", "x", 0, true}, {"m", "d", "x", 8, false}, {"n", "d", "x", 7, false}, {"m", "e", "x", 7, false}, {"m", "d", "y", 7, false},
	} {
		if got := s.Took(c.member, c.device, c.session, c.asOf); got != c.took {
			t.Errorf("%+v: %v", c, got)
		}
	}
	var log []events.Event
	for i := range 60 {
		log = append(log, events.HandoverTaken{Member: "m", Device: "d", Session: fmt.Sprint(i)})
	}
	if s := projections.Handovers.In(foldOf(t, projections.Handovers, log...)); len(s.Taken) != 50 || s.Taken[0].From != "10" || s.Taken[49].From != "59" {
		t.Errorf("%d are held, from %s", len(s.Taken), s.Taken[0].From)
	}
}

// TestOpenLosses: losses that nobody has acknowledged are open.
func TestOpenLosses(t *testing.T) {
	t.Parallel()
	s := projections.Losses.In(foldOf(t, projections.Losses,
		events.LogGap{Reason: "a"}, events.PromptSubmitted{}, events.LogGap{Reason: "b"}, events.LogGap{Reason: "c", Count: 5, From: 1, Until: 2},
		events.LogAcknowledged{Losses: []events.SeqRange{{First: 2, Last: 3}}},
	))
	var open []string
	for l := range s.All() {
		if l.AcknowledgedBy == 0 {
			open = append(open, l.Reason)
		}
	}
	if !slices.Equal(open, []string{"a", "c"}) {
		t.Errorf("open: %v", open)
	}
}

// TestGhosts: a session that was only resumed, and in which nothing happened, is a ghost.
func TestGhosts(t *testing.T) {
	t.Parallel()
	start, resumed := events.SessionStarted{Source: "startup"}, events.SessionStarted{Source: "resume"}
	for name, c := range map[string]struct {
		log   []events.Event
		ghost bool
	}{
		"resumed":           {[]events.Event{resumed}, true},
		"resumed and ended": {[]events.Event{resumed, events.SessionEnded{}}, true},
		"resumed twice":     {[]events.Event{resumed, resumed}, false},
		"begun":             {[]events.Event{start}, false},
		"begun and resumed": {[]events.Event{start, resumed}, false},
		"with a prompt":     {[]events.Event{resumed, events.PromptSubmitted{Text: "x"}}, false},
		"with a machine's":  {[]events.Event{resumed, events.PromptSubmitted{Text: "x", Machine: true}}, true},
		"with a turn":       {[]events.Event{resumed, events.TurnEnded{}}, false},
		"nothing is known":  {nil, false},
	} {
		if got := projections.SessionInfo.In(foldOf(t, projections.SessionInfo, c.log...)).Ghost(); got != c.ghost {
			t.Errorf("%s: a ghost: %v", name, got)
		}
	}
}

// TestSkillsLeft: a skill can be taken over when its session has ended, after a day without a change, and at once if it
// belongs to no session; it is stale after more than three days.
func TestSkillsLeft(t *testing.T) {
	t.Parallel()
	const hour = projections.Stamp(time.Hour)
	now := 1000 * hour
	for name, c := range map[string]struct {
		session string
		age     projections.Stamp
		ended   bool
		left    bool
		stale   bool
	}{
		"the asker's own":          {"asks", 30 * hour, true, false, false},
		"at work":                  {"a", 24*hour - 1, false, false, false},
		"for a day":                {"a", 24 * hour, false, true, false},
		"it ended":                 {"a", 0, true, true, false},
		"nobody's, just now":       {events.None, 0, false, true, false},
		"nobody's":                 {events.None, hour / 2, false, true, false},
		"for three days":           {"a", 72 * hour, false, true, false},
		"for more than three days": {"a", 72*hour + 1, false, true, true},
	} {
		is := projections.SkillState{Session: c.session, Ended: c.ended, At: now - c.age}
		older := projections.SkillState{Session: "b", Ended: true, At: now - 500*hour}
		got := projections.SkillsState{is}.Continuable("asks", now)
		if ok := len(got) > 0; ok != c.left || ok && got[0].Session != c.session || is.Stale(now) != c.stale {
			t.Errorf("%s: left %v, stale %v", name, got, is.Stale(now))
		}
		// Of several, the last changed one.
		if got := (projections.SkillsState{is, older}).Continuable("asks", now); len(got) == 0 || c.left != (got[0].Session == c.session) {
			t.Errorf("%s, and an older one: %+v", name, got)
		}
		if got, ok := (projections.SkillsState{older, is}).Of(c.session); !ok || got.Session != c.session {
			t.Errorf("%s: of the session: %+v", name, got)
		}
	}
	if _, ok := (projections.SkillsState{{Session: "a"}}).Of("b"); ok {
		t.Error("a session without a skill has one")
	}
}

// TestContinuedWithAll: another session continues with everything known of a skill.
func TestContinuedWithAll(t *testing.T) {
	t.Parallel()
	log := []events.Event{
		events.PhaseEntered{Skill: "plan", Phase: "1", Name: "read", Output: "o", Input: "i", Next: "n"},
		events.PhaseCompleted{Phase: "1", Name: "read", Summary: "what was read"},
		events.PhaseEntered{Skill: "plan", Phase: "2", Name: "design", Output: "o2", Input: "i2", Next: "n2"},
	}
	was := projections.Phase.In(foldOf(t, projections.Phase, log...))
	e := was.ContinuedFrom("s")
	if e.From != "s" || e.Skill != "plan" || e.Phase != "2" || e.Name != "design" || e.Output != "o2" || e.Input != "i2" || e.Next != "n2" ||
		len(e.Completed) != 1 || e.Completed[0] != (events.PhaseDone{Phase: "1", Name: "read", Summary: "what was read"}) {
		t.Errorf("%+v of %+v", e, was)
	}
	is := projections.Phase.In(foldOf(t, projections.Phase, e))
	if is.Phase != was.Phase || is.Name != was.Name || is.Output != was.Output || is.Input != was.Input || is.Next != was.Next || len(is.Completed) != 1 {
		t.Errorf("gone on with: %+v, was %+v", is, was)
	}
}

// TestOpenTodos: todo items and tasks that are not completed are open.
func TestOpenTodos(t *testing.T) {
	t.Parallel()
	s := projections.Todos.In(foldOf(t, projections.Todos,
		events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "completed"}, {Text: "b", Status: "pending"}, {Text: "c", Status: "in_progress"}}},
		events.TaskChanged{Task: "1", Subject: "d", Status: "completed"}, events.TaskChanged{Task: "2", Subject: "e"},
	))
	var open []string
	for _, t := range s.Open() {
		open = append(open, t.Text)
	}
	if !slices.Equal(open, []string{"b", "c", "e"}) {
		t.Errorf("open: %v", open)
	}
}

// TestConfigurations: a model's window is that of the longest prefix of its id; a configuration's own windows come
// before others', and configurations are equal if nothing in them differs.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	windows := projections.Windows{"m": 100, "m-1": 200, "m-1-2": 400}
	for model, percent := range map[string]int{"m-1-2025": 10, "m-1": 20, "m-0": 40, "m": 40, "n": 0, "": 0} {
		f := projections.NewFold(target, projections.Config{Windows: windows}, projections.Pressure)
		apply(t, f, eventstest.Wrap(t, events.UsageSampled{Tokens: 40, Model: model}, events.Meta{Project: target.Project, Session: target.Session, Seq: 1}))
		if got := projections.Pressure.In(f).UsedPercent; got != percent {
			t.Errorf("%q: %d percent, want %d", model, got, percent)
		}
	}
	own := projections.Windows{"m": 1, "o": 2}
	if all := own.WithDefaults(windows); !maps.Equal(all, projections.Windows{"m": 1, "o": 2, "m-1": 200, "m-1-2": 400}) || windows["m"] != 100 || len(own) != 2 {
		t.Errorf("over others: %v", all)
	}
	if all := own.WithDefaults(nil); !maps.Equal(all, own) {
		t.Errorf("over none: %v", all)
	}
	if all := projections.Windows(nil).WithDefaults(nil); all == nil || len(all) != 0 {
		t.Errorf("none over none: %v", all)
	}
	c := projections.Config{Windows: own, Pressure: projections.Thresholds{Info: 5}}
	for _, d := range []struct {
		projections.Config
		equal bool
	}{
		{projections.Config{Windows: maps.Clone(own), Pressure: projections.Thresholds{Info: 5}}, true},
		{projections.Config{Windows: own, Pressure: projections.Thresholds{Info: 6}}, false},
		{projections.Config{Windows: windows, Pressure: projections.Thresholds{Info: 5}}, false},
	} {
		if c.Equal(d.Config) != d.equal {
			t.Errorf("%+v equals: %v", d.Config, !d.equal)
		}
	}
}

// TestStampsAndScopes: a stamp is read as written, and scopes have their names.
func TestStampsAndScopes(t *testing.T) {
	t.Parallel()
	for _, s := range []projections.Stamp{0, 1, 1772355600123456789, -62e15} {
		b, err := json.Marshal(s)
		var back projections.Stamp
		if err == nil {
			err = json.Unmarshal(b, &back)
		}
		if err != nil || back != s {
			t.Errorf("%d as %s is %d, %v", s, b, back, err)
		}
	}
	s := projections.Stamp(5)
	if err := json.Unmarshal([]byte(`"soon"`), &s); err == nil || s != 5 {
		t.Errorf("soon is %d, %v", s, err)
	}
	if got := fmt.Sprint(projections.Lane, projections.Session, projections.Project, projections.User); got != "lane session project user" {
		t.Errorf("scopes: %s", got)
	}
}

// TestBegin: a fold that begins again is at the empty log, and its origin is unchanged.
func TestBegin(t *testing.T) {
	t.Parallel()
	f := foldOf(t, projections.Prompts, events.PromptSubmitted{Text: "x"})
	again := f.Empty()
	mustEqual(t, "states", projections.NewFold(target, projections.Config{}, projections.Prompts).States(), again.States())
	if again.Seq() != 0 || again.Count() != 0 || again.Target() != f.Target() || f.Seq() != 1 || projections.Prompts.In(f).Len() != 1 {
		t.Errorf("at #%d after %d, came from #%d", again.Seq(), again.Count(), f.Seq())
	}
	apply(t, again, prompt(t, "y", 1))
	if projections.Prompts.In(again).Len() != 1 {
		t.Error("it does not go on")
	}
}

// TestWorkIsBounded: if the results are too long together, those of the longest unchanged tasks are dropped first, and
// never those of the newest; a task is found by its id, in its newest run.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	const most = 4 << 20
	fold := projections.NewFold(target, projections.Config{}, workers.Projection)
	seq := uint64(0)
	put := func(e events.Event) {
		seq++
		apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: target.Project, Session: target.Session, Seq: seq, At: int64(seq)}))
	}
	phase := 0 // of the attempt that worked
	finished := func(run, task string, size int) {
		put(events.WorkStarted{Run: run, Task: task})
		phase = (phase + 1) % 3
		put(events.WorkFinished{Run: run, Task: task, Success: true, Phase: phase, Result: strings.Repeat("x", size)})
	}
	kept := func() (all []string) {
		for _, t := range workers.Projection.In(fold) {
			if !t.Dropped {
				all = append(all, fmt.Sprint(t.Run, t.TaskID, len(t.Result)+len(t.Recovery.Phase1.Result)+len(t.Recovery.Phase2.Result)))
			}
		}
		return all
	}
	const n = 256 << 10
	for i := range most / n {
		finished("r", fmt.Sprint(i), n)
	}
	if got := kept(); len(got) != most/n {
		t.Errorf("what has just room is dropped: %v", got)
	}
	finished("r", "one more", 1)
	if got := kept(); len(got) != most/n || got[0] != fmt.Sprint("r1", n) {
		t.Errorf("one byte more: %v", got)
	}
	finished("q", "1", n)
	if got, ok := workers.Projection.In(fold).Task("1"); !ok || got.Run != "q" || !got.Finished() {
		t.Errorf("of the newest run: %+v", got)
	}
	if _, ok := workers.Projection.In(fold).Task("none"); ok {
		t.Error("there is a task that is not")
	}
	put(events.WorkStarted{Run: "q", Task: "2"})
	if got, _ := workers.Projection.In(fold).Task("2"); got.Finished() {
		t.Error("what has begun is finished")
	}
	for i := range 1100 {
		finished("s", fmt.Sprint(i), 0)
	}
	all := workers.Projection.In(fold)
	if len(all) != 1000 || all[0].TaskID != "100" || all[999].TaskID != "1099" {
		t.Errorf("%d tasks are held, from %s", len(all), all[0].TaskID)
	}
}

// TestToldPhases: another program's report of a task is taken over, including each phase.
func TestToldPhases(t *testing.T) {
	t.Parallel()
	phases := []events.WorkPhase{
		{Attempted: true, Length: 7, Error: "too long", Result: `"half"`, Start: "2026-01-01T00:00:01Z", End: "2026-01-01T00:00:02Z"},
		{Attempted: true, Success: true, Length: 9, Result: `{"a":1}`, Start: "2026-01-01T00:00:03Z", End: "2026-01-01T00:00:04Z"},
	}
	for n := range 3 {
		work := workers.Projection.In(foldOf(t, workers.Projection, events.WorkReported{Task: "t", Phases: phases[:n], Started: "2026-01-01T00:00:00Z"}))
		got, ok := work.Task("t")
		one, two, at := got.Recovery.Phase1, got.Recovery.Phase2, got.Timestamps
		if !ok || one.Attempted != (n > 0) || two.Attempted != (n > 1) || two.Success != (n > 1) || one.Success ||
			n > 0 && (one.Result != `"half"` || one.Error != "too long" || at.Phase1Start == "" || at.Phase1End == "") ||
			n > 1 && (two.Result != `{"a":1}` || two.Error != "" || at.Phase2Start == "" || at.Phase2End == "") || n < 2 && at.Phase2Start != "" {
			t.Errorf("%d phases: %+v", n, got)
		}
	}
}

// TestCompileOutcome: a run has an outcome when nothing is left to do: success, unless a target ends with a warning.
// Each file counts once.
func TestCompileOutcome(t *testing.T) {
	t.Parallel()
	target := func(status string, files ...string) compilation.Target {
		return compilation.Target{Path: status, Status: status, Finished: 5, Generated: files, Skipped: files, Overwritten: files, Tests: events.CompileTests{Total: 3, Passed: 2, Failed: 1}, Rounds: len(files)}
	}
	good, warned, open := target(compilation.Success, "a", "b"), target(compilation.Warning, "b", "c", "d"), target(compilation.Compiled)
	for name, c := range map[string]struct {
		targets []compilation.Target
		ended   bool
		outcome string
	}{
		"nothing planned": {nil, false, ""},
		"good":            {[]compilation.Target{good}, false, "success"},
		"with a warning":  {[]compilation.Target{good, warned}, false, "warning"},
		"not yet":         {[]compilation.Target{good, open}, false, ""},
		"given up":        {[]compilation.Target{good}, true, ""},
	} {
		r := compilation.State{Run: 1, Targets: c.targets, Ended: c.ended}.Report()
		n := len(c.targets)
		if r.Outcome != c.outcome || r.Targets != n || r.Compiled != n || r.Tests != (events.CompileTests{Total: 3 * n, Passed: 2 * n, Failed: n}) {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "with a warning" && (r.Generated != 4 || r.Skipped != 4 || r.Overwritten != 4 || r.Rounds != 3 || r.By[compilation.Warning] != 1) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

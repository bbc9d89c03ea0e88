package owner_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/embedded/owner"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/wire/proc"
)

// in is the main lane of a session of a project.
func in(project, session string, at time.Duration) events.Meta {
	m := about(at)
	m.Project, m.Session = project, session
	return m
}

// A session is of the project that it began in, wherever its agent works since. What is
// observed there stays there (B.5).
func TestSessionKeepsItsProject(t *testing.T) {
	t.Parallel()
	for way, deliver := range map[string]func(*home, ...events.Envelope){
		"directly":       func(h *home, r ...events.Envelope) { h.handle(r...) },
		"by the spool":   func(h *home, r ...events.Envelope) { h.leave(0, r...); h.drain() },
		"to a new owner": func(h *home, r ...events.Envelope) { h.restart(); h.handle(r...) },
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			deliver(h, report(t, in("p", "s", 0), events.SessionStarted{Source: "startup"})...)
			moved := report(t, in("q", "s", time.Minute), events.PromptSubmitted{Text: "here too"},
				events.FileObserved{Path: "docs/plans/.cpm-progress.md", Kind: events.SkillFile, Digest: "d"})
			deliver(h, moved...)
			deliver(h, report(t, in("q", "other", time.Minute), events.PromptSubmitted{Text: "its own"})...)
			got := map[string]string{}
			for _, e := range h.log() {
				got[string(e.Type)+" "+e.Session] += e.Project
			}
			want := map[string]string{
				"session.started s": "p", "prompt.submitted s": "p", "prompt.submitted other": "q", "file.observed none": "q",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("projects (-want +got):\n%s", diff)
			}
			// The same report again is known, though it names another project.
			h.leave(0, moved...)
			h.drain()
			if n := len(h.log()); n != 4 {
				t.Errorf("%d events, want 4", n)
			}
		})
	}
}

// The path behind a project is that of its own directory.
func TestRootOfAMovedReport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(report(t, in("p", "s", 0), events.SessionStarted{Source: "startup"})...)
	r := request(t, report(t, in("q", "s", time.Minute), events.PromptSubmitted{Text: "x"})...)
	r.Root = "/home/a/q"
	if reply := h.o.Handle(t.Context(), r); reply.Error != "" {
		t.Fatal(reply.Error)
	}
	if seen := h.logOf(events.TypeOf[events.ProjectSeen]()); len(seen) != 0 {
		t.Errorf("project %s is seen", seen[0].Project)
	}
}

// What is said in a session of a paused project is not recorded, from wherever.
func TestPausedHome(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(report(t, in("p", "s", 0), events.SessionStarted{Source: "startup"})...)
	if _, err := client.Pause(h.dir, "p"); err != nil {
		t.Fatal(err)
	}
	late := in("q", "s", 0)
	late.At = time.Now().Add(time.Second).UnixNano()
	said := prompt(t, late, "a secret")
	if reply := h.o.Handle(t.Context(), request(t, said)); reply.Error == "" || !reply.Refused {
		t.Errorf("reply %+v", reply)
	}
	h.serve()
	if p := h.status().Problem; p != "" {
		t.Errorf("a pause is a problem: %s", p)
	}
	h.leave(0, prompt(t, in("q", "s", time.Hour), "said before the pause"))
	h.leave(0, said)
	h.drain()
	if got := texts(t, h.log()); !slices.Equal(got, []string{"said before the pause"}) {
		t.Errorf("recorded: %v", got)
	}
	if entries, aside := h.waiting(); entries+aside != 0 {
		t.Errorf("%d wait and %d are aside", entries, aside)
	}
}

// starts reports the start of a session and gives what it is told.
func (h *home) starts(m events.Meta, s events.SessionStarted) string {
	h.t.Helper()
	e := report(h.t, m, s)[0]
	return h.asks(e, &wire.AnswerRequest{Kind: wire.StartText, Event: e.ID, Last: e.ID, Lang: "en", Units: 9500, Vital: 1900}).Text
}

// What is open goes on over /clear, for the new session and for what it is told, until
// it has a list and a plan of its own (B.4).
func TestCarriedOverClear(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := in("p", "first", 0)
	first.PID = 42
	h.handle(report(t, first, events.SessionStarted{Source: "startup"},
		events.TodosWritten{Todos: []events.Todo{{Text: "lay the bricks", Status: "pending"}, {Text: "dig", Status: "completed"}}},
		events.PlanApproved{Text: "Walls first.\nThen the roof."}, events.PhaseEntered{Skill: "build", Phase: "2", Next: "order a roof"},
	)...)
	end, start := in("p", "first", time.Minute), in("p", "second", time.Minute+time.Second)
	end.PID, start.PID = 42, 42
	h.handle(report(t, end, events.SessionEnded{Reason: "clear"})...)
	told := h.starts(start, events.SessionStarted{Source: "clear"})
	for _, want := range []string{"lay the bricks", "> Then the roof.", "skill build, phase 2", "order a roof", "goes on"} {
		if !strings.Contains(told, want) {
			t.Errorf("no %q in what is told:\n%s", want, told)
		}
	}
	if strings.Contains(told, "dig") || strings.Contains(told, "discard") {
		t.Errorf("told:\n%s", told)
	}
	recovery := func(at time.Duration) string {
		e := report(t, in("p", "second", at), events.ContextRestarted{})[0]
		return h.asks(e, owed(e)).Text
	}
	if got := recovery(time.Hour); !strings.Contains(got, "lay the bricks") || !strings.Contains(got, "order a roof") {
		t.Errorf("after its own compaction:\n%s", got)
	}
	h.handle(report(t, in("p", "second", 2*time.Hour), events.PromptSubmitted{Text: "and paint it"}, events.TaskChanged{Task: "1", Subject: "paint", Status: "pending"})...)
	if got := recovery(3 * time.Hour); strings.Contains(got, "lay the bricks") || !strings.Contains(got, "paint") {
		t.Errorf("with tasks of its own:\n%s", got)
	}
	// Two hooks of one start carry once.
	h.handle(report(t, start, events.SessionStarted{Source: "clear"})...)
	for _, e := range []events.Type{events.TypeOf[events.SessionCarried](), events.TypeOf[events.SkillContinued]()} {
		if n := len(h.logOf(e)); n != 1 {
			t.Errorf("%d of %s", n, e)
		}
	}
}

// It goes on too where the owner was killed after it had stored the start, and before it had recorded what goes on.
func TestCarriedOverClearByTheNextOwner(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first, second := in("p", "first", 0), in("p", "second", time.Minute)
	first.PID, second.PID = 42, 42
	h.handle(report(t, first, events.SessionStarted{Source: "startup"}, events.TodosWritten{Todos: []events.Todo{{Text: "lay the bricks", Status: "pending"}}})...)
	h.handle(report(t, first, events.SessionEnded{Reason: "clear"})...)
	start := report(t, second, events.SessionStarted{Source: "clear"})
	h.close()
	beforehand(t, h.dir, func(js jetstream.JetStream) error {
		l, err := journal.OpenLog(t.Context(), js)
		if err == nil {
			_, _, err = l.Append(t.Context(), start[0])
		}
		return err
	})
	if err := os.Remove(filepath.Join(h.dir, "clean")); err != nil {
		t.Fatal(err)
	}
	h.open()
	for range 2 {
		h.leave(0, start...)
		h.drain()
	}
	if carried := h.logOf(events.TypeOf[events.SessionCarried]()); len(carried) != 1 || carried[0].Session != "second" {
		t.Errorf("carried: %+v", carried)
	}
}

// A request may tell of several sessions, as those of imports do: what follows from the beginning
// of a session follows from each.
func TestSessionsBeginInOneRequest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first, second := in("p", "first", 0), in("p", "second", time.Minute)
	first.PID, second.PID = 42, 42
	h.handle(slices.Concat(
		report(t, first, events.SessionStarted{Source: "startup"}, events.TodosWritten{Todos: []events.Todo{{Text: "lay the bricks", Status: "pending"}}}),
		report(t, first, events.SessionEnded{Reason: "clear"}),
		report(t, second, events.SessionStarted{Source: "clear"}),
		report(t, in("p", "third", time.Hour), events.SessionStarted{Source: "startup"}),
	)...)
	carried := h.logOf(events.TypeOf[events.SessionCarried]())
	if len(carried) != 1 || carried[0].Session != "second" {
		t.Errorf("carried: %+v", carried)
	}
}

// What an import tells of a session that the log does not know costs the owner no question for
// each of its events.
func TestHomeIsAskedForOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	nc, err := journal.Connect(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	asked := func() uint64 {
		account, err := js.AccountInfo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return account.API.Total
	}
	tell := func(session string, n int) uint64 {
		var all []events.Envelope
		for range n {
			all = append(all, report(t, in("p", session, 0), events.PromptSubmitted{Text: "again"})...)
		}
		before := asked()
		h.handle(all...)
		return asked() - before
	}
	tell("none", 1) // the project is recorded
	if one, many := tell("one", 1), tell("many", 200); many > one+20 {
		t.Errorf("one event costs %d questions, 200 cost %d", one, many)
	}
}

// What a start tells of: sessions that are over or silent, decisions of a week that
// hold; within its bounds, and nothing when a person wants none (C).
func TestStartText(t *testing.T) {
	t.Parallel()
	off := false
	h := homeIn(t, ownertest.Dir(t), owner.Config{Settings: func() owner.Settings {
		s := settings()
		s.NoStart = off
		return s
	}})
	const day = 24 * time.Hour
	told := func(session string, at time.Duration, source string) string {
		t.Helper()
		return h.starts(in("p", session, at), events.SessionStarted{Source: source})
	}
	h.handle(report(t, in("p", "one", 0), events.SessionStarted{Source: "startup"}, events.PromptSubmitted{Text: "build\nthe lighthouse"})...)
	h.handle(report(t, in("p", "one", time.Second), events.DecisionRecorded{Text: "bricks, not stone"})...)
	h.handle(report(t, in("p", "one", time.Second), events.DecisionRecorded{Text: "read out of prose", Weak: true})...)
	if got := told("two", time.Minute, "startup"); strings.Contains(got, "lighthouse") || !strings.Contains(got, "bricks") {
		t.Errorf("beside a session at work:\n%s", got)
	}
	got := told("three", 2*time.Hour, "startup")
	for _, want := range []string{"claude one", "was last at work 1 hour ago", "> build\n> the lighthouse (#", ": bricks, not stone (#", `search "a question"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q after a silence:\n%s", want, got)
		}
	}
	if strings.Contains(got, "prose") {
		t.Errorf("told:\n%s", got)
	}
	for _, source := range []string{"resume", "fork"} {
		if got := told(source, 2*time.Hour, source); got != "" {
			t.Errorf("at a %s:\n%s", source, got)
		}
	}
	if got := told("later", 9*day, "startup"); strings.Contains(got, "bricks") || !strings.Contains(got, "lighthouse") {
		t.Errorf("more than a week later:\n%s", got)
	}
	lane := in("p", "four", 9*day)
	lane.Lane = "helper"
	if got := h.starts(lane, events.SessionStarted{Source: "startup"}); got != "" {
		t.Errorf("a subagent is told:\n%s", got)
	}

	long := strings.Repeat("많은 말 ", 400)
	all := []events.Event{events.PromptSubmitted{Text: long}}
	var todos []events.Todo
	for range 30 {
		todos = append(todos, events.Todo{Text: numbered(len(todos)) + long, Status: "pending"})
		port := "port-" + numbered(len(todos))
		all = append(all, events.DecisionRecorded{Text: numbered(len(todos)) + long},
			events.PortDefined{Port: port, Title: long}, events.PortChanged{Port: port, Status: "running"})
	}
	h.handle(report(t, in("p", "long", 10*day), append(all, events.SessionStarted{Source: "startup"}, events.TodosWritten{Todos: todos})...)...)
	h.handle(report(t, in("p", "long", 10*day+time.Second), events.SessionEnded{Reason: "other"})...)
	got = told("after", 10*day+time.Minute, "startup")
	if n := text.Units(got); n > 1200 || n < 700 || !strings.Contains(got, `search "a question"`) || !strings.Contains(got, "ended just now") && !strings.Contains(got, "ended 0") {
		t.Errorf("%d units:\n%s", n, got)
	}
	off = true
	if got := told("quiet", 11*day, "startup"); got != "" {
		t.Errorf("switched off:\n%s", got)
	}
}

// A session whose process is gone is recorded as gone, with the evidence, when the next
// one of its project begins; one whose process is there, or is nobody's here, is not.
func TestSessionGone(t *testing.T) {
	t.Parallel()
	if proc.Of(os.Getpid()) == "" {
		t.Skip("the system does not tell processes apart")
	}
	agent := exec.Command("sleep", "600")
	if err := agent.Start(); err != nil {
		t.Skip(err)
	}
	was := proc.Of(agent.Process.Pid)
	_ = agent.Process.Kill()
	_ = agent.Wait()
	for way, between := range map[string]func(*home){"one owner": func(*home) {}, "a new owner": (*home).restart} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			begin := func(project, session string, pid int, process string) {
				m := in(project, session, 0)
				m.PID = pid
				h.handle(report(t, m, events.SessionStarted{Source: "startup", Process: process}, events.PhaseEntered{Skill: "of " + session, Phase: "1"})...)
			}
			begin("p", "crashed", agent.Process.Pid, was)
			begin("p", "alive", os.Getpid(), proc.Of(os.Getpid()))
			begin("p", "elsewhere", agent.Process.Pid, "0123/4567/pid:[1]/89")
			begin("p", "old", agent.Process.Pid, "")
			begin("q", "crashed-too", agent.Process.Pid, was)
			between(h)
			told := h.starts(in("p", "next", time.Minute), events.SessionStarted{Source: "startup"})
			if !strings.Contains(told, "earlier session crashed left a workflow unfinished") {
				t.Errorf("told:\n%s", told)
			}
			var gone []string
			for _, e := range h.log(events.Selector{Project: "p", Type: events.TypeOf[events.SessionGone]()}) {
				ev, err := events.Open(e)
				if err != nil {
					t.Fatal(err)
				}
				gone = append(gone, e.Session+" by "+ev.(events.SessionGone).Evidence)
			}
			if want := []string{"crashed by process"}; !slices.Equal(gone, want) {
				t.Errorf("gone: %v, want %v", gone, want)
			}
		})
	}
}

// BenchmarkStart is what a start costs in a project with twenty sessions before it.
func BenchmarkStart(b *testing.B) {
	h := newHome(b)
	for i := range 20 {
		session := numbered(i)
		for n := range 30 {
			h.handle(report(b, in("p", session, time.Duration(30*i+n)*time.Minute), events.PromptSubmitted{Text: "on"}, events.DecisionRecorded{Text: numbered(n)})...)
		}
		h.handle(report(b, in("p", session, time.Duration(i)*time.Hour), events.SessionStarted{Source: "startup"}, events.SessionEnded{})...)
	}
	n := 0
	for b.Loop() {
		n++
		e := report(b, in("p", "new"+numbered(n), 30*time.Hour), events.SessionStarted{Source: "startup"})[0]
		r := request(b, e)
		r.Answer = &wire.AnswerRequest{Kind: wire.StartText, Event: e.ID, Last: e.ID, Lang: "en", Units: 9500, Vital: 1900}
		if reply := h.o.Handle(context.Background(), r); reply.Text == "" {
			b.Fatalf("reply %+v", reply)
		}
	}
}

// A client that names another session when one is resumed: the text that the resumption
// lost is given at the first prompt, once (A.7).
func TestResumedUnderAnotherID(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	e := restarted(t, time.Minute)
	if got := h.asks(e, owed(e)).Text; got == "" {
		t.Fatal("nothing is given after the compaction")
	}
	says := func(at time.Duration) string {
		e := prompt(t, about(at), "go on "+at.String())
		return h.asks(e, &wire.AnswerRequest{Kind: wire.PressureNotice, Event: e.ID, Last: e.ID, Lang: "en", Units: 9500, Vital: 1900}).Text
	}
	if got := says(2 * time.Minute); got != "" {
		t.Errorf("before any end:\n%s", got)
	}
	h.handle(report(t, about(time.Hour), events.SessionEnded{Reason: "other"})...)
	h.handle(report(t, in("p", "ghost", 2*time.Hour), events.SessionStarted{Source: "resume"})...)
	if got := says(2*time.Hour + time.Second); !strings.Contains(got, "bricks, not stone") {
		t.Errorf("at the first prompt: %q", got)
	}
	if got := says(2*time.Hour + time.Minute); got != "" {
		t.Errorf("at the second prompt:\n%s", got)
	}
	// One that is resumed under its own id keeps its context.
	h.handle(report(t, about(3*time.Hour), events.SessionEnded{Reason: "other"})...)
	h.handle(report(t, about(4*time.Hour), events.SessionStarted{Source: "resume", Recent: true})...)
	if got := says(4*time.Hour + time.Second); got != "" {
		t.Errorf("after a resumption that was told:\n%s", got)
	}
}

// TestStartTellsOfFiles: at a start the files of notes and knowledge are told, what waits in
// each, and when it changed.
func TestStartTellsOfFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	entries := func(n int) (all []events.Entry) {
		for i := range n {
			all = append(all, events.Entry{Heading: "2026-01-01 entry " + numbered(i), Text: "what was found"})
		}
		return all
	}
	h.handle(report(t, in("p", "one", 0), events.SessionStarted{Source: "startup"},
		events.FileObserved{Path: "flow.md", Kind: events.FlowFile, Entries: entries(3), Digest: "a"},
		events.FileObserved{Path: "learnings.md", Kind: events.StockFile, Entries: entries(5), Digest: "b"})...)
	h.handle(report(t, in("p", "one", time.Hour), events.FileObserved{Path: "flow.md", Kind: events.FlowFile, Entries: entries(3)[1:], Digest: "c"})...)
	h.handle(report(t, in("p", "one", time.Hour), events.FileObserved{Path: "plan.md", Kind: events.PlanFile, Entries: entries(1), Digest: "d"})...)
	got := h.starts(in("p", "two", 2*time.Hour), events.SessionStarted{Source: "startup"})
	want := `
- flow.md (2 entries, 2 not promoted; last change 2001-09-09 02:46 UTC, #4)
- plan.md (1 entry; last change 2001-09-09 02:46 UTC, #5)
- learnings.md (5 entries, 5 unverified; last change 2001-09-09 01:46 UTC, #3)`
	if !strings.Contains(got, want) {
		t.Errorf("told:\n%s\nwant:%s", got, want)
	}
}

package catalogue_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/embedded/catalogue"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
	"journal/replay"
)

// stored is a log in memory, of events and of records that are none.
type stored struct {
	replay.Slice
	records []record.Record
	name    string
}

func (s stored) Stream() string { return s.name }

func (s stored) Stats(context.Context) (journal.Stats, error) {
	return journal.Stats{Last: uint64(len(s.records))}, nil
}

func (s stored) Messages(_ context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for _, r := range s.records[span.After:span.Until] {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// add appends an event.
func (s *stored) add(t rapid.TB, e events.Event, m events.Meta) {
	m.Seq = uint64(len(s.records) + 1)
	env := eventstest.Wrap(t, e, m)
	env.Seq = m.Seq
	r, err := journal.NewRecord(env)
	if err != nil {
		t.Fatal(err)
	}
	r.Seq = m.Seq
	s.records, s.Slice = append(s.records, r), append(s.Slice, env)
}

// first returns the beginning of a log.
func (s stored) first(n int) stored { return stored{s.Slice[:n], s.records[:n], s.name} }

// drawLog draws a log of several sessions.
func drawLog(t *rapid.T) (s stored) {
	s.name = "JOURNAL_1"
	for i := range rapid.IntRange(1, 60).Draw(t, "events") {
		pid := rapid.IntRange(1, 2).Draw(t, "pid")
		e := rapid.SampledFrom([]events.Event{
			events.SessionStarted{Source: "startup", Root: "/p", Model: "m"}, events.SessionStarted{Source: "clear"}, events.SessionStarted{Source: "fork"},
			events.SessionStarted{Source: "resume"}, events.SessionEnded{Reason: "clear"}, events.SessionEnded{Reason: "logout"},
			events.SessionLinked{Session: "b", How: "fork"}, events.SessionGone{PID: pid}, events.PromptSubmitted{Text: "build it"},
			events.PromptSubmitted{Text: "a task ended", Machine: true}, events.TurnEnded{}, events.CommandRan{Command: "make"},
			events.CompactionIntended{Trigger: "auto"}, events.ContextRestarted{}, events.CompactionCompleted{Summary: "s"},
			events.UsageSampled{Percent: 70, Window: 1000, Tokens: 700, Client: "2.1"}, events.NoteRecorded{Text: "n"}, events.CompoundFinished{},
			events.SubagentStarted{}, events.ProjectSeen{Root: "/p", Repository: "r"},
			events.TodosWritten{Todos: []events.Todo{{Text: "one", Status: "pending"}, {Text: "two", Status: "completed"}}}, events.TodosWritten{},
			events.TaskChanged{Task: "1", Subject: "three", Status: "pending"}, events.TaskChanged{Task: "1", Status: "completed"},
			events.SessionCarried{From: "b", Todos: []events.Todo{{Text: "four", Status: "pending"}}},
		}).Draw(t, "event")
		m := events.Meta{
			At: int64(rapid.IntRange(1, 5).Draw(t, "at")), Session: rapid.SampledFrom([]string{"a", "b", "c", events.None}).Draw(t, "session"),
			Project: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "project"), Agent: rapid.SampledFrom([]string{"claude", ""}).Draw(t, "agent"), PID: pid,
			Lane: rapid.SampledFrom([]string{"", "", "l"}).Draw(t, "lane"),
		}
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "echo") == 0 {
			m.EchoOf = uint64(i)
		}
		s.add(t, e, m)
	}
	return s
}

// Rows are equal to folds of each session, however often the table was saved on the way.
func TestRowsAreFolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		log, config := drawLog(t), projections.Config{Pressure: projections.Thresholds{Info: 20}}
		os.Remove(filepath.Join(dir, catalogue.Name))
		keeper := catalogue.Keeper{Dir: dir, Config: func() projections.Config { return config }}
		for range rapid.IntRange(0, 3).Draw(t, "kept") {
			keeper.Log = log.first(rapid.IntRange(1, len(log.records)).Draw(t, "until"))
			if err := keeper.Keep(t.Context(), 1, func() bool { return true }); err != nil {
				t.Fatal(err)
			}
		}
		table, err := catalogue.Of(t.Context(), dir, log, &config, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := projections.NewFold(projections.Target{}, config, projections.Sessions)
		if err := replay.Forward(t.Context(), log, all, 0); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(projections.Sessions.In(all), table.Links()); diff != "" {
			t.Fatalf("links (-fold +table):\n%s", diff)
		}
		for _, r := range table.Rows() {
			same(t, log, r, config)
		}
		for _, given := range []string{"a", "b", "c", "", "d"} { // of which a table reads few rows
			one, err := catalogue.Of(t.Context(), dir, log, &config, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, gotErr := one.Named(given)
			want, wantErr := journal.FindSession(journal.InMainProjects(table.Sessions()), given)
			if got != want || (gotErr == nil) != (wantErr == nil) || (one.Row("q", given) == nil) != (table.Row("q", given) == nil) {
				t.Fatalf("%q is %v, %v, want %v, %v", given, got, gotErr, want, wantErr)
			}
		}
	})
}

// same compares a row with folds.
func same(t *rapid.T, log stored, r *catalogue.Row, config projections.Config) {
	target := projections.Target{Project: r.Project, Session: r.ID}
	f := projections.NewFold(target, config, projections.SessionInfo, projections.LastCompact, projections.Pressure, projections.Todos)
	if err := replay.Forward(t.Context(), log, f, 0); err != nil {
		t.Fatal(err)
	}
	n := uint64(0)
	var last, reported uint64
	var at int64
	for _, e := range log.Slice {
		if e.Project != r.Project || e.Session != r.ID {
			continue
		}
		n, last = n+1, e.Seq
		if !events.Reserved(e.Type) && e.At >= at {
			reported, at = e.Seq, e.At
		}
	}
	if reported == 0 {
		reported = last
	}
	title, err := replay.Title(t.Context(), log, target)
	if err != nil {
		t.Fatal(err)
	}
	p, q := projections.Pressure.In(f), r.Pressure
	want := fmt.Sprintf("%d %d %d %q %d %d %v %+v", n, last, reported, title, projections.LastCompact.In(f).Count, len(projections.Todos.In(f).Open()),
		[]any{p.UsedPercent, p.Window, p.Level, p.Tokens, p.At}, projections.SessionInfo.In(f))
	got := fmt.Sprintf("%d %d %d %q %d %d %v %+v", r.Events, r.Last.Seq, r.Newest().Seq, r.Title, r.Compactions, len(r.Tasks.Open()),
		[]any{q.UsedPercent, q.Window, q.Level, q.Tokens, q.At}, r.Info)
	if got != want {
		t.Fatalf("%s/%s:\n got %s\nwant %s", r.Project, r.ID, got, want)
	}
}

// example is a log of three sessions, and a directory with its table.
func example(t *testing.T) (stored, string) {
	log := stored{name: "JOURNAL_1"}
	for i := range 30 {
		m := events.Meta{Project: "p", Session: string("abc"[i%3]), At: int64(i + 1)}
		log.add(t, events.PromptSubmitted{Text: fmt.Sprint("request ", i)}, m)
	}
	dir := t.TempDir()
	keep(t, dir, log)
	return log, dir
}

func keep(t *testing.T, dir string, log catalogue.Log) {
	t.Helper()
	k := catalogue.Keeper{Dir: dir, Log: log, Config: func() projections.Config { return projections.Config{} }}
	if err := k.Keep(t.Context(), 1, func() bool { return true }); err != nil {
		t.Fatal(err)
	}
}

// shown prints a table.
func shown(t *testing.T, dir string, log catalogue.Log) string {
	t.Helper()
	table, err := catalogue.Of(t.Context(), dir, log, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range table.Rows() {
		fmt.Fprintf(&b, "%+v\n", *r)
	}
	return b.String()
}

// A file that is damaged at any byte, truncated, of another log or of a newer program is recognised: readers read the log, and the owner
// replaces the file.
func TestUnusableFile(t *testing.T) {
	t.Parallel()
	log, dir := example(t)
	path := filepath.Join(dir, catalogue.Name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := shown(t, "", log)
	if got := shown(t, dir, log); got != want || catalogue.Cached(t.Context(), dir, log) == nil {
		t.Fatalf("the file says\n%s\nand the log\n%s", got, want)
	}
	bad := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if catalogue.Cached(t.Context(), dir, log) != nil {
			t.Fatalf("%s is used", what)
		}
	}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1 << (i % 8)
		bad(fmt.Sprintf("a file with a flipped bit in byte %d", i), flipped)
		bad(fmt.Sprintf("a file of %d bytes", i), whole[:i])
	}
	if got := shown(t, dir, log); got != want {
		t.Errorf("beside an unusable file\n%s\nwant\n%s", got, want)
	}
	keep(t, dir, log)
	if again, err := os.ReadFile(path); err != nil || string(again) != string(whole) {
		t.Errorf("the file was not written anew: %v", err)
	}
	for what, other := range map[string]stored{
		"of an epoch before": {log.Slice, log.records, "JOURNAL_2"}, "of more than there is": log.first(20),
	} {
		if catalogue.Cached(t.Context(), dir, other) != nil {
			t.Errorf("a file %s is used", what)
		}
		if got, want := shown(t, dir, other), shown(t, "", other); got != want {
			t.Errorf("beside a file %s\n%s\nwant\n%s", what, got, want)
		}
	}
	forked := stored{name: log.name}
	for range 40 {
		forked.add(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "z"})
	}
	if got, want := shown(t, dir, forked), shown(t, "", forked); got != want {
		t.Errorf("beside a file of another log\n%s\nwant\n%s", got, want)
	}
	keep(t, dir, forked) // finds it out
	keep(t, dir, forked)
	if catalogue.Cached(t.Context(), dir, forked) == nil {
		t.Error("no table of the log that is there was written")
	}
}

// An owner that gets a request stops, and writes the table as far as it was read.
func TestKeepStops(t *testing.T) {
	t.Parallel()
	log := stored{name: "JOURNAL_1"}
	log.add(t, events.PromptSubmitted{Text: "taken back"}, events.Meta{Project: "p", Session: "s"})
	log.add(t, events.ConversationRewound{First: 1, Last: 1}, events.Meta{Project: "p", Session: "s"})
	for i := range 25_000 {
		log.add(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "s", At: int64(i)})
	}
	dir := t.TempDir()
	k := catalogue.Keeper{Dir: dir, Log: stopping{log}, Config: func() projections.Config { return projections.Config{} }}
	asked := 0
	if err := k.Keep(t.Context(), 1, func() bool { asked++; return false }); err != nil || asked != 1 {
		t.Fatalf("asked %d times, error %v", asked, err)
	}
	read := catalogue.Cached(t.Context(), dir, log.first(10_000))
	if read == nil || read.Row("p", "s").Events != 10_000 || read.Row("p", "s").Title != "" {
		t.Errorf("of what was read before is kept %v", read)
	}
	if err := k.Keep(t.Context(), 12_000, func() bool { return false }); err != nil {
		t.Errorf("stopped before there was enough to write: error %v", err)
	}
}

// stopping is a log whose reading ends with the context, like a real one.
type stopping struct{ stored }

func (s stopping) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for r, err := range s.stored.Messages(ctx, span) {
			if ctx.Err() != nil {
				yield(record.Record{}, ctx.Err())
				return
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/journal/record"
	"journal/projections"
)

// files reads a log in memory as its files are read. It fails behind a sequence, 0 for never.
type files struct {
	stored
	broken uint64
}

var errBroken = errors.New("broken")

// Read satisfies journal.Records.
func (f files) Read(_ context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	if until > uint64(len(f.records)) {
		return errBroken
	}
	for _, r := range f.records[min(after, until):until] {
		if f.broken > 0 && r.Seq > f.broken {
			return errBroken
		}
		selected := func(filter string) bool { return selects(filter, r.Subject) }
		if (len(filters) == 0 || slices.ContainsFunc(filters, selected)) && !each(r) {
			return nil
		}
	}
	return nil
}

// selects reports whether a filter matches a subject.
func selects(filter, subject string) bool {
	want, is := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, token := range want {
		if token == ">" {
			return len(is) > i
		}
		if i >= len(is) || token != "*" && token != is[i] {
			return false
		}
	}
	return len(want) == len(is)
}

// drawShared draws a log in which sessions of two projects do what is common to all sessions, and something else.
func drawShared(t *rapid.T, which string) (s stored) {
	s.name = "JOURNAL_1"
	for i := range rapid.IntRange(1, 60).Draw(t, "events") {
		e := rapid.SampledFrom([]events.Event{
			events.DecisionRecorded{Text: "one"}, events.DecisionRecorded{Text: strings.Repeat("long ", 200), Replaces: uint64(i)}, events.DecisionRetracted{Decision: uint64(i)},
			events.QuestionAnswered{Question: "?", Answer: "yes"}, events.SessionStarted{Source: "startup"}, events.SessionEnded{Reason: "clear"},
			events.SessionGone{PID: 1}, events.NoticeGiven{Kind: "start"}, events.CommandRan{Command: "make"}, events.PromptSubmitted{Text: "build it"},
		}).Draw(t, "event")
		m := events.Meta{
			At: int64(i), Session: rapid.SampledFrom([]string{"a", "b", events.None}).Draw(t, "session"), Project: rapid.SampledFrom([]string{"p", "q.q"}).Draw(t, "project"),
			ID: events.DerivedID(which, string(rune('a'+i))),
		}
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "echo") == 0 {
			m.EchoOf = uint64(i)
		}
		s.add(t, e, m)
	}
	return s
}

// What is kept in one place is read as the log has it: whatever is asked for, however far it was kept, wherever a reader
// stops or the log cannot be read.
func TestCommonIsTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		log := drawShared(t, "log")
		os.Remove(filepath.Join(dir, catalogue.CommonName))
		keeper := catalogue.Keeper{Dir: dir, Config: func() projections.Config { return projections.Config{} }}
		for range rapid.IntRange(0, 3).Draw(t, "kept") {
			of := log.first(rapid.IntRange(1, len(log.records)).Draw(t, "until"))
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				of = drawShared(t, "other")
			}
			keeper.Log, keeper.Records = of, files{stored: of}
			if err := keeper.KeepCommon(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		project := log.records[0].Subject[:strings.Index(log.records[0].Subject[len("journal."):], ".")+len("journal.")]
		filters := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			project + ".*.decision.recorded", project + ".*.decision.retracted", project + ".*.question.answered", project + ".*.session.started", project + ".*.notice.given",
			project + ".*.command.ran", project + ".a.>", "journal.*.*.session.ended", "journal.*.*.prompt.submitted", project + ".b.decision.recorded",
		}), 0, 6, func(s string) string { return s }).Draw(t, "filters")
		last := len(log.records)
		after, until := uint64(rapid.SampledFrom([]int{0, 0, 0, last / 2}).Draw(t, "after")), uint64(rapid.IntRange(0, last).Draw(t, "until"))
		from := files{stored: log, broken: uint64(rapid.SampledFrom([]int{0, 0, last / 3}).Draw(t, "broken"))}
		stop := rapid.IntRange(1, last+1).Draw(t, "stop")
		read := func(r interface {
			Read(context.Context, uint64, uint64, []string, func(record.Record) bool) error
		}) (all []record.Record, err error) {
			err = r.Read(t.Context(), after, until, filters, func(r record.Record) bool {
				r.Data = slices.Clone(r.Data)
				if plain, err := r.Unpack(); err == nil {
					r = plain
				}
				all = append(all, r)
				return len(all) < stop
			})
			return all, err
		}
		want, wantErr := read(from)
		got, err := read(catalogue.WithCommon(dir, log.name, from))
		if wantErr == nil && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("%v of %q from %d to %d: %v (%v), want %v", len(got), filters, after, until, got, err, want)
		}
		// Where the log cannot be read, what came before is right, and there is as much of it at least.
		if wantErr != nil && (len(got) < len(want) || !reflect.DeepEqual(got[:len(want)], want)) {
			t.Fatalf("%d of %q before an error: %v, want %v", len(got), filters, got, want)
		}
	})
}

// What is kept is read there, and not in the log.
func TestCommonSparesTheLog(t *testing.T) {
	t.Parallel()
	log, dir := stored{name: "JOURNAL_1"}, t.TempDir()
	for i := range uint64(9) {
		log.add(t, events.DecisionRecorded{Text: "one"}, events.Meta{ID: events.DerivedID("spared", fmt.Sprint(i)), Project: "p", Session: "s"})
	}
	keeper := catalogue.Keeper{Dir: dir, Log: log, Records: files{stored: log}}
	if err := keeper.KeepCommon(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	empty := stored{name: log.name, records: slices.Clone(log.records)}
	for i := range empty.records[:8] {
		empty.records[i] = record.Record{Seq: uint64(i + 1), Subject: record.Forgotten}
	}
	n := 0
	filter := strings.Replace(log.records[0].Subject, ".s.", ".*.", 1)
	if err := catalogue.WithCommon(dir, log.name, files{stored: empty}).Read(t.Context(), 0, 9, []string{filter}, func(record.Record) bool { n++; return true }); err != nil || n != 9 {
		t.Errorf("%d of 9 records of %s: %v", n, filter, err)
	}
}

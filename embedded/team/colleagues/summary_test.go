package colleagues

import (
	"context"
	"fmt"
	"iter"
	"journal/embedded/team/facts"
	"journal/projections"
	"journal/replay"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/eventstest"
	"journal/embedded/team"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// longText returns a text of n times 20 bytes, with a beginning of its own.
func longText(i, n int) string {
	return fmt.Sprint("port ", i, strings.Repeat(" 문을 초록으로", n))
}

// huge is a log with n decisions, checklists and todos of hundreds of kilobytes.
type huge struct {
	t *testing.T
	n int
}

func (h huge) Events(context.Context, events.Span, ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		seq := uint64(0)
		say := func(ev events.Event) bool {
			seq++
			return yield(eventstest.Wrap(h.t, ev, events.Meta{Seq: seq, ID: events.NewID(), At: int64(seq) * int64(time.Second), Project: "a", Session: "s"}), nil)
		}
		for i := range h.n {
			text, half := longText(i, 20_000), longText(i, 10_000)
			for _, ev := range []events.Event{
				events.DecisionRecorded{Text: text}, events.QuestionAnswered{Question: half, Answer: half},
				events.PortDefined{Port: text[:7], Title: text}, events.PortTicked{Port: text[:7], Item: text},
				events.PlanApproved{Text: text}, events.TodosWritten{Todos: []events.Todo{{Text: text, Status: "pending"}}},
			} {
				if !say(ev) {
					return
				}
			}
		}
	}
}

// held returns the bytes that the test holds, without garbage.
func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLongTextsAreCutWhereTheyAreRead: of long texts an owner holds no more than can ever be shared, and shares that as it is.
func TestLongTextsAreCutWhereTheyAreRead(t *testing.T) {
	before := held()
	f := projections.NewFold(projections.Target{Project: "a"}, projections.Config{}, Needs...)
	if err := replay.Forward(t.Context(), brief{huge{t, 100}}, f, 0); err != nil {
		t.Fatal(err)
	}
	if now := held(); now > before+4<<20 {
		t.Errorf("%d MB are held of 100 decisions", (now-before)>>20)
	}
	all := bounded(facts.Summary{List: decided(f)}).List
	if len(all) != maxDecided {
		t.Fatalf("%d decisions", len(all))
	}
	for _, d := range all {
		shown(t, d.Text, decidedUnits)
		shown(t, d.Question, decidedUnits)
	}
	if want := line(longText(99, 20_000), decidedUnits); all[1].Text != want { // the newest is an answer
		t.Errorf("%.100q is shown, want %.100q", all[1].Text, want)
	}
	if ports := projections.Ports.In(f); len(ports) != 100 || ports[0].Total != 1 {
		t.Errorf("%d ports", len(ports))
	}
}

// stored is a log that can be read while nobody has given up.
type stored []record.Record

func (s stored) Read(ctx context.Context, after, until uint64, _ []string, each func(record.Record) bool) error {
	for _, r := range s {
		if ctx.Err() == nil && r.Seq > after && r.Seq <= until && !each(r) {
			break
		}
	}
	return ctx.Err()
}

// logOf returns a log of events of a project.
func logOf(t *testing.T, project string, all ...events.Event) *journal.Log {
	t.Helper()
	var s stored
	var c journal.Contents
	for i, ev := range all {
		m := events.Meta{Seq: uint64(i + 1), ID: events.NewID(), At: int64(i + 1), Project: project}
		if _, of := ev.(events.ProjectSeen); !of {
			m.Session = "s"
		}
		e := eventstest.Wrap(t, ev, m)
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		s = append(s, record.Record{Seq: e.Seq, Subject: journal.Subject(e.Meta), ID: e.ID, Data: b})
		c.Add(s[i])
	}
	return journal.Offline(s, &c)
}

// A tell that is given up, because what was to be told to has gone, has the next one tell all that there is.
func TestTellAfterOneThatWasGivenUp(t *testing.T) {
	t.Parallel()
	log := logOf(t, "web",
		events.ProjectSeen{Root: "/web", Remote: "acme.org/web", Decisions: true},
		events.DecisionRecorded{Text: "doors are of oak"}, events.DecisionRecorded{Text: "hinges are of brass"},
	)
	teller, share := NewSummarizer(t.TempDir(), log), team.Share{All: true}
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	for _, c := range []struct {
		ctx   context.Context
		until uint64
		want  []string
	}{{t.Context(), 2, []string{"doors are of oak"}}, {given, 3, nil}, {t.Context(), 3, []string{"hinges are of brass", "doors are of oak"}}} {
		all, err := teller.Summaries(c.ctx, share, c.until)
		if (err != nil) != (c.want == nil) {
			t.Fatal(err)
		}
		var told []string
		for _, p := range all {
			for _, d := range p.List {
				told = append(told, d.Text)
			}
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("up to #%d is told %q, want %q", c.until, told, c.want)
		}
	}
}

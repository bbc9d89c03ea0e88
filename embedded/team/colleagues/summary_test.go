package colleagues

import (
	"context"
	"slices"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/embedded/team"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

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

package sections_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/notes/sections"
	"journal/journal/wire"
)

// A text that would keep the parser busy for minutes leaves a gap, and nothing else is lost.
func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"quotations": strings.Repeat(">", 60_000),
		"lists":      strings.Repeat("- ", 100) + "a\n" + strings.Repeat("\n", 1<<20),
	} {
		found := events.FileObserved{Path: "p", Kind: events.PlanFile, Digest: "d"}
		if d := testutil.CPU(func() { sections.Read(&found, "## One\n"+content) }); d > 5*time.Second {
			t.Errorf("%s: it took %v", name, d)
		}
		if found.Gap != "out of time" || found.Entries != nil || found.Digest != "d" {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// An observation becomes the event with the same id, one with a gap stays as it is, and any
// other event is refused.
func TestComplete(t *testing.T) {
	t.Parallel()
	file := func(e events.Event) wire.File {
		env, err := events.Wrap(e, events.Meta{ID: events.NewID(), Project: "p", N: 2})
		if err != nil {
			t.Fatal(err)
		}
		b, err := events.Encode(env)
		if err != nil {
			t.Fatal(err)
		}
		return wire.File{Event: b}
	}
	long := strings.Repeat("words ", 40<<10)
	for name, c := range map[string]struct {
		found   events.FileObserved
		text    wire.Text
		gap     string
		entries int
	}{
		"short":           {events.FileObserved{Kind: events.FlowFile}, wire.Pack("## One\ntext\n## Two\n"), "", 2},
		"long":            {events.FileObserved{Kind: events.FlowFile}, wire.Pack("## One\n" + long), "", 1},
		"empty":           {events.FileObserved{Kind: events.FlowFile}, wire.Text{}, "", 0},
		"an empty object": {events.FileObserved{Kind: events.CompoundFile}, wire.Text{}, "malformed", 0},
		"gone":            {events.FileObserved{Kind: events.CompoundFile, Gone: true}, wire.Text{}, "", 0},
		"unreadable":      {events.FileObserved{Kind: events.CompoundFile, Gap: "unreadable"}, wire.Text{}, "unreadable", 0},
		"a broken text":   {events.FileObserved{Kind: events.FlowFile}, wire.Text{Deflated: []byte("no")}, "malformed", 0},
		"a text too long": {events.FileObserved{Kind: events.FlowFile}, wire.Pack(strings.Repeat("0", 8<<20)), "malformed", 0},
	} {
		f := file(c.found)
		f.Text = c.text
		before, err := events.Decode(f.Event, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := sections.Complete(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := events.Decode(b, 0)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		got := ev.(events.FileObserved)
		if e.ID != before.ID || e.N != before.N || got.Gap != c.gap || len(got.Entries) != c.entries || got.Gone != c.found.Gone {
			t.Errorf("%s: %+v of %+v", name, got, e.Meta)
		}
	}
	for name, f := range map[string]wire.File{
		"another event": file(events.TurnEnded{}),
		"no event":      {Event: events.Raw("x")},
	} {
		if _, err := sections.Complete(f); !errors.Is(err, events.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

package owner_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"journal/events"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// The files of a request become events of its report, under the ids that the hook gave
// them, whether they come directly or through the spool.
func TestFilesOfARequest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	report := func(text string) (wire.Request, []string) {
		first := prompt(t, about(0), text)
		r := request(t, first)
		ids := []string{first.ID}
		for i, name := range []string{"progress.md", "task_plan.md"} {
			e, err := events.Wrap(events.FileObserved{Path: name, Kind: events.FlowFile, Digest: text}, events.Meta{
				ID: events.NewID(), At: first.At, Agent: first.Agent, Session: first.Session, Project: first.Project,
				Cause: first.ID, N: i + 1, Rules: first.Rules,
			})
			if err != nil {
				t.Fatal(err)
			}
			b, err := events.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			r.Files = append(r.Files, wire.File{Event: b, Text: wire.Pack("## " + text + "\nbody\n")})
			ids = append(ids, e.ID)
		}
		return r, ids
	}
	direct, want := report("direct")
	if reply := h.o.Handle(context.Background(), direct); reply.Error != "" || len(reply.Seqs) != 3 {
		t.Fatalf("reply %+v", reply)
	}
	spooled, more := report("spooled")
	if err := client.Open(h.dir, client.Options{}).Save(spooled); err != nil {
		t.Fatal(err)
	}
	h.drain()
	want = append(want, more...)
	var got, headings []string
	for _, e := range h.logOf("") {
		switch ev, err := events.Open(e); f := ev.(type) {
		case events.FileObserved:
			for _, entry := range f.Entries {
				headings = append(headings, entry.Heading)
			}
			got = append(got, e.ID)
		case events.PromptSubmitted:
			got = append(got, e.ID)
		default:
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if !slices.Equal(got, want) || !slices.Equal(headings, []string{"direct", "direct", "spooled", "spooled"}) {
		t.Errorf("events %q, want %q, with the headings %q", got, want, headings)
	}
	broken, _ := report("broken")
	broken.Files[0].Event = events.Raw("x")
	if reply := h.o.Handle(context.Background(), broken); !reply.Refused {
		t.Errorf("a broken file: %+v", reply)
	}
}

// A file whose text is broken, or grows over an event's bounds when it is redacted
// again, costs its content; the rest of the report is stored.
func TestFileWithoutContent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := prompt(t, about(0), "said")
	r := request(t, first)
	for path, text := range map[string]wire.Text{
		"broken.md": {Deflated: []byte("no")},
		"grown.md":  wire.Pack(strings.Repeat("## Keys\n"+strings.Repeat("api_key=Zx9Kq2Lm7P ", 1000)+"\n", 20)),
		"good.md":   wire.Pack("## One\nbody\n"),
	} {
		e, err := events.Wrap(events.FileObserved{Path: path, Kind: events.PlanFile, Digest: "d"}, events.Meta{
			ID: events.NewID(), At: first.At, Agent: first.Agent, Session: first.Session, Project: first.Project, Cause: first.ID,
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		r.Files = append(r.Files, wire.File{Event: b, Text: text})
	}
	if reply := h.o.Handle(t.Context(), r); reply.Error != "" || len(reply.Seqs) != 4 {
		t.Fatalf("reply %+v", reply)
	}
	got := map[string]string{}
	for _, e := range h.logOf(events.TypeOf[events.FileObserved]()) {
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		f := ev.(events.FileObserved)
		got[f.Path] = fmt.Sprint(f.Gap, " ", len(f.Entries))
	}
	want := map[string]string{"broken.md": "malformed 0", "grown.md": "malformed 0", "good.md": " 1"}
	if !maps.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

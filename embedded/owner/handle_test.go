package owner_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"journal/embedded/owner"
	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
)

// TestManyAppenders: 64 of them at once, each with 20 requests over the socket.
// Everything is stored, and each one's own order is kept.
func TestManyAppenders(t *testing.T) {
	t.Parallel()
	const callers, each = 64, 20
	h := newHome(t)
	h.serve()
	a := client.Open(h.dir, client.Options{})
	var mu sync.Mutex
	taken := map[uint64]bool{}
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for n := range each {
				m := about(0)
				m.Session = fmt.Sprint(c)
				receipt, err := a.Send(context.Background(), request(t, prompt(t, m, numbered(n))), 0)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, seq := range receipt.Seqs {
					if taken[seq] {
						t.Errorf("seq %d twice", seq)
					}
					taken[seq] = true
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	h.drain()
	if n := len(h.log()); n != callers*each {
		t.Errorf("%d events, want %d", n, callers*each)
	}
	for c := range callers {
		got := texts(t, h.log(events.Selector{Session: fmt.Sprint(c)}))
		if len(got) != each || !slices.IsSorted(got) {
			t.Errorf("caller %d: %v", c, got)
		}
	}
	if h.o.Head() != callers*each {
		t.Errorf("head is %d", h.o.Head())
	}
}

func TestProjectIsSeenOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	send := func(project, root string) {
		t.Helper()
		m := about(0)
		m.Project, m.Session = project, "of "+project
		r := request(t, prompt(t, m, "x"))
		r.Root = root
		if reply := h.o.Handle(t.Context(), r); reply.Error != "" {
			t.Fatal(reply.Error)
		}
	}
	for range 3 {
		send("web-1", "/home/a/web")
		send("api-2", "/home/a/api")
		send("web-1", "")
		send("", "/home/a/none")
		h.restart()
	}
	roots := map[string]string{}
	seen := h.logOf(events.TypeOf[events.ProjectSeen]())
	for _, e := range seen {
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		roots[e.Project] = ev.(events.ProjectSeen).Root
	}
	if len(seen) != 2 || roots["web-1"] != "/home/a/web" || roots["api-2"] != "/home/a/api" {
		t.Errorf("%d records of %v", len(seen), roots)
	}
}

// TestRepositoryOfAWorktree: a project that is a worktree is recorded with the repository it
// is of; whatever else lies in the place of .git names none.
func TestRepositoryOfAWorktree(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	want := map[string]string{}
	for link, repository := range map[string]string{
		"gitdir: /home/dev/shop/.git/worktrees/try-idea\n": "shop",
		"gitdir:../shop/.git/worktrees/x":                  "shop",
		"gitdir: ../.git/modules/shop":                     "",
		"/home/dev/shop/.git/worktrees/try-idea":           "",
		"gitdir: /.git/worktrees/x":                        "",
		"gitdir: ./.git/worktrees/x":                       "",
		"":                                                 "",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, ".git"), link)
		m := about(0)
		m.Project, m.Session = fmt.Sprint("p", len(want)), fmt.Sprint("s", len(want))
		r := request(t, prompt(t, m, "x"))
		r.Root, want[m.Project] = root, repository
		if reply := h.o.Handle(t.Context(), r); reply.Error != "" {
			t.Fatal(reply.Error)
		}
	}
	got := map[string]string{}
	for _, e := range h.logOf(events.TypeOf[events.ProjectSeen]()) {
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		got[e.Project] = ev.(events.ProjectSeen).Repository
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRefused: an event that no retry helps is refused whole, and costs nobody
// else anything.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := prompt(t, about(0), "good")
	with := func(f func(*events.Envelope)) []events.Envelope {
		e := prompt(t, about(0), "bad")
		f(&e)
		return []events.Envelope{good, e}
	}
	encode := func(es []events.Envelope) wire.Request { return request(t, es...) }
	for name, r := range map[string]wire.Request{
		"recovery.sent":   encode(append([]events.Envelope{good}, report(t, about(0), events.RecoveryGiven{})...)),
		"notice.sent":     encode(append([]events.Envelope{good}, report(t, about(0), events.NoticeGiven{})...)),
		"project.seen":    encode(append([]events.Envelope{good}, report(t, about(0), events.ProjectSeen{})...)),
		"no id":           encode(with(func(e *events.Envelope) { e.ID = "" })),
		"id of two lines": encode(with(func(e *events.Envelope) { e.ID = "a\r\nb" })),
		"long id":         encode(with(func(e *events.Envelope) { e.ID = strings.Repeat("i", 65) })),
		"no type":         encode(with(func(e *events.Envelope) { e.Type = "" })),
		"long type":       encode(with(func(e *events.Envelope) { e.Type = events.Type(strings.Repeat("t.", 3000) + "t") })),
		"broken body":     encode(with(func(e *events.Envelope) { e.Type, e.Rules, e.Body = "usage.sampled", 0, events.Raw{0x93, 1, 2, 3} })),
		"no envelope":     {Wire: wire.Version, Events: []events.Raw{{0x80}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			reply := h.o.Handle(t.Context(), r)
			if reply.Error == "" || !reply.Refused || len(reply.Seqs) != 0 {
				t.Errorf("reply %+v", reply)
			}
			if n := len(h.log()); n != 0 {
				t.Errorf("%d events of it were stored", n)
			}
			h.handle(prompt(t, about(0), "next"))
		})
	}
}

// TestNamelessBelongsToNone: an appender of another make may leave out what it
// does not know.
func TestNamelessBelongsToNone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	e := prompt(t, about(0), "x")
	e.Session, e.Project = "", ""
	h.handle(e)
	got := h.log(events.Selector{Project: events.None, Session: events.None})
	if len(got) != 1 || got[0].Session != events.None || got[0].Project != events.None {
		t.Errorf("in the log of %s: %+v", events.None, got)
	}
}

// TestForeignTextsAreRedacted: texts of appenders that do not redact are redacted here, whatever they report.
func TestForeignTextsAreRedacted(t *testing.T) {
	t.Parallel()
	body, err := msgpack.Marshal(map[string]any{"deep": []any{map[string]any{"said": "token=" + secret()}}})
	if err != nil {
		t.Fatal(err)
	}
	m := about(0)
	m.Rules = 0
	known := report(t, m, events.TodosWritten{Todos: []events.Todo{{Text: "use " + secret()}}})[0]
	known.More = fmt.Appendf(nil, `{"note":["key %s"]}`, secret())
	unknown := prompt(t, m, "")
	unknown.Type, unknown.TypeVer, unknown.Body = "moon.landed", 3, body
	future := prompt(t, m, "")
	future.TypeVer, future.Body = 99, body

	for name, e := range map[string]events.Envelope{"declared": known, "unknown": unknown, "of a later version": future} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.handle(e)
			e.ID = events.NewID()
			h.leave(0, e)
			h.drain()
			got := h.log()
			if len(got) != 2 {
				t.Fatalf("%d events", len(got))
			}
			for _, stored := range got {
				if stored.Type != e.Type || stored.TypeVer != e.TypeVer || stored.Rules != int(redact.RuleSet) {
					t.Errorf("stored as %+v", stored.Meta)
				}
				whole := slices.Concat(stored.Body, stored.More)
				if bytes.Contains(whole, []byte(secret())) || !bytes.Contains(whole, []byte("redacted")) {
					t.Errorf("stored: %q", whole)
				}
			}
		})
	}
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.serveForeign(t, wire.Foreign{Type: "decision.recorded", Data: fmt.Appendf(nil, `{"text":"token=%s"}`, secret())})
		if e := h.log()[0]; bytes.Contains(e.Body, []byte(secret())) || !bytes.Contains(e.Body, []byte("redacted")) {
			t.Errorf("stored: %q", e.Body)
		}
	})
}

// TestWindows: a headless session tells its tokens; the window of its model is
// what a statusline told last. What is configured counts when it is read (S1.3).
func TestWindows(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.close()
	h.config.Settings = func() owner.Settings {
		s := settings()
		s.Fold.Windows = projections.Windows{"configured": 1000, "told": 5}
		return s
	}
	h.open()
	sample := func(s events.UsageSampled) events.UsageSampled {
		t.Helper()
		h.handle(report(t, about(0), s)...)
		all := h.logOf(events.TypeOf[events.UsageSampled]())
		ev, err := events.Open(all[len(all)-1])
		if err != nil {
			t.Fatal(err)
		}
		return ev.(events.UsageSampled)
	}
	told := events.UsageSampled{Percent: 10, Tokens: 20_000, Window: 200_000, Model: "told"}
	if got := sample(told); got != told {
		t.Errorf("a whole sample became %+v", got)
	}
	for range 2 {
		for model, want := range map[string]events.UsageSampled{
			"told":       {Percent: 25, Tokens: 50_000, Window: 200_000, Model: "told"},
			"configured": {Tokens: 50_000, Model: "configured"},
			"unknown":    {Tokens: 50_000, Model: "unknown"},
		} {
			if got := sample(events.UsageSampled{Tokens: 50_000, Model: model}); got != want {
				t.Errorf("%s: %+v, want %+v", model, got, want)
			}
		}
		h.restart()
	}
}

// TestStoredAsItCame: an event in which the owner changes nothing is stored byte for
// byte, with what a later program adds to the envelope.
func TestStoredAsItCame(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	e := prompt(t, about(0), "x")
	plain, err := events.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	// One field more in a map of less than 16 fields, or of up to 65,535.
	extra := append([]byte{0xa5}, "later\xa3yes"...)
	came := append(slices.Clone(plain), extra...)
	if came[0]&0xf0 == 0x80 {
		came[0]++
	} else {
		came[2]++
	}
	if r := h.o.Handle(t.Context(), wire.Request{Wire: wire.Version, Events: []events.Raw{came}}); len(r.Seqs) != 1 {
		t.Fatalf("reply %+v", r)
	}
	for r, err := range h.o.Log().Stored(t.Context(), events.Span{}) {
		if err != nil || !bytes.Equal(r.Data, came) || r.ID != e.ID {
			t.Errorf("stored %q under %q, error %v; want %q", r.Data, r.ID, err, came)
		}
	}
}

package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// spooled lists the events that wait in the spool of dir, in their order.
func spooled(t testing.TB, dir string) []events.Envelope {
	t.Helper()
	d := spool.Open(filepath.Join(dir, "spool"))
	entries, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	var waiting []events.Envelope
	for _, entry := range entries {
		encoding, body, err := d.Read(entry)
		if err != nil || encoding != spool.Msgpack {
			t.Fatalf("%s: encoding %q, error %v", entry.Name, encoding, err)
		}
		r, err := wire.DecodeRequest(body)
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != nil {
			t.Errorf("%s asks for an answer that nobody waits for", entry.Name)
		}
		for _, b := range r.Events {
			e, err := events.Decode(b, 0)
			if err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, e)
		}
	}
	return waiting
}

func request(t testing.TB, es ...events.Envelope) wire.Request {
	t.Helper()
	r, err := client.NewRequest(es, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func prompt(t testing.TB, text string) events.Envelope {
	t.Helper()
	return eventstest.Wrap(t, events.PromptSubmitted{Text: text}, events.Meta{Agent: "go", Project: "p", Session: "s", At: time.Now().UnixNano(), Rules: 1})
}

func TestAppendToARunningOwner(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	o, _ := ownertest.Serve(t, dir)
	a := client.Open(dir, client.Options{Pace: unhurried, Start: func(string) error {
		t.Error("an owner is started beside the running one")
		return nil
	}})
	root := t.TempDir()
	about := client.About{Session: "s", Lane: "helper", Agent: "go", Root: root, Turn: "t"}
	r, err := a.Append(t.Context(), about, events.PromptSubmitted{Text: "하나"}, events.TurnEnded{Text: "둘"})
	if err != nil || r.Spooled || !slices.Equal(r.Seqs, []uint64{2, 3}) {
		t.Fatalf("%+v, error %v; want seqs 2 and 3 behind the project's path", r, err)
	}
	got, err := eventstest.All(o.Log().Events(t.Context(), events.Span{After: 1}))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d events, error %v", len(got), err)
	}
	for i, e := range got {
		if e.Session != "s" || e.Lane != "helper" || e.Agent != "go" || e.Turn != "t" || e.Project != client.ProjectKey(root) || e.N != i {
			t.Errorf("event %d is about %+v", i, e.Meta)
		}
	}
	if got[0].Cause != "" || got[1].Cause != got[0].ID {
		t.Errorf("causes are %q and %q, want none and %q", got[0].Cause, got[1].Cause, got[0].ID)
	}
	if n := len(spooled(t, dir)); n != 0 {
		t.Errorf("%d events in the spool", n)
	}
}

func TestAppendWithoutAnOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	var starts []string
	a := client.Open(dir, client.Options{Pace: unhurried, Start: func(dir string) error {
		starts = append(starts, dir)
		return errors.New("no owner can start here")
	}})
	for n := range 3 {
		r, err := a.Append(t.Context(), client.About{Agent: "go", Session: "s"}, events.PromptSubmitted{Text: fmt.Sprint(n)})
		if err != nil || !r.Spooled || r.Seqs != nil {
			t.Fatalf("%+v, error %v; want it spooled", r, err)
		}
		if want := slices.Repeat([]string{dir}, n+1); !slices.Equal(starts, want) {
			t.Errorf("starts after %d appends: %v", n+1, starts)
		}
	}
	for n, e := range spooled(t, dir) {
		if ev, err := events.Open(e); err != nil || ev != events.Event(events.PromptSubmitted{Text: fmt.Sprint(n)}) {
			t.Errorf("event %d in the spool is %v, error %v", n, ev, err)
		}
	}
	if empty, err := spool.Open(filepath.Join(dir, "spool")).Empty(); err != nil || empty {
		t.Errorf("empty %v, error %v", empty, err)
	}
}

func TestTheSpoolComesFirst(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	early := client.Open(dir, client.Options{Pace: unhurried})
	for n := range 3 {
		if _, err := early.Append(t.Context(), client.About{Agent: "go"}, events.PromptSubmitted{Text: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	o, _ := ownertest.Serve(t, dir)
	testutil.Eventually(t, "the spool is drained", func() bool {
		empty, err := spool.Open(filepath.Join(dir, "spool")).Empty()
		return err == nil && empty
	})
	if _, err := early.Append(t.Context(), client.About{Agent: "go"}, events.PromptSubmitted{Text: "3"}); err != nil {
		t.Fatal(err)
	}
	got, err := eventstest.All(o.Log().Events(t.Context(), events.Span{}))
	if err != nil || len(got) != 4 {
		t.Fatalf("%d events, error %v", len(got), err)
	}
	for n, e := range got {
		if ev, _ := events.Open(e); ev != events.Event(events.PromptSubmitted{Text: fmt.Sprint(n)}) {
			t.Errorf("event %d is %v", n, ev)
		}
	}
}

// TestRefused: a report that no retry helps is stored nowhere, whether an owner runs or not.
func TestRefused(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", events.MaxBytes+1)
	half := strings.Repeat("y", events.MaxBytes-4096)
	for name, es := range map[string][]events.Event{
		"reserved":           {events.RecoveryGiven{Compaction: 1}},
		"reserved behind":    {events.TurnEnded{}, events.ProjectSeen{Root: "/"}},
		"too large":          {events.PromptSubmitted{Text: large}},
		"too large together": {events.PromptSubmitted{Text: half}, events.PromptSubmitted{Text: half}, events.PromptSubmitted{Text: half}},
		"not of this log":    {events.Unknown{Type: "strange.happened"}},
	} {
		for _, owned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, owner %v", name, owned), func(t *testing.T) {
				t.Parallel()
				dir := ownertest.Dir(t)
				if owned {
					ownertest.Serve(t, dir)
				}
				r, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Agent: "go"}, slices.Clone(es)...)
				testutil.WantError(t, err, client.ErrRefused)
				if r.Spooled || r.Seqs != nil || len(spooled(t, dir)) != 0 {
					t.Errorf("%+v and %d in the spool, want nothing kept", r, len(spooled(t, dir)))
				}
			})
		}
	}
}

func TestNothingToAppend(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	r, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Agent: "go"})
	if err != nil || r.Spooled || r.Seqs != nil {
		t.Errorf("%+v, error %v", r, err)
	}
	testutil.WantError(t, client.Open(dir, client.Options{Pace: unhurried}).Save(wire.Request{Wire: wire.Version}), client.ErrRefused)
}

// TestUndelivered: events that are kept nowhere are an error.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	if err := os.WriteFile(filepath.Join(dir, "spool"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Agent: "go"}, events.TurnEnded{})
	testutil.WantError(t, err, client.ErrUndelivered)
}

// TestAppendLeavesItsArgumentsAlone: the texts that a program keeps are its own.
func TestAppendLeavesItsArgumentsAlone(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	secret := "token=ghp_" + strings.Repeat("Ab3", 12)
	es := []events.Event{events.PromptSubmitted{Text: secret}}
	if _, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Agent: "go"}, es...); err != nil {
		t.Fatal(err)
	}
	if es[0] != events.Event(events.PromptSubmitted{Text: secret}) {
		t.Errorf("the caller's event is now %v", es[0])
	}
	for _, e := range spooled(t, dir) {
		if strings.Contains(string(e.Body), "ghp_") {
			t.Errorf("a secret waits in the spool: %q", e.Body)
		}
	}
}

// TestOneAppenderForMany: concurrent use keeps each caller's order.
func TestOneAppenderForMany(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 10
	dir := ownertest.Dir(t)
	o, _ := ownertest.Serve(t, dir)
	a := client.Open(dir, client.Options{Pace: unhurried})
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for n := range each {
				es := events.PromptSubmitted{Text: fmt.Sprint(n)}
				if _, err := a.Append(context.Background(), client.About{Agent: "go", Session: fmt.Sprint(c)}, es); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if _, err := client.Ask(t.Context(), dir, wire.Drain, nil); err != nil {
		t.Fatal(err)
	}
	for c := range callers {
		got, err := eventstest.All(o.Log().Events(t.Context(), events.Span{}, events.Selector{Session: fmt.Sprint(c)}))
		if err != nil || len(got) != each {
			t.Fatalf("caller %d: %d events, error %v; want %d", c, len(got), err, each)
		}
		for n, e := range got {
			if ev, _ := events.Open(e); ev != events.Event(events.PromptSubmitted{Text: fmt.Sprint(n)}) {
				t.Errorf("caller %d: event %d is %v", c, n, ev)
			}
		}
	}
}

func TestSaveKeepsIDAndFloor(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	a := client.Open(dir, client.Options{Pace: unhurried})
	e := prompt(t, "once")
	r := request(t, e)
	r.Floor, r.Answer = 41, &wire.AnswerRequest{Kind: wire.RecoveryText, Event: e.ID}
	if err := a.Save(r); err != nil {
		t.Fatal(err)
	}
	got := spooled(t, dir)
	if len(got) != 1 || got[0].ID != e.ID {
		t.Fatalf("in the spool: %+v", got)
	}
	d := spool.Open(filepath.Join(dir, "spool"))
	entries, _ := d.List()
	_, body, _ := d.Read(entries[0])
	if back, err := wire.DecodeRequest(body); err != nil || back.Floor != 41 || entries[0].ID != e.ID {
		t.Errorf("floor %d, file for %s, error %v; want 41 and %s", back.Floor, entries[0].ID, err, e.ID)
	}
}

// TestSendTellsTheFloor: a spooled request can only be in the log after the head
// that was read before the first try.
func TestSendTellsTheFloor(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]uint64{"17\n": 17, "": 0, "x": 0, "-3": 0} {
		dir := ownertest.Dir(t)
		if err := os.WriteFile(filepath.Join(dir, "head"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := client.Head(dir); got != want {
			t.Errorf("head file %q is read as %d, want %d", content, got, want)
		}
		if _, err := client.Open(dir, client.Options{Pace: unhurried}).Send(t.Context(), request(t, prompt(t, "")), 0); err != nil {
			t.Fatal(err)
		}
		d := spool.Open(filepath.Join(dir, "spool"))
		entries, _ := d.List()
		_, body, _ := d.Read(entries[0])
		if back, err := wire.DecodeRequest(body); err != nil || back.Floor != want {
			t.Errorf("head file %q: floor %d, error %v; want %d", content, back.Floor, err, want)
		}
	}
	if got := client.Head(ownertest.Dir(t)); got != 0 {
		t.Errorf("without a file the head is %d", got)
	}
}

// TestAnswerAfterTheSpool: an asker whose event had to be spooled waits for the
// owner that its append started, and asks it without the event.
func TestAnswerAfterTheSpool(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	e := prompt(t, "")
	r := request(t, e)
	r.Answer = &wire.AnswerRequest{Kind: wire.RecoveryText, Event: e.ID}
	var asked atomic.Int32
	a := client.Open(dir, client.Options{Pace: unhurried, Start: func(string) error {
		s := newServer(t, dir)
		_, err := s.Conn().Subscribe(wire.Append, func(m *nats.Msg) {
			asked.Add(1)
			got, err := wire.DecodeRequest(m.Data)
			if err != nil || len(got.Events) != 0 || got.Answer == nil || got.Answer.Event != e.ID {
				t.Errorf("asked with %+v, error %v", got, err)
			}
			b, err := wire.Encode(wire.Reply{Wire: wire.Version, Text: "remember", To: wire.ToModel})
			if err != nil {
				t.Error(err)
			}
			_ = m.Respond(b)
		})
		return errors.Join(err, s.Conn().Flush(), s.Serve())
	}})
	got, err := a.Send(t.Context(), r, testutil.Patience)
	if err != nil || !got.Spooled || got.Text != "remember" || got.To != wire.ToModel || asked.Load() != 1 {
		t.Errorf("%+v, error %v, asked %d times", got, err, asked.Load())
	}
	if waiting := spooled(t, dir); len(waiting) != 1 || waiting[0].ID != e.ID {
		t.Errorf("in the spool: %+v", waiting)
	}
}

func TestNobodyAnswersInTime(t *testing.T) {
	t.Parallel()
	e := prompt(t, "")
	r := request(t, e)
	r.Answer = &wire.AnswerRequest{Kind: wire.RecoveryText, Event: e.ID}
	const wait = 80 * time.Millisecond
	var spent budgets
	begin := time.Now()
	a := client.Open(ownertest.Dir(t), client.Options{Pace: spent.spend, Start: func(string) error { return nil }})
	got, err := a.Send(t.Context(), r, wait)
	if d := time.Since(begin); err != nil || !got.Spooled || got.Text != "" || d < wait {
		t.Errorf("%+v, error %v after %v", got, err, d)
	}
	if want := (budgets{250 * time.Millisecond, wait}); !slices.Equal(spent, want) {
		t.Errorf("it waits for %v, want %v", spent, want)
	}
}

// TestAnOlderOwnerIsAskedToRetire (ADR-0004 rule 8).
func TestAnOlderOwnerIsAskedToRetire(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply  wire.Reply
		retire bool
	}{
		"older": {wire.Reply{Wire: wire.Version - 1, Error: "request of a newer version"}, true},
		"same":  {wire.Reply{Wire: wire.Version, Error: "disk full"}, false},
		"newer": {wire.Reply{Wire: wire.Version + 1, Error: "disk full"}, false},
		"taken": {wire.Reply{Wire: wire.Version - 1, Seqs: []uint64{1}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			s := newServer(t, dir)
			asked := make(chan string, 8)
			_, err := s.Conn().Subscribe(wire.Append, func(m *nats.Msg) {
				b, err := wire.Encode(c.reply)
				if err != nil {
					t.Error(err)
				}
				_ = m.Respond(b)
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Conn().Subscribe(wire.Retire, func(m *nats.Msg) { asked <- string(m.Data) }); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Conn().Flush(), s.Serve()); err != nil {
				t.Fatal(err)
			}
			r, err := client.Open(dir, client.Options{Pace: unhurried}).Send(t.Context(), request(t, prompt(t, "")), 0)
			if err != nil || r.Spooled != (c.reply.Error != "") {
				t.Errorf("%+v, error %v", r, err)
			}
			if c.retire {
				select {
				case version := <-asked:
					if version != fmt.Sprint(wire.Version) {
						t.Errorf("asked to retire for version %q", version)
					}
				case <-time.After(testutil.Patience):
					t.Error("not asked to retire")
				}
				return
			}
			if err := s.Conn().Flush(); err != nil {
				t.Fatal(err)
			}
			if n := len(asked); n != 0 {
				t.Errorf("asked to retire %d times", n)
			}
		})
	}
}

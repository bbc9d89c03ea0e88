package owner_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/events"
	"journal/journal"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

func TestDrainKeepsTheOrder(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var want []string
	for n := range 25 {
		h.leave(0, prompt(t, about(-time.Duration(n)*time.Hour), numbered(n))) // clocks do not order
		want = append(want, numbered(n))
	}
	h.drain()
	if got := texts(t, h.log()); !slices.Equal(got, want) {
		t.Errorf("drained %v", got)
	}
	if n, aside := h.waiting(); n != 0 || aside != 0 {
		t.Errorf("%d wait, %d set aside", n, aside)
	}
	h.drain()
	if n := len(h.log()); n != len(want) {
		t.Errorf("%d events after draining an empty spool", n)
	}
}

// TestNothingOvertakesTheSpool: a direct request drains first.
func TestNothingOvertakesTheSpool(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range 5 {
		for n := range 3 {
			h.leave(0, prompt(t, about(0), numbered(10*round+n)))
		}
		if round%2 == 0 {
			h.handle(prompt(t, about(0), numbered(10*round+3)))
			continue
		}
		h.serveForeign(t, wire.Foreign{Type: "decision.recorded", Session: "s", Project: "p", Data: json.RawMessage(fmt.Sprintf(`{"text":%q}`, numbered(10*round+3)))})
	}
	got := texts(t, h.log())
	if len(got) != 20 || !slices.IsSorted(got) {
		t.Errorf("in the log: %v", got)
	}
}

// serveForeign makes a request in JSON over the socket.
func (h *home) serveForeign(t *testing.T, f wire.Foreign) {
	t.Helper()
	if h.served == nil {
		h.serve()
	}
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var reply wire.Reply
	if err := json.Unmarshal(h.ask(wire.Append, b), &reply); err != nil || reply.Error != "" || len(reply.Seqs) != 1 {
		t.Fatalf("reply %+v, error %v", reply, err)
	}
}

// TestDrainedOnce: between storing and removing the owner can die, and what a
// hook believed lost can be in the log.
func TestDrainedOnce(t *testing.T) {
	t.Parallel()
	r := report(t, about(0), events.PromptSubmitted{Text: "once"}, events.TurnEnded{})
	for name, c := range map[string]struct {
		floor uint64
		again func(h *home)
	}{
		"stored and not removed":     {0, func(h *home) {}},
		"with a floor":               {1, func(h *home) {}},
		"drained by a new owner":     {0, func(h *home) { h.restart() }},
		"the file comes back":        {0, func(h *home) { h.leave(0, r...); h.drain(); h.leave(0, r...) }},
		"after the server forgot it": {0, forget},
		"forgotten, with a floor":    {1, forget},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			beforehand(t, dir, func(js jetstream.JetStream) error {
				_, err := js.CreateStream(context.Background(), jetstream.StreamConfig{
					Name: "JOURNAL_1", Subjects: []string{"journal.>"}, AllowDirect: true, Duplicates: 100 * time.Millisecond,
				})
				return err
			})
			h := homeIn(t, dir, owner.Config{})
			h.handle(prompt(t, about(0), "first"))
			h.handle(r...)
			h.leave(c.floor, r...)
			c.again(h)
			h.drain()
			var ids []string
			for _, e := range h.log(events.Selector{Session: "s"}) {
				ids = append(ids, e.ID)
			}
			if !slices.Equal(ids[1:], []string{r[0].ID, r[1].ID}) {
				t.Errorf("in the log: %v, want %s and %s once", ids[1:], r[0].ID, r[1].ID)
			}
			if n, aside := h.waiting(); n != 0 || aside != 0 {
				t.Errorf("%d wait, %d set aside", n, aside)
			}
			checkMarks(t, h, make([]uint64, len(h.log()))...)
		})
	}
}

// forget waits until the server knows no id any more that it knew before.
func forget(h *home) {
	h.t.Helper()
	m := about(0)
	m.Session = "probe"
	probe := prompt(h.t, m, "probe")
	testutil.Eventually(h.t, "the window is over", func() bool {
		_, duplicate, err := h.o.Log().Append(context.Background(), probe)
		if err != nil {
			h.t.Fatal(err)
		}
		if !duplicate && len(h.log(events.Selector{Session: "probe"})) == 1 {
			return false // the first one
		}
		return !duplicate
	})
}

func TestTwinsInTheSpool(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	m := about(0)
	m.Key = payload
	for range 2 {
		h.leave(0, report(t, m, events.TurnEnded{}, events.PromptSubmitted{})...)
	}
	h.drain()
	checkMarks(t, h, 0, 0, 1, 2)
}

// content writes a spool file's content by the documentation, not by the code.
func content(version int, encoding, body string) string {
	return fmt.Sprintf("journal-spool %d %s %d %x\n%s", version, encoding, len(body), sha256.Sum256([]byte(body)), body)
}

// foreignFile leaves a file in the spool as a script does, and gives its name.
func (h *home) foreignFile(n int, content string) string {
	h.t.Helper()
	name := fmt.Sprintf("00000000-%016x-file-%d.ev", n, n)
	write(h.t, filepath.Join(h.dir, "spool", name), content)
	if err := os.Chmod(filepath.Join(h.dir, "spool"), 0o700); err != nil {
		h.t.Fatal(err)
	}
	return name
}

// TestFilesInTheSpool: each file of a full spool is drained, set aside with the
// reason, or left for a newer program, and none is in the way of the others.
func TestFilesInTheSpool(t *testing.T) {
	t.Parallel()
	newer, err := wire.Encode(wire.Request{Wire: wire.Version + 1})
	if err != nil {
		t.Fatal(err)
	}
	reserved, err := wire.Encode(request(t, report(t, about(0), events.RecoveryGiven{})...))
	if err != nil {
		t.Fatal(err)
	}
	const drained, aside, left = "drained", "set aside", "left"
	for name, c := range map[string]struct {
		content, fate, reason string
	}{
		"json":              {content(1, spool.JSON, `{"id":"0197","type":"checkpoint.recorded","data":{"summary":"x"},"session":"s"}`), drained, ""},
		"json without id":   {content(1, spool.JSON, `{"type":"checkpoint.recorded","data":{"summary":"x"},"session":"s"}`), drained, ""},
		"unknown type":      {content(1, spool.JSON, `{"id":"0197","type":"moon.landed"}`), aside, "moon.landed"},
		"unknown field":     {content(1, spool.JSON, `{"id":"0197","type":"checkpoint.recorded","data":{"summary":"x"},"sesion":"s"}`), aside, "sesion"},
		"ill-typed field":   {content(1, spool.JSON, `{"id":"0197","type":"checkpoint.recorded","data":{"summary":3}}`), aside, "summary"},
		"reserved type":     {content(1, spool.JSON, `{"id":"0197","type":"recovery.sent"}`), aside, "recovery.sent"},
		"reserved, msgpack": {content(1, spool.Msgpack, string(reserved)), aside, "recovery.sent"},
		"id with a blank":   {content(1, spool.JSON, `{"id":"01 97","type":"checkpoint.recorded","data":{"summary":"x"}}`), aside, "malformed"},
		"not json":          {content(1, spool.JSON, `type: turn.ended`), aside, ""},
		"not msgpack":       {content(1, spool.Msgpack, "\xc1"), aside, ""},
		"other encoding":    {content(1, "cbor", "\xa0"), aside, ""},
		"torn":              {content(1, spool.JSON, `{"id":"0197","type":"checkpoint.recorded","data":{"summary":"x"}}`)[:60], aside, ""},
		"empty":             {"", aside, ""},
		"newer file":        {content(2, spool.JSON, `{}`), left, "update"},
		"newer request":     {content(1, spool.Msgpack, string(newer)), left, "update"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			file := h.foreignFile(1, c.content)
			h.leave(0, prompt(t, about(0), "behind"))
			h.drain()
			h.drain()
			if got := texts(t, h.log()); !slices.Equal(got, []string{"behind"}) {
				t.Errorf("behind it: %v", got)
			}
			_, atPlace := os.Stat(filepath.Join(h.dir, "spool", file))
			reason, atAside := os.ReadFile(filepath.Join(h.dir, "spool", "aside", file+".reason"))
			stored := len(h.logOf(events.TypeOf[events.CheckpointRecorded]()))
			fate := map[bool]string{true: left, false: drained}[atPlace == nil]
			if atAside == nil {
				fate = aside
			}
			if fate != c.fate || (stored == 1) != (c.fate == drained) {
				t.Errorf("%s, %d stored; want it %s", fate, stored, c.fate)
			}
			h.serve()
			if c.fate == aside && !strings.Contains(string(reason), c.reason) {
				t.Errorf("the reason is %q, want %q named", reason, c.reason)
			}
			problem := h.status().Problem
			if c.fate == drained && problem != "" || c.fate != drained && (!strings.Contains(problem, file) || !strings.Contains(problem, c.reason)) {
				t.Errorf("the owner's problem is %q", problem)
			}
		})
	}
}

// Of a report with an event that no log takes, the other events are stored, once. The file is set aside with the reason.
func TestOneEventIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(h *home, r *wire.Request)
		reason string
	}{
		"reserved": {func(h *home, r *wire.Request) {
			r.Events[1] = request(h.t, report(h.t, about(0), events.RecoveryGiven{})...).Events[0]
		}, "event 1: event type is not for appenders: recovery.sent"},
		"undecodable": {func(_ *home, r *wire.Request) { r.Events[1] = []byte("\x80") }, "event 1: envelope without id, type or version: malformed event"},
		"too large with its echo mark": {func(h *home, r *wire.Request) {
			m := about(0)
			m.Key = payload
			h.handle(report(h.t, m, events.PromptSubmitted{Text: "before"}, events.TurnEnded{}, events.TurnEnded{})...)
			large := func(n int) []byte {
				es := report(h.t, m, events.PromptSubmitted{Text: "first"}, events.PromptSubmitted{Text: strings.Repeat("x", n)}, events.PromptSubmitted{Text: "last"})
				*r = request(h.t, es...)
				return r.Events[1]
			}
			large(events.MaxBytes/2 + events.MaxBytes - len(large(events.MaxBytes/2)))
		}, "prompt.submitted of 524297 bytes: event is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			r := request(t, report(t, about(0), events.PromptSubmitted{Text: "first"}, events.TurnEnded{}, events.PromptSubmitted{Text: "last"})...)
			c.spoil(h, &r)
			if err := client.Open(h.dir, client.Options{}).Save(r); err != nil {
				t.Fatal(err)
			}
			h.leave(0, prompt(t, about(0), "behind"))
			h.drain()
			h.drain()
			got := texts(t, h.log())
			if !slices.Equal(got[len(got)-3:], []string{"first", "last", "behind"}) {
				t.Errorf("in the log: %q", got)
			}
			reasons, err := filepath.Glob(filepath.Join(h.dir, "spool", "aside", "*.reason"))
			if err != nil || len(reasons) != 1 {
				t.Fatalf("set aside: %q, error %v", reasons, err)
			}
			if b, err := os.ReadFile(reasons[0]); err != nil || !strings.Contains(string(b), c.reason) || !strings.HasSuffix(string(b), "; the other events are stored\n") {
				t.Errorf("the reason is %q, error %v", b, err)
			}
			if waiting, _ := h.waiting(); waiting != 0 {
				t.Errorf("%d wait", waiting)
			}
		})
	}
}

// A report moves into the project in which its session began. That project gets no path of the report's own project, also if an event of the
// report becomes too large by the move.
func TestRefusedEventOfMovedReport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	m := about(0)
	m.Project = "where-the-session-began"
	h.handle(prompt(t, m, "begin"))
	m.Project = "q"
	moved := func(n int) wire.Request {
		r := request(t, report(t, m, events.PromptSubmitted{Text: "moved"}, events.PromptSubmitted{Text: strings.Repeat("x", n)})...)
		r.Root = "/nowhere/q"
		return r
	}
	largest := events.MaxBytes/2 + events.MaxBytes - len(moved(events.MaxBytes / 2).Events[1])
	if err := client.Open(h.dir, client.Options{}).Save(moved(largest)); err != nil {
		t.Fatal(err)
	}
	h.drain()
	if got := texts(t, h.log()); !slices.Equal(got, []string{"begin", "moved"}) {
		t.Errorf("in the log: %q", got)
	}
	if seen := h.logOf(events.TypeOf[events.ProjectSeen]()); len(seen) > 0 {
		t.Errorf("the path of the other project is recorded: %+v", seen)
	}
}

// TestForeignFileIsAppendedOnce: a script that gives no id has its file's name.
func TestForeignFileIsAppendedOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, body := range []string{
		`{"type":"checkpoint.recorded","data":{"summary":"x"},"session":"a"}`,
		`{"id":"my-own-id","type":"checkpoint.recorded","data":{"summary":"x"},"session":"a","at":17,"root":"/nowhere/web"}`,
	} {
		for range 2 {
			h.foreignFile(len(body), content(1, spool.JSON, body))
			h.drain()
		}
	}
	got := h.logOf(events.TypeOf[events.CheckpointRecorded]())
	if len(got) != 2 || got[1].ID != "my-own-id" || got[1].At != 17 || got[1].Project != client.ProjectKey("/nowhere/web") {
		t.Fatalf("in the log: %+v", got)
	}
	if got[0].ID == "" || got[0].At == 0 || got[0].Project != events.None {
		t.Errorf("the owner fills in %+v", got[0].Meta)
	}
}

// TestDamageKeepsTheSpool: an event in the spool is not to blame for one in the
// log that cannot be read.
func TestDamageKeepsTheSpool(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{"journal.p.s.prompt.submitted", "journal.p.none.project.seen", "journal.p.s.usage.sampled"} {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			beforehand(t, dir, func(js jetstream.JetStream) error {
				l, err := journal.CreateLog(context.Background(), js)
				if err == nil {
					_, _, err = l.Append(context.Background(), prompt(t, about(0), "good"))
				}
				if err == nil {
					_, err = js.Publish(context.Background(), subject, []byte("?"), jetstream.WithMsgID("broken"))
				}
				return err
			})
			h := homeIn(t, dir, owner.Config{})
			sample := report(t, about(0), events.UsageSampled{Tokens: 1000, Model: "m"}, events.PromptSubmitted{Text: "spooled"})
			h.leave(0, sample...)
			r := request(t, prompt(t, about(0), "direct"))
			r.Root = "/nowhere/p"
			if reply := h.o.Handle(t.Context(), r); reply.Error != "" {
				t.Errorf("reply: %+v", reply)
			}
			if n, aside := h.waiting(); n != 0 || aside != 0 {
				t.Errorf("%d wait, %d set aside", n, aside)
			}
			last, err := h.o.Log().Last(t.Context(), events.Selector{Session: "s"})
			if err != nil || !slices.Equal(texts(t, []events.Envelope{last}), []string{"direct"}) {
				t.Errorf("newest event %+v, error %v", last, err)
			}
		})
	}
}

// What comes out of the spool at once is in the log as if it had come one by one: in its
// order, each event once, in its session's project, with its echo marks; and what nobody
// takes is in nobody's way.
func TestDrainAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			chance := rand.New(rand.NewPCG(seed, 0))
			atOnce, each := newHome(t), newHome(t)
			var before [][]events.Envelope
			for n := range 250 {
				m := about(time.Duration(n/3) * time.Second)
				m.Session, m.Project = fmt.Sprint("s", chance.IntN(4)), fmt.Sprint("p", chance.IntN(3))
				if chance.IntN(3) == 0 {
					m.Key = payload
				}
				evs := []events.Event{events.PromptSubmitted{Text: numbered(n)}}
				switch chance.IntN(20) {
				case 0:
					evs = []events.Event{events.SessionStarted{Source: "clear"}}
				case 1:
					evs = []events.Event{events.FileObserved{Path: "progress.md", Kind: events.FlowFile, Digest: fmt.Sprint(n % 5)}}
				case 2:
					evs = append(evs, events.TurnEnded{})
				}
				r := report(t, m, evs...)
				if len(before) > 0 && chance.IntN(10) == 0 { // its hook believed that it was lost
					r = before[chance.IntN(len(before))]
				}
				before = append(before, r)
				for _, h := range []*home{atOnce, each} {
					if h.leave(0, r...); n%50 == 7 {
						h.broken(n)
					}
				}
				each.drain()
			}
			atOnce.drain()
			if diff := cmp.Diff(seen(each.log()), seen(atOnce.log())); diff != "" {
				t.Errorf("one by one -, at once +:\n%s", diff)
			}
			for _, h := range []*home{atOnce, each} {
				if waiting, aside := h.waiting(); waiting != 0 || aside != 5 {
					t.Errorf("%d wait and %d are set aside", waiting, aside)
				}
			}
		})
	}
}

// broken leaves a file that no owner takes, in the order of what hooks leave.
func (h *home) broken(n int) {
	h.t.Helper()
	name, err := spool.Name(fmt.Sprint("broken-", n))
	if err != nil {
		h.t.Fatal(err)
	}
	write(h.t, filepath.Join(h.dir, "spool", name), content(1, spool.JSON, `{"type":"moon.landed"}`))
}

// seen is what of events does not depend on when they were stored.
func seen(all []events.Envelope) (lines []string) {
	for _, e := range all {
		id := e.ID
		if events.Reserved(e.Type) {
			id = ""
		}
		lines = append(lines, fmt.Sprintf("%d %s %s %s/%s echo of %d", e.Seq, id, e.Type, e.Project, e.Session, e.EchoOf))
	}
	return lines
}

// An owner with a full spool listens before it drains: it says how it is, and what is owed
// to those who queue up behind is given.
func TestServesWhileDraining(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	const files = 200
	for n := range files {
		h.foreignFile(n, content(1, spool.JSON, fmt.Sprintf(`{"type":"note.recorded","data":{"text":"note %d"},"session":"s"}`, n)))
	}
	open, goOn := make(chan struct{}), make(chan struct{})
	h.served = make(chan error, 1)
	go func() {
		h.served <- h.o.Serve(context.Background(), func() error {
			close(open)
			<-goOn
			return nil
		})
	}()
	<-open
	if n := h.status().Spooled; n != files {
		t.Errorf("%d wait when requests are answered", n)
	}
	type answer struct {
		client.Receipt
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		start := restarted(t, 3*time.Second)
		r := request(t, start)
		r.Answer = owed(start)
		got, err := client.Open(h.dir, client.Options{}).Send(context.Background(), r, testutil.Patience)
		answered <- answer{got, err}
	}()
	testutil.Eventually(t, "it queues up, or is there already", func() bool {
		n, _ := h.waiting()
		return n > files || len(h.logOf(events.TypeOf[events.ContextRestarted]())) > 0
	})
	close(goOn)
	if got := <-answered; got.err != nil || !got.Spooled || got.Text == "" {
		t.Errorf("behind the spool: %+v", got)
	}
	notes, start := h.logOf(events.TypeOf[events.NoteRecorded]()), h.logOf(events.TypeOf[events.ContextRestarted]())
	if len(notes) != files || len(start) != 1 || start[0].Seq < notes[files-1].Seq {
		t.Errorf("%d notes, starts %+v", len(notes), start)
	}
	for _, mark := range []string{"owner.slow", "owner.hung"} {
		if _, err := os.Stat(filepath.Join(h.dir, mark)); err == nil {
			t.Errorf("an owner that drains is taken for slow: %s", mark)
		}
	}
}

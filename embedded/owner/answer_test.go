package owner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay/recovery"
)

// owed asks for the recovery text as of an event.
func owed(e events.Envelope) *wire.AnswerRequest {
	return &wire.AnswerRequest{Kind: wire.RecoveryText, Event: e.ID, Last: e.ID, Lang: "en", Units: 9500, Vital: 1900}
}

// remember gives the session something that is worth giving back.
func remember(h *home) {
	h.t.Helper()
	h.handle(prompt(h.t, about(0), "build the lighthouse"))
	h.handle(report(h.t, about(time.Second),
		events.DecisionRecorded{Text: "bricks, not stone"},
		events.TodosWritten{Todos: []events.Todo{{Text: "lay the foundation", Status: "in_progress"}}},
	)...)
	h.handle(report(h.t, about(2*time.Second), events.CompactionIntended{Trigger: "auto"})...)
}

func restarted(t testing.TB, at time.Duration) events.Envelope {
	t.Helper()
	return report(t, about(at), events.ContextRestarted{})[0]
}

// asks reports an event and asks for an answer as of it.
func (h *home) asks(e events.Envelope, o *wire.AnswerRequest) wire.Reply {
	h.t.Helper()
	r := request(h.t, e)
	r.Answer = o
	reply := h.o.Handle(context.Background(), r)
	if reply.Error != "" {
		h.t.Fatal(reply.Error)
	}
	return reply
}

func (h *home) given() []events.RecoveryGiven {
	h.t.Helper()
	var all []events.RecoveryGiven
	for _, e := range h.logOf(events.TypeOf[events.RecoveryGiven]()) {
		ev, err := events.Open(e)
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, ev.(events.RecoveryGiven))
	}
	return all
}

// TestOneOfManyAskers: 20 hooks of one compaction ask at once, each in the
// belief that it is the only one (ADR-0006).
func TestOneOfManyAskers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	h.serve()
	a := client.Open(h.dir, client.Options{})
	m := about(time.Minute)
	m.Key = payload
	var mu sync.Mutex
	var got []string
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			e := report(t, m, events.ContextRestarted{})[0]
			r := request(t, e)
			r.Answer = owed(e)
			receipt, err := a.Send(context.Background(), r, testutil.Patience)
			if err != nil {
				t.Error(err)
			}
			if receipt.Text != "" {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, receipt.Text)
			}
		})
	}
	group.Wait()
	if len(got) != 1 || !strings.Contains(got[0], "bricks, not stone") || len(h.given()) != 1 {
		t.Fatalf("%d texts, %d claims, want one: %q", len(got), len(h.given()), got)
	}
	originals := 0
	for _, e := range h.logOf(events.TypeOf[events.ContextRestarted]()) {
		if e.EchoOf == 0 {
			originals++
		}
	}
	if originals != 1 {
		t.Errorf("%d compactions, want one and 19 echoes", originals)
	}
}

func TestNothingKnownNothingSaid(t *testing.T) {
	t.Parallel()
	for kind, ev := range map[string]events.Event{
		wire.RecoveryText:   events.ContextRestarted{},
		wire.Guidance:       events.CompactionIntended{},
		wire.PressureNotice: events.PromptSubmitted{},
		"of next year":      events.ContextRestarted{},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			e := report(t, about(0), ev)[0]
			o := owed(e)
			o.Kind = kind
			if reply := h.asks(e, o); reply.Text != "" || reply.To != "" || len(reply.Seqs) != 1 {
				t.Errorf("reply %+v", reply)
			}
			if n := len(h.log()); n != 1 {
				t.Errorf("%d events, want the asker's alone", n)
			}
		})
	}
}

// TestRecoveryIsGivenOnce walks through the life of a session and says who is
// given the text.
func TestRecoveryIsGivenOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	step := func(what string, e events.Envelope, want bool) {
		t.Helper()
		if reply := h.asks(e, owed(e)); (reply.Text != "") != want || want && reply.To != wire.ToModel {
			t.Errorf("%s: given to %q: %q; want given %v", what, reply.To, reply.Text, want)
		}
	}
	resumed := func(at time.Duration) events.Envelope {
		return report(t, about(at), events.SessionStarted{Source: "resume"})[0]
	}
	remember(h)
	step("a resume before any compaction", resumed(time.Minute), false)

	first := restarted(t, 10*time.Minute)
	first.Key = payload
	step("the compaction", first, true)
	step("the same hook again", first, false)
	echo := restarted(t, 10*time.Minute+time.Second)
	echo.Key = payload
	step("its echo", echo, false)
	step("a later report of it", restarted(t, 11*time.Minute), false)
	h.restart()
	step("one to another owner", restarted(t, 12*time.Minute), false)

	again := resumed(20 * time.Minute)
	again.Key = payload
	step("a resume that lost it", again, true)
	step("the same resume again", again, false)
	echo = resumed(20*time.Minute + time.Second)
	echo.Key = payload
	step("its echo", echo, false)
	step("the next resume", resumed(30*time.Minute), true)

	h.handle(report(t, about(40*time.Minute), events.CommandRan{Command: "make"})...)
	step("the next compaction", restarted(t, 50*time.Minute), true)

	given := h.given()
	if len(given) != 4 {
		t.Fatalf("%d claims, want 4", len(given))
	}
	for i, want := range []events.RecoveryGiven{{Compaction: 1}, {Compaction: 1, Resume: true}, {Compaction: 1, Resume: true}, {Compaction: 2}} {
		if given[i].Compaction != want.Compaction || given[i].Resume != want.Resume {
			t.Errorf("claim %d: %+v", i, given[i])
		}
	}
}

// TestRecoveryStaysInItsLane (ADR-0006 rule 5).
func TestRecoveryStaysInItsLane(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	for name, change := range map[string]func(*events.Meta){
		"project": func(m *events.Meta) { m.Session, m.Project = "u", "q" }, // a session is of one project
		"session": func(m *events.Meta) { m.Session, m.Project = "t", "r" },
	} {
		m := about(time.Hour)
		change(&m)
		e := report(t, m, events.ContextRestarted{})[0]
		if reply := h.asks(e, owed(e)); reply.Text != "" {
			t.Errorf("another %s was given %q", name, reply.Text)
		}
	}
	m := about(time.Hour)
	m.Lane = "helper"
	e := report(t, m, events.ContextRestarted{})[0]
	if reply := h.asks(e, owed(e)); strings.Contains(reply.Text, "lighthouse") || !strings.Contains(reply.Text, "bricks") {
		t.Errorf("a subagent gets the project's decisions and not the main lane's wish: %q", reply.Text)
	}
}

// TestLiveIsReplayed: what the owner said is what replaying the log as of the
// same event says.
func TestLiveIsReplayed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range 4 {
		at := time.Duration(round) * time.Hour
		h.handle(prompt(t, about(at), fmt.Sprint("wish ", round)))
		h.handle(report(t, about(at+time.Second), events.CommandRan{Command: fmt.Sprint("make ", round), Failed: round%2 == 0, Error: "no rule"},
			events.FileWritten{Path: fmt.Sprintf("/src/%d.go", round)})...)
		if round == 2 {
			h.restart()
		}
		r := report(t, about(at+2*time.Second), events.CompactionCompleted{Summary: "s"}, events.ContextRestarted{})
		o := owed(r[0])
		o.Last, o.Lang = r[1].ID, []string{"en", "ko", "ja", "xx"}[round]
		req := request(t, r...)
		req.Answer = o
		// The event that the answer is for decides whether it is a repetition.
		o.Event = r[1].ID
		reply := h.o.Handle(t.Context(), req)
		if reply.Error != "" || reply.Text == "" {
			t.Fatalf("round %d: %+v", round, reply)
		}
		h.handle(prompt(t, about(at+time.Minute), "later"))

		asOf := reply.Seqs[1]
		target := projections.Target{Project: "p", Session: "s"}
		derived, err := recovery.Replayed(t.Context(), h.o.Log(), target, settings().Fold, asOf)
		if err != nil {
			t.Fatal(err)
		}
		tmpl, err := recovery.Template(o.Lang, "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := recovery.Render(derived, tmpl, recovery.Limit{Units: o.Units, Vital: o.Vital})
		if err != nil {
			t.Fatal(err)
		}
		if reply.Text != want.Text {
			t.Errorf("round %d: live\n%s\nreplayed\n%s", round, reply.Text, want.Text)
		}
		given := h.given()[round]
		if given.AsOf != asOf || given.Digest != want.Digest || given.Units != want.Units || given.Compaction != round+1 {
			t.Errorf("round %d: claimed %+v; as of %d, digest %s", round, given, asOf, want.Digest)
		}
	}
}

// TestAskerBehindTheSpool: the event of the asker was spooled before the owner
// was there; its answer comes all the same.
func TestAskerBehindTheSpool(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	h.close()
	e := restarted(t, time.Minute)
	r := request(t, e)
	r.Answer = owed(e)
	a := client.Open(h.dir, client.Options{Start: func(string) error {
		h.open()
		h.serve()
		return nil
	}})
	receipt, err := a.Send(t.Context(), r, testutil.Patience)
	if err != nil || !receipt.Spooled || !strings.Contains(receipt.Text, "lighthouse") {
		t.Errorf("%+v, error %v", receipt, err)
	}
}

func TestLanguagesAndLimits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for n := range 40 {
		h.handle(report(t, about(0), events.DecisionRecorded{Text: fmt.Sprint(n, strings.Repeat(" 결정", 50))})...)
	}
	said := map[string]string{}
	for i, lang := range []string{"en", "ko", "ja", "zz", ""} {
		for j, units := range []int{9500, 3000, 700, 40, 0, -5} {
			h.handle(report(t, about(0), events.ToolUsed{Tool: "x"})...)
			e := restarted(t, time.Duration(10*i+j)*time.Minute)
			o := owed(e)
			o.Lang, o.Units = lang, units
			got := h.asks(e, o).Text
			limit := units
			if limit == 0 {
				limit = 9500
			}
			if n := text.Units(got); n > max(limit, 0) || limit > 0 && got == "" {
				t.Errorf("%q within %d units: %d units", lang, units, n)
			}
			if j == 0 {
				said[lang] = strings.SplitN(got, "\n", 2)[0]
			}
		}
	}
	if said["en"] == said["ko"] || said["en"] == said["ja"] || said["ko"] == said["ja"] || said["zz"] != said["en"] || said[""] != said["en"] {
		t.Errorf("first lines: %q", said)
	}
}

// TestTemplates: a person's own template is used; a broken one costs nothing
// but itself.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"own":        {"MINE {{range .Vital}}{{range .Items}}{{.Text}};{{end}}{{end}}", "MINE"},
		"unparsable": {"{{if}", "# Journal"},
		"failing":    {"{{.Nonsense}}", "# Journal"},
		"endless":    {`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`, "# Journal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := homeIn(t, ownertest.Dir(t), owner.Config{Settings: func() owner.Settings {
				s := settings()
				s.Template = func(lang string) string {
					if lang != "en" {
						return ""
					}
					return c.source
				}
				return s
			}})
			remember(h)
			e := restarted(t, time.Minute)
			if got := h.asks(e, owed(e)).Text; !strings.HasPrefix(got, c.want) || !strings.Contains(got, "bricks") {
				t.Errorf("given %q, want %q and what is known", got, c.want)
			}
		})
	}
}

func TestGuidance(t *testing.T) {
	t.Parallel()
	quiet := false
	h := homeIn(t, ownertest.Dir(t), owner.Config{Settings: func() owner.Settings {
		s := settings()
		s.NoGuidance = quiet
		return s
	}})
	remember(h)
	intended := func(at time.Duration, units int) (events.Envelope, wire.Reply) {
		m := about(at)
		m.Key = payload
		e := report(t, m, events.CompactionIntended{Trigger: "manual"})[0]
		o := owed(e)
		o.Kind, o.Units = wire.Guidance, units
		return e, h.asks(e, o)
	}
	if _, r := intended(time.Minute, 9500); r.To != wire.ToSummariser || !strings.Contains(r.Text, "bricks") {
		t.Errorf("reply %+v", r)
	}
	if _, r := intended(time.Minute+time.Second, 9500); r.Text != "" {
		t.Errorf("its echo is told %q", r.Text)
	}
	if _, r := intended(time.Hour, 30); r.Text == "" || text.Units(r.Text) > 30 {
		t.Errorf("the next intention is told %q", r.Text)
	}
	quiet = true
	if _, r := intended(2*time.Hour, 9500); r.Text != "" {
		t.Errorf("switched off, it says %q", r.Text)
	}
	if n := len(h.logOf(events.TypeOf[events.NoticeGiven]())); n != 2 {
		t.Errorf("%d notices, want 2", n)
	}
}

func TestPressure(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	minute := 0
	sampled := func(percent int, lane string) string {
		t.Helper()
		minute++
		m := about(time.Duration(minute) * time.Minute)
		m.Lane = lane
		h.handle(report(t, m, events.UsageSampled{Percent: percent, Tokens: int64(percent) * 1000, Window: 100_000})...)
		e := prompt(t, m, "on")
		o := owed(e)
		o.Kind = wire.PressureNotice
		return h.asks(e, o).Text
	}
	for i, c := range []struct {
		percent int
		lane    string
		want    string
	}{
		{10, "", ""}, {99, "helper", ""}, {99, "", "99"}, {99, "", ""}, {10, "", "89k tokens went"}, {99, "", "99"},
	} {
		if got := sampled(c.percent, c.lane); (got != "") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("step %d, %d percent in lane %q: told %q", i, c.percent, c.lane, got)
		}
	}
}

// In a long turn the urgent level is told after a tool call, once, and not again with
// the next prompt; nothing is folded where no usage was sampled (S1.4).
func TestUrgentInALongTurn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	minute := 0
	ask := func(kind string, e func(events.Meta) events.Envelope) string {
		t.Helper()
		minute++
		one := e(about(time.Duration(minute) * time.Minute))
		o := owed(one)
		o.Kind = kind
		return h.asks(one, o).Text
	}
	tool := func(m events.Meta) events.Envelope { return report(t, m, events.CommandRan{Command: "make"})[0] }
	typed := func(m events.Meta) events.Envelope { return prompt(t, m, "on") }
	sampled := func(percent int) {
		minute++
		m := about(time.Duration(minute) * time.Minute)
		h.handle(report(t, m, events.UsageSampled{Percent: percent, Tokens: int64(percent) * 1000, Window: 100_000})...)
	}
	if got := ask(wire.UrgentNotice, tool); got != "" {
		t.Errorf("without a sample: %q", got)
	}
	sampled(62)
	if got := ask(wire.UrgentNotice, tool); got != "" {
		t.Errorf("the informative level is for prompts: %q", got)
	}
	if got := ask(wire.PressureNotice, typed); !strings.Contains(got, "62 %") {
		t.Errorf("at the prompt: %q", got)
	}
	sampled(80)
	if got := ask(wire.UrgentNotice, tool); !strings.Contains(got, "80 %") {
		t.Errorf("after the tool call: %q", got)
	}
	sampled(81)
	for kind, e := range map[string]func(events.Meta) events.Envelope{wire.UrgentNotice: tool, wire.PressureNotice: typed} {
		if got := ask(kind, e); got != "" {
			t.Errorf("told again: %q", got)
		}
	}
}

func TestAnswerForAnUnknownEvent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	h.serve()
	r := wire.Request{Wire: wire.Version, Answer: owed(events.Envelope{Meta: events.Meta{ID: events.NewID()}})}
	if reply := h.o.Handle(t.Context(), r); reply.Text != "" || reply.Error != "" {
		t.Errorf("reply %+v", reply)
	}
	if p := h.status().Problem; !strings.Contains(p, "not among the newest events") {
		t.Errorf("problem %q", p)
	}
}

// What a person wants given back comes with the next prompt, all of it and once
// (journal restore --inject).
func TestRestore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ask := func(at time.Duration, lang string) string {
		e := prompt(t, about(at), fmt.Sprint("prompt at ", at))
		return h.asks(e, &wire.AnswerRequest{Kind: wire.PressureNotice, Event: e.ID, Last: e.ID, Lang: lang, Units: 9500, Vital: 1900}).Text
	}
	if got := ask(time.Second, "en"); got != "" {
		t.Errorf("nobody asked, and %q is given", got)
	}
	h.handle(report(t, about(2*time.Second), events.RestoreRequested{Text: "the error of #3"})...)
	h.handle(report(t, about(3*time.Second), events.RestoreRequested{Text: "the file of #4"})...)
	got := ask(4*time.Second, "ko")
	if !strings.Contains(got, "the error of #3\n\nthe file of #4") || !strings.Contains(got, "저널") {
		t.Errorf("given: %q", got)
	}
	if got := ask(5*time.Second, "en"); got != "" {
		t.Errorf("given again: %q", got)
	}
	h.handle(report(t, about(6*time.Second), events.RestoreRequested{Text: "the todo of #5"})...)
	if got := ask(7*time.Second, "en"); !strings.Contains(got, "the todo of #5") || strings.Contains(got, "#3") {
		t.Errorf("given: %q", got)
	}
}

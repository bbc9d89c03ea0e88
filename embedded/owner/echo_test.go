package owner_test

import (
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/embedded/rebuild"
	"journal/events"
)

// step is one report of a case, and which earlier one it has to echo.
type step struct {
	lane   string // of the session s, or "project/session/lane"
	key    string
	at     time.Duration
	events int // 0 is one
	echoes int // 1 is the first step; 0 is none
}

const (
	tool    = events.ToolKey + "toolu_1/post"
	payload = events.PayloadKey + "3f2a"
)

// echoCases is the table of ADR-0002 rule 4.
var echoCases = map[string][]step{
	"the same tool call": {
		{key: tool}, {key: tool, at: time.Millisecond, echoes: 1},
	},
	"the same tool call much later, with others between": {
		{key: tool}, {key: payload}, {key: "p1"}, {key: tool, at: time.Hour, echoes: 1},
	},
	"the same tool call after more reports than are compared": {
		{key: tool}, {}, {}, {}, {}, {}, {}, {}, {}, {key: tool},
	},
	"the same tool call as the oldest that is compared": {
		{key: tool}, {}, {}, {}, {}, {}, {}, {}, {key: tool, echoes: 1},
	},
	"the same words at once": {
		{key: payload}, {key: payload, at: 1999 * time.Millisecond, echoes: 1},
	},
	"the same words by a clock that is behind": {
		{key: payload, at: time.Second}, {key: payload, echoes: 1},
	},
	"the same words two seconds later": {
		{key: payload}, {key: payload, at: 2 * time.Second},
	},
	"the same words two seconds earlier": {
		{key: payload, at: 2 * time.Second}, {key: payload},
	},
	"the same words behind another report": {
		{key: payload}, {key: "p1"}, {key: payload, at: time.Millisecond},
	},
	"the same words behind a report without a key": {
		{key: payload}, {}, {key: payload, at: time.Millisecond},
	},
	"the same words behind a report of another lane": {
		{key: payload}, {lane: "helper", key: "p1"}, {key: payload, at: time.Millisecond, echoes: 1},
	},
	"three in a row": {
		{key: payload}, {key: payload, at: time.Millisecond, echoes: 1}, {key: payload, at: 2 * time.Millisecond, echoes: 1},
	},
	"a chain does not reach further than its beginning": {
		{key: payload}, {key: payload, at: 1500 * time.Millisecond, echoes: 1}, {key: payload, at: 2500 * time.Millisecond},
	},
	"a new original after the window": {
		{key: payload}, {key: payload, at: 3 * time.Second}, {key: payload, at: 3100 * time.Millisecond, echoes: 2},
	},
	"pairs": {
		{key: payload}, {key: payload, echoes: 1}, {key: "p1"}, {key: "p1", echoes: 3}, {key: payload}, {key: payload, echoes: 5},
	},
	"several events, position by position": {
		{key: tool, events: 3}, {key: tool, events: 3, echoes: 1}, {key: tool, events: 3, echoes: 1},
	},
	"no key": {
		{}, {},
	},
	"other lanes and sessions": {
		{key: tool}, {lane: "helper", key: tool}, {lane: "p/t/", key: tool}, {lane: "q/u/", key: tool},
		{lane: "helper", key: tool, echoes: 2}, {lane: "p/t/", key: tool, echoes: 3}, {lane: "q/u/", key: tool, echoes: 4},
	},
}

// TestEchoes gives every case to an owner directly, through the spool, and with
// a new owner for every report: the marks are the same.
func TestEchoes(t *testing.T) {
	t.Parallel()
	for way, deliver := range map[string]func(*home, []events.Envelope){
		"directly":       func(h *home, r []events.Envelope) { h.handle(r...) },
		"by the spool":   func(h *home, r []events.Envelope) { h.leave(0, r...); h.drain() },
		"to a new owner": func(h *home, r []events.Envelope) { h.restart(); h.handle(r...) },
	} {
		for name, steps := range echoCases {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				checkEchoes(t, steps, deliver)
			})
		}
	}
}

func checkEchoes(t *testing.T, steps []step, deliver func(*home, []events.Envelope)) {
	h := newHome(t)
	var want []uint64  // echo marks in the order of the log
	var first []uint64 // the first sequence of each step
	next := uint64(1)
	for _, s := range steps {
		m := about(s.at)
		m.Key, m.Lane = s.key, s.lane
		if p, rest, ok := cut3(s.lane); ok {
			m.Project, m.Session, m.Lane = p, rest[0], rest[1]
		}
		var es []events.Event
		first = append(first, next)
		for n := range max(1, s.events) {
			es = append(es, events.TurnEnded{})
			mark := uint64(0)
			if s.echoes != 0 {
				mark = first[s.echoes-1] + uint64(n)
			}
			want = append(want, mark)
			next++
		}
		deliver(h, report(t, m, es...))
	}
	got := h.log()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i, e := range got {
		if e.EchoOf != want[i] {
			t.Errorf("seq %d echoes %d, want %d", e.Seq, e.EchoOf, want[i])
		}
	}
}

// TestRetryIsNoEcho: an event that is sent again under its own id keeps its
// place and its meaning.
func TestRetryIsNoEcho(t *testing.T) {
	t.Parallel()
	for _, key := range []string{tool, payload} {
		h := newHome(t)
		m := about(0)
		m.Key = key
		r := report(t, m, events.TurnEnded{}, events.PromptSubmitted{})
		seqs := h.handle(r...)
		for _, again := range []func(){
			func() {},
			h.restart,
			func() { h.leave(0, r...); h.drain() },
		} {
			again()
			if got := h.handle(r...); got[0] != seqs[0] || got[1] != seqs[1] {
				t.Errorf("key %s: places %v, then %v", key, seqs, got)
			}
		}
		for _, e := range h.log() {
			if e.EchoOf != 0 || e.Seq > 2 {
				t.Errorf("key %s: seq %d echoes %d", key, e.Seq, e.EchoOf)
			}
		}
	}
}

// A store that was written anew does not remember ids: the owner knows those of the newest events.
func TestRetryAfterARebuild(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := report(t, about(0), events.TurnEnded{}, events.PromptSubmitted{})
	seqs := h.handle(r...)
	h.close()
	lock := ownertest.Lock(t, h.dir)
	if _, err := rebuild.Rebuild(t.Context(), lock, rebuild.Options{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	h.open()
	if got := h.handle(r...); got[0] != seqs[0] || got[1] != seqs[1] || len(h.log()) != 3 { // with log.repaired
		t.Errorf("places %v, then %v of %d events", seqs, got, len(h.log()))
	}
}

// TestRestOfAReport: an owner that dies within a report leaves the rest to the
// spool. It is neither an echo of its own beginning nor out of step with the
// report that it echoes.
func TestRestOfAReport(t *testing.T) {
	t.Parallel()
	m := about(0)
	m.Key = tool
	whole := []events.Event{events.TurnEnded{}, events.PromptSubmitted{}, events.TurnEnded{}}

	t.Run("of an original", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		r := report(t, m, whole...)
		h.handle(r[0])
		h.restart()
		h.leave(0, r...)
		h.drain()
		checkMarks(t, h, 0, 0, 0)
	})
	t.Run("of an echo", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.handle(report(t, m, whole...)...)
		twin := report(t, m, whole...)
		h.handle(twin[0])
		h.restart()
		h.leave(0, twin...)
		h.drain()
		checkMarks(t, h, 0, 0, 0, 1, 2, 3)
	})
}

func checkMarks(t *testing.T, h *home, want ...uint64) {
	t.Helper()
	got := []uint64{}
	for _, e := range h.log() {
		got = append(got, e.EchoOf)
	}
	if len(got) != len(want) {
		t.Fatalf("marks %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("marks %v, want %v", got, want)
		}
	}
}

// TestEchoMarksAreTheOwners: what a client says about echoes does not count.
func TestEchoMarksAreTheOwners(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	m := about(0)
	m.EchoOf = 1
	h.handle(prompt(t, m, "no echo"))
	h.leave(0, prompt(t, m, "none either"))
	h.drain()
	checkMarks(t, h, 0, 0)
}

// TestAnswersDoNotSeparateTwins: what the owner itself appends is no report of
// the lane, before a restart and after it.
func TestAnswersDoNotSeparateTwins(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	m := about(time.Minute)
	m.Key = payload
	// The answer is for the second event of its report.
	r := report(t, m, events.TurnEnded{}, events.ContextRestarted{})
	req := request(t, r...)
	req.Answer = owed(r[1])
	if reply := h.o.Handle(t.Context(), req); reply.Text == "" {
		t.Fatalf("no answer: %+v", reply)
	}
	h.restart()
	m.At++
	seqs := h.handle(report(t, m, events.TurnEnded{}, events.ContextRestarted{})...)
	all := h.log()
	for i, e := range all[len(all)-2:] {
		if want := r[i].ID; e.EchoOf == 0 || all[e.EchoOf-1].ID != want {
			t.Errorf("seq %d echoes %d, want the place of %s", seqs[i], e.EchoOf, want)
		}
	}
}

// cut3 takes "project/session/lane" apart.
func cut3(s string) (project string, rest [2]string, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return "", rest, false
	}
	return parts[0], [2]string{parts[1], parts[2]}, true
}

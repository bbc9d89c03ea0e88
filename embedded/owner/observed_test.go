package owner_test

import (
	"testing"
	"time"

	"journal/events"
)

// progress is an observation of working notes with one entry of that text.
func progress(digest, text string) events.FileObserved {
	return events.FileObserved{
		Path: ".claude/context/progress.md", Kind: events.FlowFile, Digest: digest,
		Entries: []events.Entry{{Heading: "2026-02-18 — a step", Text: text}},
	}
}

// seen gives the digests of the stored observations, "gone" and gaps for those
// without.
func (h *home) seen() []string {
	h.t.Helper()
	var all []string
	for _, e := range h.logOf("file.observed") {
		ev, err := events.Open(e)
		if err != nil {
			h.t.Fatal(err)
		}
		f := ev.(events.FileObserved)
		switch {
		case f.Gone:
			all = append(all, "gone")
		case f.Gap != "":
			all = append(all, f.Gap)
		default:
			all = append(all, f.Digest)
		}
		if e.EchoOf != 0 {
			h.t.Errorf("the observation #%d is an echo of #%d", e.Seq, e.EchoOf)
		}
	}
	return all
}

func (h *home) wantSeen(want ...string) {
	h.t.Helper()
	got := h.seen()
	if len(got) != len(want) {
		h.t.Fatalf("stored %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			h.t.Fatalf("stored %q, want %q", got, want)
		}
	}
}

// TestObservationsThatAddNothing: ADR-0007, whoever reports them, in
// whichever session, and after a restart of the owner too.
func TestObservationsThatAddNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := func(s string, e events.FileObserved) []uint64 {
		m := about(0)
		m.Session = s
		return h.handle(report(t, m, events.TurnEnded{}, e)...)
	}
	first := session("s", progress("a", "one"))
	again := session("t", progress("a", "one"))
	if again[1] != first[1] || again[0] == first[0] {
		t.Errorf("places %v, then %v: the observation has to have the place it has", first, again)
	}
	h.restart()
	session("s", progress("a", "one"))
	h.wantSeen("a")
	session("s", progress("b", "two"))
	session("s", progress("a", "one")) // it was changed back: a fact
	h.wantSeen("a", "b", "a")
	gone := progress("", "")
	gone.Gone, gone.Entries = true, nil
	session("s", gone)
	session("t", gone)
	session("t", progress("a", "one"))
	gap := events.FileObserved{Path: gone.Path, Kind: gone.Kind, Gap: "binary"}
	session("t", gap)
	session("s", gap)
	gap.Gap = "over 1 MiB"
	session("s", gap)
	session("s", gone)
	h.wantSeen("a", "b", "a", "gone", "a", "binary", "over 1 MiB", "gone")
	other := about(0)
	other.Project = "elsewhere"
	h.handle(report(t, other, events.TurnEnded{}, gone)...)
	h.wantSeen("a", "b", "a", "gone", "a", "binary", "over 1 MiB", "gone", "gone")
}

// TestResultWrittenAgain: a compiler's result that a tool has written again is stored
// again though it says the same (S2.9), and one that was only looked at is not.
func TestResultWrittenAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	result := events.FileObserved{Path: ".claude/tmp/s-compile-a.json", Kind: events.CompileFile, Digest: "a", Written: true}
	h.handle(report(t, about(0), events.FileWritten{Path: "/p/x"}, result)...)
	h.handle(report(t, about(0), events.FileWritten{Path: "/p/y"}, result)...)
	h.wantSeen("a", "a")
	result.Written = false
	h.handle(report(t, about(0), events.TurnEnded{}, result)...)
	h.wantSeen("a", "a")
}

// TestObservationsOfTwins: whichever of two twins saw the file, and whether both
// did, it is stored once and hidden by no echo mark, and the rest of the second
// report echoes the first one position by position.
func TestObservationsOfTwins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second []events.Event
		want          []string
		marks         []uint64
	}{
		"both": {
			[]events.Event{events.TurnEnded{}, progress("a", "one")}, []events.Event{events.TurnEnded{}, progress("a", "one")},
			[]string{"a"}, []uint64{0, 0, 1},
		},
		"the first": {
			[]events.Event{events.TurnEnded{}, progress("a", "one")}, []events.Event{events.TurnEnded{}},
			[]string{"a"}, []uint64{0, 0, 1},
		},
		"the second": {
			[]events.Event{events.TurnEnded{}}, []events.Event{events.TurnEnded{}, progress("a", "one")},
			[]string{"a"}, []uint64{0, 1, 0},
		},
		"each another content": {
			[]events.Event{events.TurnEnded{}, progress("a", "one")}, []events.Event{events.TurnEnded{}, progress("b", "two")},
			[]string{"a", "b"}, []uint64{0, 0, 1, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			m := about(0)
			m.Key = payload
			h.handle(report(t, m, c.first...)...)
			m.At += int64(time.Millisecond)
			h.handle(report(t, m, c.second...)...)
			h.wantSeen(c.want...)
			checkMarks(t, h, c.marks...)
		})
	}
}

// TestLateObservation: the rest of a report that waited in the spool while the
// file went on is no news.
func TestLateObservation(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	late := report(t, about(0), events.TurnEnded{}, progress("a", "one"))
	h.handle(late[0])
	h.handle(report(t, about(time.Second), events.TurnEnded{}, progress("b", "two"))...)
	h.leave(0, late...)
	h.drain()
	h.wantSeen("b")
}

// TestAnswerAsOfAKnownObservation: an answer that is owed as of an observation
// that was not stored is as of the report, not as of the one stored long ago.
func TestAnswerAsOfAKnownObservation(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(report(t, about(0), events.TurnEnded{}, progress("a", "one"))...)
	remember(h)
	r := report(t, about(time.Minute), events.ContextRestarted{}, progress("a", "one"))
	req := request(t, r...)
	req.Answer = owed(r[0])
	req.Answer.Last = r[1].ID
	if reply := h.o.Handle(t.Context(), req); reply.Error != "" || reply.Text == "" {
		t.Fatalf("no recovery: %+v", reply)
	}
}

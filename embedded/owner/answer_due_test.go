package owner_test

import (
	"strings"
	"testing"
	"time"

	"journal/events"
	"journal/journal/wire"
)

// A compaction that no hook followed which could take its text: the text comes with
// whatever can take it next, a tool call's end or a prompt, once; and nothing of it
// after a text was given.
func TestDueText(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{wire.DueText, wire.DueAtWork} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			minute := 0
			at := func(lane string) events.Meta {
				minute++
				m := about(time.Duration(minute) * time.Minute)
				m.Lane = lane
				return m
			}
			ask := func(kind, lane string) string {
				t.Helper()
				e := report(t, at(lane), events.CommandRan{Command: "make"})[0]
				if kind == wire.DueText {
					e = prompt(t, at(lane), "go on")
				}
				o := owed(e)
				o.Kind = kind
				return h.asks(e, o).Text
			}
			remember(h)
			if got := ask(kind, ""); got != "" {
				t.Errorf("before any compaction: %q", got)
			}
			h.handle(report(t, at(""), events.CompactionIntended{Trigger: "auto"})...)
			if got := ask(kind, ""); got != "" {
				t.Errorf("an intention alone: %q", got)
			}
			h.handle(report(t, at(""), events.CompactionCompleted{Trigger: "auto"})...)
			h.restart()
			if got := ask(kind, "child"); got != "" {
				t.Errorf("another lane: %q", got)
			}
			if got := ask(kind, ""); !strings.Contains(got, "bricks, not stone") {
				t.Errorf("after the compaction: %q", got)
			}
			for _, again := range []string{wire.DueText, wire.DueAtWork} {
				if got := ask(again, ""); got != "" {
					t.Errorf("%s again: %q", again, got)
				}
			}

			// A subagent's own compaction is answered in its lane.
			h.handle(report(t, at("child"), events.CommandRan{Command: "make lighthouse", Failed: true, Error: "no bricks"})...)
			h.handle(report(t, at("child"), events.CompactionCompleted{Trigger: "auto"})...)
			if got := ask(kind, ""); got != "" {
				t.Errorf("the main lane was given its subagent's: %q", got)
			}
			if got := ask(kind, "child"); !strings.Contains(got, "make lighthouse") {
				t.Errorf("the subagent: %q", got)
			}

			// A start that takes the text leaves nothing due.
			h.handle(report(t, at(""), events.CompactionCompleted{Trigger: "auto"})...)
			if e := report(t, at(""), events.ContextRestarted{})[0]; h.asks(e, owed(e)).Text == "" {
				t.Error("the start after the compaction was given nothing")
			}
			if got := ask(kind, ""); got != "" {
				t.Errorf("after the start: %q", got)
			}
		})
	}
}

// Where no text is due, what a prompt and a tool call are told otherwise.
func TestDueElse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(report(t, about(0), events.UsageSampled{Percent: 80, Tokens: 80_000, Window: 100_000})...)
	e := report(t, about(time.Minute), events.CommandRan{Command: "make"})[0]
	o := owed(e)
	o.Kind = wire.DueAtWork
	if got := h.asks(e, o).Text; !strings.Contains(got, "80 %") {
		t.Errorf("after a tool call: %q", got)
	}
}

// A start, a tool call's end and a prompt that were all reported before one was answered
// are askers for one text.
func TestDueOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	remember(h)
	h.handle(report(t, about(time.Minute), events.CompactionCompleted{Trigger: "auto"})...)
	start := restarted(t, 2*time.Minute)
	tool, wish := report(t, about(3*time.Minute), events.CommandRan{Command: "make"})[0], prompt(t, about(4*time.Minute), "go on")
	h.handle(start)
	h.handle(tool)
	h.handle(wish)
	var got []string
	for _, one := range []struct {
		kind  string
		asked events.Envelope
	}{{wire.DueAtWork, tool}, {wire.DueText, wish}, {wire.StartOrDue, wish}, {wire.RecoveryText, start}} {
		o := owed(one.asked)
		o.Kind = one.kind
		if h.asks(one.asked, o).Text != "" {
			got = append(got, one.kind)
		}
	}
	if len(got) != 1 {
		t.Errorf("the text was given to %q, want one", got)
	}
}

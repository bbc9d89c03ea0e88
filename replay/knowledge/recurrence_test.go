package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay/knowledge"
)

// see passes commands in order; each line is a session, FAIL or ok, and the command.
func see(t *testing.T, r *knowledge.Recurrences, lines ...string) {
	t.Helper()
	for i, line := range lines {
		words := strings.SplitN(line, " ", 3)
		e := eventstest.Wrap(t, events.CommandRan{Command: words[2], Failed: words[1] == "FAIL", Error: "no"},
			events.Meta{Project: "p", Session: words[0], Seq: uint64(i + 1)})
		if err := r.See(e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecurrences: a failure recurs if the command worked in between or fails in another session too, whatever surrounds the
// command. One that failed until it was fixed does not.
func TestRecurrences(t *testing.T) {
	t.Parallel()
	var r knowledge.Recurrences
	see(t, &r,
		"a FAIL go test ./limiter", "a ok cd /x && go test ./limiter", "b FAIL go test ./limiter | tail -3", "b ok go test ./limiter",
		"a FAIL make lint", "a FAIL make lint", "a ok make lint",
		"a FAIL npm ci", "b FAIL npm ci",
		"a ok go vet ./...",
		// A command beside it that only formats is not the failed one.
		"a FAIL gofmt -l . && task build", "a ok gofmt -l . && task gen && task build", "a FAIL task build",
		// One part of a test runner's tests is not another, however it is spelled.
		"a FAIL cargo test --test=one", "a ok cargo test --test two", "a FAIL cargo test --test one",
	)
	var got []string
	for _, f := range r.All() {
		got = append(got, fmt.Sprintf("%s: failed %d, returned %d, in %d, #%d–#%d, works %v", f.What, f.Failed, f.Returned, f.Sessions, f.First.Seq, f.Newest.Seq, f.Works))
	}
	want := "go test ./limiter: failed 2, returned 1, in 2, #1–#3, works true\n" +
		"task build: failed 2, returned 1, in 1, #11–#13, works false\n" +
		"npm ci: failed 2, returned 0, in 2, #8–#9, works false"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestCountedRuns: only commands that the agent waited for count, and a person's whose output shows a failure. An unreadable
// event is an error.
func TestCountedRuns(t *testing.T) {
	t.Parallel()
	see := func(r *knowledge.Recurrences, session string, e events.Event, echo uint64) error {
		env := eventstest.Wrap(t, e, events.Meta{Project: "p", Session: session, Seq: 1, EchoOf: echo})
		return r.See(env)
	}
	for name, tc := range map[string]struct {
		e    events.Event
		echo uint64
		want int
	}{
		"the agent's":              {events.CommandRan{Command: "make", Failed: true}, 0, 1},
		"with a mark":              {events.CommandRan{Command: "make", Mark: "FAIL"}, 0, 1},
		"worked":                   {events.CommandRan{Command: "make"}, 0, 0},
		"in the background":        {events.CommandRan{Command: "make", Failed: true, Background: "b1"}, 0, 0},
		"the person's":             {events.CommandRan{Command: "make", Failed: true, Person: true}, 0, 0},
		"the person's with a mark": {events.CommandRan{Command: "make", Mark: "FAIL", Person: true}, 0, 1},
		"an echo":                  {events.CommandRan{Command: "make", Failed: true}, 7, 0},
		"no command":               {events.ToolUsed{Tool: "make", Failed: true}, 0, 0},
	} {
		var r knowledge.Recurrences
		for _, session := range []string{"a", "b"} {
			if err := see(&r, session, tc.e, tc.echo); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(r.All()); got != tc.want {
			t.Errorf("%s: %d recur, want %d", name, got, tc.want)
		}
	}
	var r knowledge.Recurrences
	bad := eventstest.Wrap(t, events.CommandRan{Command: "make"}, events.Meta{Project: "p", Session: "a", Seq: 1})
	if bad.Body = []byte{0xc1}; r.See(bad) == nil {
		t.Error("no error for bytes that are no command")
	}
}

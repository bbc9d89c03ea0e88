package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

	"journal/events"
	"journal/events/eventstest"
	"journal/replay/knowledge"
)

// A failure comes back when the command had worked meanwhile, or fails in another session
// too, however it is spelled around; one that failed until it was mended does not.
func TestRecurrences(t *testing.T) {
	t.Parallel()
	var r knowledge.Recurrences
	for i, line := range []string{
		"a FAIL go test ./limiter", "a ok cd /x && go test ./limiter", "b FAIL go test ./limiter | tail -3", "b ok go test ./limiter",
		"a FAIL make lint", "a FAIL make lint", "a ok make lint",
		"a FAIL npm ci", "b FAIL npm ci",
		"a ok go vet ./...",
	} {
		words := strings.SplitN(line, " ", 3)
		e := eventstest.Wrap(t, events.CommandRan{Command: words[2], Failed: words[1] == "FAIL", Error: "no"},
			events.Meta{Project: "p", Session: words[0], Seq: uint64(i + 1)})
		if err := r.See(e); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range r.All() {
		got = append(got, fmt.Sprintf("%s: failed %d, returned %d, in %d, #%d–#%d, works %v", f.What, f.Failed, f.Returned, f.Sessions, f.First.Seq, f.Newest.Seq, f.Works))
	}
	want := "go test ./limiter: failed 2, returned 1, in 2, #1–#3, works true\n" +
		"npm ci: failed 2, returned 0, in 2, #8–#9, works false"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

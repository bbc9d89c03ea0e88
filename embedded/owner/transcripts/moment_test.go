package transcripts

import (
	"strings"
	"testing"

	"journal/events/text"
	"journal/journal/agents/transcript"
)

// The result of a search has each path once, and that of a long command its beginning and its end.
func TestResultOfMoment(t *testing.T) {
	t.Parallel()
	const found = "a/row-1.go-11-// Row is one.\na/row-1.go:12:type Row struct {\na/row-1.go-13-\tName string\na/row-1.go:20:var r Row\n--\na/rows.go:3:type Rows []Row\n"
	const folded = "a/row-1.go-11-// Row is one.\na/row-1.go:12:type Row struct {\n13-\tName string\n20:var r Row\n--\na/rows.go:3:type Rows []Row\n"
	search := transcript.Search{Call: "Grep Row", Result: found}
	ev := momentOf(transcript.Words{Searches: []transcript.Search{search}, ResultOf: "Grep Row", Result: found}, nil)
	if ev.Result != folded {
		t.Errorf("result of a search:\n%s", ev.Result)
	}
	if first := ev.Searches[0]; first.Lines != 6 || !strings.Contains(first.First, "struct {\n13-\tName string\n20:var r Row\n--\na/rows.go:3:") {
		t.Errorf("search: %d lines\n%s", first.Lines, first.First)
	}
	ev = momentOf(transcript.Words{ResultOf: "git log", Command: true, Result: "newest\n" + strings.Repeat("older\n", 500) + "oldest"}, nil)
	if !strings.HasPrefix(ev.Result, "newest\nolder\n") || !strings.HasSuffix(ev.Result, "older\noldest") || text.Units(ev.Result) > resultUnits {
		t.Errorf("result of a command: %d units\n%s", text.Units(ev.Result), ev.Result)
	}
}

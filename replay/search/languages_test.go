package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay"
	"journal/replay/search"
)

// TestQuestionsOfLanguages: a question in Korean or Japanese finds the session that answers it first, whatever the endings of its words.
// Each text is a session of its own, the question below it.
func TestQuestionsOfLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"ko", "ja"} {
		b, err := os.ReadFile(filepath.Join("testdata", language+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var log replay.Slice
		var questions []string
		for line := range strings.Lines(string(b)) {
			if question, asks := strings.CutPrefix(line, "  "); asks {
				questions = append(questions, strings.TrimSpace(question))
				continue
			}
			log = append(log, eventstest.Wrap(t, events.TurnEnded{Text: strings.TrimSpace(line)}, events.Meta{Seq: uint64(len(log) + 1), Project: "p", Session: fmt.Sprint(len(log)), At: int64(len(log) + 1)}))
		}
		for i, question := range questions {
			r, err := search.Options{Question: search.Ask(question), Limit: 3}.Rank(t.Context(), log, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Sessions) == 0 || r.Sessions[0].Session != fmt.Sprint(i) {
				t.Errorf("%s: %q (%q) finds %+v", language, question, search.Ask(question), r.Sessions)
			}
		}
	}
}

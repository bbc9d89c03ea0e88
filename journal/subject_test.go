package journal_test

import (
	"strings"
	"testing"

	"journal/events"
	"journal/journal"
	"journal/journal/wire"
)

// TestSubjectOfEveryType: a type keeps its own dots, and everything comes back.
func TestSubjectOfEveryType(t *testing.T) {
	t.Parallel()
	for _, d := range events.Declared() {
		for _, m := range []events.Meta{
			{Project: "web-1a2b3c4d", Session: "3f6c"},
			{Project: "프로 젝트.*", Session: ">"},
			{},
		} {
			m.Type = d.Name
			s := journal.Subject(m)
			parts := strings.SplitN(s, ".", 4)
			if len(parts) != 4 || parts[0] != "journal" || parts[3] != string(d.Name) {
				t.Errorf("subject of %s is %q", d.Name, s)
				continue
			}
			for i, want := range []string{m.Project, m.Session} {
				if want == "" {
					want = events.None
				}
				if got, ok := wire.TokenText(parts[i+1]); !ok || got != want {
					t.Errorf("%q: token %d is %q, %v; want %q", s, i+1, got, ok, want)
				}
			}
		}
	}
}

package look

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"
	"journal/projections"
)

// A session that has not ended and was idle for a day is shown as a zombie (S0.10).
func TestZombies(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		ended bool
		idle  time.Duration
		want  string
	}{
		{false, time.Hour, ""}, {false, 25 * time.Hour, "left"}, {true, 25 * time.Hour, "ended"},
	} {
		last := now.Add(-c.idle)
		d := sessionDoc{Ended: c.ended, Zombie: zombie(c.ended, last, now)}
		if got := d.state(); got != c.want {
			t.Errorf("idle for %v, ended %t: %q, want %q", c.idle, c.ended, got, c.want)
		}
	}
}

// The list of sessions in docs/CLI.md is what is printed.
func TestSessionsInDocs(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) string { return time.Now().Add(-d - time.Minute).Format(time.RFC3339) }
	var out bytes.Buffer
	a := &cli.App{Terminal: cli.Terminal{Out: &out, Getenv: func(name string) string { return map[string]string{"COLUMNS": "80"}[name] }}}
	printSessions(a, []sessionDoc{
		{short: "b6b20c21", LastAt: ago(3 * time.Hour), name: "shop/try-idea", Events: 303, Compactions: 1, Title: "/github-pr-review"},
		{short: "1284c080", LastAt: ago(50 * time.Hour), name: "shop", Events: 596, Compactions: 2, Freshness: "current", Title: "got merge conflicts from the parent branch"},
		{
			short: "379ab089", LastAt: ago(12 * 24 * time.Hour), name: "api", Events: 366, Compactions: 1,
			Link: &projections.Link{Session: "e8811ad6-93d9", How: "clear"}, Title: "look at the comments and fix them",
		},
	}, 11)
	page, err := os.ReadFile("../../../docs/CLI.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), out.String()) {
		t.Errorf("docs/CLI.md does not have\n%s", &out)
	}
}

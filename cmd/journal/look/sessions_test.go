package look

import (
	"bytes"
	"testing"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/projections"
)

// A session that has not ended and was idle for a day is shown as a zombie (S0.10).
func TestZombies(t *testing.T) {
	t.Parallel()
	a := &cli.App{Terminal: cli.Terminal{Getenv: func(string) string { return "" }}}
	for _, c := range []struct {
		ended, imported bool
		idle            time.Duration
		want            string
	}{
		{false, false, time.Hour, "open"}, {false, false, 25 * time.Hour, "left"}, {true, false, 25 * time.Hour, "ended"},
		{false, true, time.Hour, "open"}, {false, true, 25 * time.Hour, "ended"},
	} {
		d := docOf(a, catalogue.Listing{}, catalogue.Listed{Ended: c.ended, Imported: c.imported, Last: time.Now().Add(-c.idle).UnixNano()}, "")
		if got := d.state(); got != c.want || d.Ended != (c.want == "ended") || d.Zombie != (c.want == "left") {
			t.Errorf("idle for %v, ended %t, imported %t: %q, want %q", c.idle, c.ended, c.imported, got, c.want)
		}
	}
}

// A list of sessions on a terminal of 80 columns: the agent's own is marked, and what one goes on from is named.
func TestSessionsList(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) int64 { return time.Now().Add(-d - time.Minute).UnixNano() }
	var out bytes.Buffer
	a := &cli.App{Terminal: cli.Terminal{Out: &out, Getenv: func(name string) string { return map[string]string{"COLUMNS": "80"}[name] }}}
	printSessions(a, []sessionDoc{
		{short: "b6b20c21", last: ago(3 * time.Hour), name: "shop/try-idea", Events: 303, Compactions: 1, Title: "/github-pr-review"},
		{short: "1284c080", last: ago(50 * time.Hour), name: "shop", Events: 596, Compactions: 2, Freshness: "current", Title: "got merge conflicts from the parent branch"},
		{
			short: "379ab089", last: ago(12 * 24 * time.Hour), name: "api", Events: 366, Compactions: 1,
			Link: &projections.Link{Session: "e8811ad6-93d9", How: "clear"}, Title: "look at the comments and fix them",
		},
	}, 11)
	const want = `SESSION    AGE   PROJECT        EVENTS  COMP.  FIRST REQUEST
b6b20c21   3 h   shop/try-idea     303      1  /github-pr-review
1284c080*  2 d   shop              596      2  got merge conflicts from the par…
379ab089   12 d  api               366      1  (after e8811ad6) look at the com…
11 more: --all
`
	if got := out.String(); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

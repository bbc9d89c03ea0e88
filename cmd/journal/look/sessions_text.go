package look

import (
	"cmp"
	"fmt"
	"time"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/journal"
)

// Columns of a list of sessions. On a line of a terminal that is not wide the project is
// cut, and neither agent nor state is told.
const (
	wideColumns    = 110
	projectColumns = 14
	listedTitle    = 80 // where a line has no end
)

// printSessions shows sessions to a person, and how many are not shown.
func printSessions(a *cli.App, docs []sessionDoc, left int) {
	wide := a.Width() == 0 || a.Width() >= wideColumns
	project, title := 0, listedTitle
	if a.Width() > 0 {
		project, title = projectColumns, a.Width()
	}
	if wide {
		project *= 2
	}
	a.Table(func(row func(...any)) {
		cells := func(id, agent, age, project, events, compactions, state, first any) {
			if wide {
				row(id, agent, age, project, events, compactions, state, first)
			} else {
				row(id, age, project, events, compactions, first)
			}
		}
		if len(docs) > 0 {
			cells("SESSION", "AGENT", "AGE", "PROJECT", "EVENTS", "COMP.", "STATE", "FIRST REQUEST")
		}
		for _, d := range docs {
			last, _ := time.Parse(time.RFC3339, d.LastAt)
			cells(d.short+d.mark(), d.Agent, cli.Age(time.Since(last)), text.CutColumns(d.name, project), int(d.Events), d.Compactions, d.state(),
				text.CutColumns(d.from()+d.Title, title))
		}
	})
	switch {
	case left > 0:
		fmt.Fprintf(a.Out, "%d more: --all\n", left)
	case len(docs) == 0:
		fmt.Fprintln(a.Err, "no sessions")
	}
}

// mark tells the agent's own session from the others.
func (d sessionDoc) mark() string {
	if d.Freshness == "current" {
		return "*"
	}
	return ""
}

// from names the session that one goes on from.
func (d sessionDoc) from() string {
	if d.Link == nil {
		return ""
	}
	return "^" + cmp.Or(journal.ShortID(d.Link.Session), d.Link.How) + " "
}

// state says in a word how a session stands, where its age does not say it.
func (d sessionDoc) state() string {
	switch {
	case d.Ended:
		return "ended"
	case d.Zombie:
		return "left"
	}
	return ""
}

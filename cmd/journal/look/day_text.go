package look

import (
	"fmt"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/replay/day"
)

// shownOfDay is how many lines of each list of a session a person is shown.
const shownOfDay = 5

// printDay shows a day to a person: what is unfinished, then each project with its sessions.
func printDay(a *cli.App, d dayDoc) {
	fmt.Fprintln(a.Out, d.heading())
	if len(d.Sessions) == 0 {
		fmt.Fprintln(a.Out, "nothing happened")
		return
	}
	d.printUnfinished(a)
	for _, project := range day.ByProject(d.Sessions) {
		fmt.Fprintln(a.Out)
		a.Paint(cli.Cyan, a.Cut(d.project(project[0])))
		for _, s := range project {
			d.printSession(a, s)
		}
	}
	d.printTokens(a)
}

// printTokens says what is known of what it cost.
func (d dayDoc) printTokens(a *cli.App) {
	var sum int64
	untold := 0
	for _, s := range d.Sessions {
		if sum += s.Tokens; s.Tokens == 0 {
			untold++
		}
	}
	said := "at least " + day.Tokens(sum) + " were read and written, as far as contexts grew"
	if sum == 0 {
		said = "nobody told how full the contexts were"
	} else if untold > 0 {
		said += "; " + cli.Counted(untold, "session") + " did not tell"
	}
	fmt.Fprintln(a.Out)
	a.PrintBeside("tokens  ", said+". What was sent again with each request, and what it cost, agents do not tell.")
}

// heading names the day, or from when to when.
func (d dayDoc) heading() string {
	if d.span.To.Sub(d.span.From) > 20*time.Hour && d.span.From.Hour() == 0 && d.span.From.Minute() == 0 && d.span.To.Hour() == 0 {
		return d.span.From.Format("Monday, 2 January 2006")
	}
	return "from " + d.span.From.Format(time.DateTime) + " to " + d.span.To.Format(time.DateTime)
}

// project names the project of a session, and says where it is.
func (d dayDoc) project(s day.Session) string {
	return strings.TrimSuffix(d.table.Name(s.Project)+"  "+s.Root, "  ")
}

// printUnfinished shows what is left to go on with.
func (d dayDoc) printUnfinished(a *cli.App) {
	head := "\nunfinished"
	for _, s := range d.Sessions {
		if !s.Unfinished() {
			continue
		}
		if head != "" {
			fmt.Fprintln(a.Out, head)
			head = ""
		}
		left := s.Left(func(n int) string { return cli.Counted(n, "open task") })
		fmt.Fprintln(a.Out, a.Cut("  "+d.short[s.Session]+"  "+d.table.Name(s.Project)+"  "+left))
	}
}

// printSession shows one session.
func (d dayDoc) printSession(a *cli.App, s day.Session) {
	clock := func(t time.Time) string { return t.Local().Format("15:04") }
	head := []string{d.short[s.Session], clock(s.From.Time()) + " to " + clock(s.To.Time()), worked(s.Seconds)}
	if s.Agent != "" {
		head = append(head, s.Agent)
	}
	if s.Compactions > 0 {
		head = append(head, cli.Counted(s.Compactions, "compaction"))
	}
	if s.Given > 0 {
		head = append(head, cli.Counted(s.Given, "item")+" given back")
	}
	if s.Tokens > 0 {
		head = append(head, day.Tokens(s.Tokens)+" tokens")
	}
	fmt.Fprintln(a.Out, a.Cut("  "+strings.Join(head, "  ")))
	asked, goesOn := s.Requests()
	if goesOn {
		asked[0] = "(goes on with) " + asked[0]
	}
	printFew(a, "asked", asked)
	printWritten(a, s.Files())
	stands, mended := s.Stand()
	printFew(a, "failed", stands)
	if mended > 0 {
		printFew(a, "mended", []string{cli.Counted(mended, "failed command")})
	}
	printFew(a, "decided", day.Words(s.Decisions))
	var refused []string
	for _, r := range s.Refused {
		refused = append(refused, r.String())
	}
	printFew(a, "refused", refused)
	printFew(a, "open", day.Words(s.Open))
}

// printWritten shows the first of some files in as many lines as they need.
func printWritten(a *cli.App, paths []string) {
	if len(paths) == 0 {
		return
	}
	shown := strings.Join(paths[:min(len(paths), 2*shownOfDay)], ", ")
	if more := len(paths) - 2*shownOfDay; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	a.PrintBeside("    wrote    ", cli.OneLine(shown))
}

// printFew shows the first of some lines under a name, and how many there are beside.
func printFew(a *cli.App, name string, all []string) {
	const indent, column = 4, 9
	for i, one := range all {
		if i == shownOfDay {
			fmt.Fprintf(a.Out, "%*s… and %d more\n", indent+column, "", len(all)-i)
			return
		}
		fmt.Fprintln(a.Out, text.CutColumns(fmt.Sprintf("%*s%-*s%s", indent, "", column, name, cli.OneLine(one)), lineOf(a)))
		name = ""
	}
}

func lineOf(a *cli.App) int {
	if w := a.Width(); w > 0 {
		return w
	}
	return cli.LineColumns
}

// worked gives a time of work for people.
func worked(seconds int64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min of work", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min of work", int(d.Minutes()))
	}
	return "under a minute"
}

package look

import (
	"fmt"
	"path/filepath"
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
	projects := map[string][]day.Session{}
	var order []string
	for _, s := range d.Sessions {
		if _, ok := projects[s.Project]; !ok {
			order = append(order, s.Project)
		}
		projects[s.Project] = append(projects[s.Project], s)
	}
	for _, p := range order {
		fmt.Fprintln(a.Out)
		a.Paint(cli.Cyan, a.Cut(d.project(p, projects[p][0].Root)))
		for _, s := range projects[p] {
			d.printSession(a, s)
		}
	}
}

// heading names the day, or from when to when.
func (d dayDoc) heading() string {
	if d.span.To.Sub(d.span.From) > 20*time.Hour && d.span.From.Hour() == 0 && d.span.From.Minute() == 0 && d.span.To.Hour() == 0 {
		return d.span.From.Format("Monday, 2 January 2006")
	}
	return "from " + d.span.From.Format(time.DateTime) + " to " + d.span.To.Format(time.DateTime)
}

// project names a project by where it is.
func (d dayDoc) project(key, root string) string {
	name := nameOf(key)
	if r := d.table.Project(key).Repository; r != "" && r != name {
		name = r + "/" + name
	}
	if root == "" {
		return name
	}
	return name + "  " + root
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
		left := s.Skill
		if n := len(s.Open); n > 0 {
			left = strings.TrimPrefix(left+", "+cli.Counted(n, "open task")+": "+s.Open[0].Text, ", ")
		}
		fmt.Fprintln(a.Out, a.Cut("  "+d.short[s.Session]+"  "+nameOf(s.Project)+"  "+left))
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
		head = append(head, cli.Counted(s.Given, "item")+" brought back")
	}
	fmt.Fprintln(a.Out, a.Cut("  "+strings.Join(head, "  ")))
	printFew(a, "asked", asked(s))
	printWritten(a, relativeTo(s.Root, s.Written))
	stands, mended := failures(s)
	printFew(a, "failed", stands)
	if mended > 0 {
		printFew(a, "mended", []string{cli.Counted(mended, "failed command")})
	}
	printFew(a, "decided", said(s.Decisions))
	printFew(a, "refused", refused(s))
	printFew(a, "open", said(s.Open))
}

// asked gives the requests of the day, of a session without any the one that it goes on with.
func asked(s day.Session) []string {
	if len(s.Asked) == 0 && s.Title != "" {
		return []string{"(goes on with) " + s.Title}
	}
	return said(s.Asked)
}

// failures gives the failures that stand, and how many were mended.
func failures(s day.Session) (stands []string, mended int) {
	for _, f := range s.Failed {
		if f.Mended {
			mended++
		} else {
			stands = append(stands, f.Command)
		}
	}
	return stands, mended
}

// refused gives what was refused, and with which words.
func refused(s day.Session) (all []string) {
	for _, r := range s.Refused {
		one := strings.TrimSpace(r.Tool + " " + r.Target)
		if r.Words != "" {
			one += ": " + r.Words
		}
		all = append(all, one)
	}
	return all
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

// said gives the words.
func said(all []day.Said) (words []string) {
	for _, s := range all {
		words = append(words, s.Text)
	}
	return words
}

// relativeTo shortens the paths that lie below a directory.
func relativeTo(root string, paths []string) []string {
	short := make([]string, len(paths))
	for i, p := range paths {
		if rel, err := filepath.Rel(root, p); root != "" && err == nil && filepath.IsLocal(rel) {
			p = rel
		}
		short[i] = p
	}
	return short
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

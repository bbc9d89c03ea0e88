package page

import (
	_ "embed"
	"io"
	"strconv"
	"time"

	"journal/events/text"
	"journal/replay/day"
)

// Day is the view of a time span, for the template "day".
type Day struct {
	Title                                string // which day
	Figures                              []Figure
	Unfinished                           []DaySession // and those at work
	Projects                             []DayProject
	Requests                             int
	Input, CacheRead, CacheWrite, Output string // tokens of these requests
	Unknown                              int    // how many sessions are unknown
}

// DayProject is the sessions of a project.
type DayProject struct {
	Name, Root string
	Sessions   []DaySession
}

// DaySession is the part of one session.
type DaySession struct {
	Path, Title, ID, Project, Agent string // Path is empty in a file
	About                           []string
	Left                            string // what is left to do
	Resume                          string // the command that resumes it; empty: there is none
	Live                            bool
	Lists                           []DayList
}

// DayList is things of one sort, and how many more there are.
type DayList struct {
	Name  string // of a phrase, after "did-"
	Items []string
	More  int
}

// DayNames has functions that return names and paths of sessions and projects for a page.
type DayNames struct {
	Project func(day.Session) string
	Path    func(day.Session) string // of a session's page; nil: there is none
	Short   func(session string) string
	// Live reports whether a session is at work, Resume returns the command that resumes it. Both are nil in a file.
	Live   func(day.Session) bool
	Resume func(day.Session) string
}

// Figure is a number at the top of a page.
type Figure struct {
	Name, Value string
	Class       string // its colour; empty: none
	Path, Rest  string // of the figure, if it takes time; and of what is not in it yet
}

const (
	dayItems   = 6 // of each list
	dayColumns = 240
)

// DayOf returns the view of what happened in sessions. unknown has those whose tokens are unknown.
func DayOf(title string, sessions []day.Session, unknown []string, names DayNames, zone *time.Location, say Say) Day {
	d := Day{Title: title, Unknown: len(unknown)}
	var used day.Used
	seconds, compactions := int64(0), 0
	for _, sessions := range day.ByProject(sessions) {
		p := DayProject{Name: names.Project(sessions[0]), Root: sessions[0].Root}
		for _, s := range sessions {
			session := daySession(s, zone, say)
			session.Project, session.ID = p.Name, names.Short(s.Session)
			if names.Path != nil {
				session.Path = names.Path(s)
			}
			used.Requests += s.Used.Requests
			used.Tokens.Add(s.Used.Tokens)
			seconds, compactions = seconds+s.Seconds, compactions+s.Compactions
			if names.Live != nil {
				session.Live, session.Resume = names.Live(s), names.Resume(s)
			}
			if s.Unfinished() || session.Live {
				d.Unfinished = append(d.Unfinished, session)
			}
			p.Sessions = append(p.Sessions, session)
		}
		d.Projects = append(d.Projects, p)
	}
	t := used.Tokens
	d.Figures = []Figure{
		{Name: "sessions", Value: strconv.Itoa(len(sessions))}, {Name: "worked", Value: worked(seconds, say)},
		{Name: "tokens", Value: Known(t.Sum(), d.Unknown)}, {Name: "compactions", Value: strconv.Itoa(compactions)},
	}
	d.Requests, d.Input, d.CacheRead = used.Requests, text.Short(t.Input), text.Short(t.CacheRead)
	d.CacheWrite, d.Output = text.Short(t.CacheWrite), text.Short(t.Output)
	return d
}

// Known formats a number of tokens, to which those of some unknown sessions have to be added.
func Known(tokens int64, unknown int) string {
	switch {
	case unknown == 0:
		return text.Short(tokens)
	case tokens == 0:
		return "?"
	}
	return "≥ " + text.Short(tokens)
}

// worked describes a time of work in hours and minutes.
func worked(seconds int64, say Say) string {
	return say("hours", struct{ Hours, Minutes int64 }{seconds / 3600, seconds / 60 % 60})
}

// daySession returns the view of one session.
func daySession(s day.Session, zone *time.Location, say Say) DaySession {
	clock := func(at int64) string { return time.Unix(0, at).In(zone).Format("15:04") }
	session := DaySession{Title: Title(dayColumns, s.Title), Agent: s.Agent, Left: Short(dayColumns, s.Left(func(n int) string { return say("n-open", n) }))}
	session.About = append(session.About, clock(int64(s.From))+" – "+clock(int64(s.To)), say("worked", worked(s.Seconds, say)))
	if s.Compactions > 0 {
		session.About = append(session.About, say("n-compactions", s.Compactions))
	}
	if s.Cleared > 0 {
		session.About = append(session.About, say("n-cleared", s.Cleared))
	}
	if s.Used.Requests > 0 {
		session.About = append(session.About, say("n-tokens", text.Short(s.Used.Tokens.Sum())))
	}
	if len(s.Asked) > 0 && s.Asked[0].Text == s.Title { // the heading shows it
		s.Asked = s.Asked[1:]
	}
	for _, all := range s.Lists(func(n int) string { return say("n-fixed", n) }) {
		l := DayList{Name: all.Name, More: max(0, len(all.Lines)-dayItems)}
		for _, item := range all.Lines[:len(all.Lines)-l.More] {
			l.Items = append(l.Items, Short(dayColumns, item))
		}
		if len(l.Items) > 0 {
			session.Lists = append(session.Lists, l)
		}
	}
	return session
}

// maxColumn bounds the bytes of one column of text; most columns have one to three.
const maxColumn = 16

// Short returns the beginning of a text on one line of so many columns.
func Short(columns int, s string) string {
	if most := maxColumn * columns; len(s) > most {
		s = s[:text.Before(s, most)] + " …" // the rest need not be measured
	}
	return text.CutColumns(text.Line(s), columns)
}

// absolutePath matches an absolute path below two directories or more; its last part is the last group.
var absolutePath = text.Pattern(`(^|[\s"'(` + "`" + `])(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\"'()` + "`" + `]+){2,}[/\\]([^\s/\\"'()` + "`" + `]+)`)

// Title returns the title of a session on one line of so many columns, with the last parts of long paths alone.
func Title(columns int, s string) string {
	return Short(columns, absolutePath().ReplaceAllString(s, "$1$2"))
}

//go:embed day_file.html
var daySource string

// WriteDay writes the page of a day.
func WriteDay(w io.Writer, d Day) error {
	return write(w, daySource, d)
}

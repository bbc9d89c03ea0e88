package page

import (
	_ "embed"
	"io"
	"strconv"
	"time"

	"journal/events/text"
	"journal/replay/day"
)

// Day is the view of the work in a time span, for the template "day".
type Day struct {
	Title                                string // the day
	Figures                              []Figure
	Unfinished                           []DaySession // sessions with open work, and those at work now
	Projects                             []DayProject
	Requests                             int
	Input, CacheRead, CacheWrite, Output string // tokens of these requests
	Unknown                              int    // number of sessions whose tokens are unknown
}

// DayProject is a project with its sessions of the day.
type DayProject struct {
	Name, Root string
	Sessions   []DaySession
}

// DaySession is the work of one session.
type DaySession struct {
	Path, Title, ID, Project, Agent string   // Path is empty in a file; Project is the name
	About                           []string // times and numbers, in words
	Left                            string   // open work
	Resume                          string   // the command that resumes it; empty: there is none
	Live                            bool     // it is at work
	Lists                           []DayList
}

// DayList holds lines of one sort, such as requests.
type DayList struct {
	Name  string // its phrase is "did-" and this name
	Items []string
	More  int // number of items that are left out
}

// Figure is a number at the top of a page.
type Figure struct {
	Name, Value string // its phrase is "figure-" and the name; Value is empty until the page requested it
	Class       string // CSS class, which sets its colour; empty: none
	Path        string // path at which the page requests the figure, if it takes time to compute; else empty
	Rest        string // path at which the page requests a more complete figure; empty: it is complete
}

const (
	dayItems   = 6   // bound of the items of each list
	dayColumns = 240 // bound of each line
)

// DayOf returns the view of the work of sessions. unknown holds the ids of those whose tokens are unknown. describe sets the fields of
// a session that only the caller knows: Project, ID, and on a server Path, Resume and Live.
func DayOf(title string, sessions []day.Session, unknown []string, describe func(*DaySession, day.Session), zone *time.Location, say Say) Day {
	d := Day{Title: title, Unknown: len(unknown)}
	var used day.Used
	seconds, compactions := int64(0), 0
	for _, ofProject := range day.ByProject(sessions) {
		p := DayProject{Root: ofProject[0].Root}
		for _, s := range ofProject {
			session := daySession(s, zone, say)
			describe(&session, s)
			p.Name = session.Project
			used.Requests += s.Used.Requests
			used.Tokens.Add(s.Used.Tokens)
			seconds, compactions = seconds+s.Seconds, compactions+s.Compactions
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
		{Name: "tokens", Value: FormatTokens(t.Sum(), d.Unknown)}, {Name: "compactions", Value: strconv.Itoa(compactions)},
	}
	d.Requests, d.Input, d.CacheRead = used.Requests, text.Short(t.Input), text.Short(t.CacheRead)
	d.CacheWrite, d.Output = text.Short(t.CacheWrite), text.Short(t.Output)
	return d
}

// FormatTokens formats a number of tokens. unknown is the number of sessions whose tokens are unknown, so that the sum lacks
// them.
func FormatTokens(tokens int64, unknown int) string {
	switch {
	case unknown == 0:
		return text.Short(tokens)
	case tokens == 0:
		return "?"
	}
	return "≥ " + text.Short(tokens)
}

// worked returns a working time as text, in hours and minutes.
func worked(seconds int64, say Say) string {
	return say("hours", struct{ Hours, Minutes int64 }{seconds / 3600, seconds / 60 % 60})
}

// daySession returns the view of one session.
func daySession(s day.Session, zone *time.Location, say Say) DaySession {
	clock := func(at int64) string { return time.Unix(0, at).In(zone).Format("15:04") }
	session := DaySession{Title: Title(dayColumns, s.Title), Agent: s.Agent, Left: Short(dayColumns, s.OpenWork(func(n int) string { return say("n-open", n) }))}
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

// maxColumnBytes bounds the text in one column. Most columns have one to three bytes.
const maxColumnBytes = 16

// Short returns the beginning of a text on one line of at most columns.
func Short(columns int, s string) string {
	if limit := maxColumnBytes * columns; len(s) > limit {
		s = s[:text.Before(s, limit)] + " …" // the rest need not be measured
	}
	return text.CutColumns(text.Line(s), columns)
}

// absolutePath matches an absolute path with at least two directories, and the character before it. The groups are that
// character and the last name of the path.
var absolutePath = text.Pattern(`(^|[\s"'(` + "`" + `])(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\"'()` + "`" + `]+){2,}[/\\]([^\s/\\"'()` + "`" + `]+)`)

// Title returns the title of a session on one line of at most columns. Of absolute paths with two or more directories only the
// last name remains.
func Title(columns int, s string) string {
	return Short(columns, absolutePath().ReplaceAllString(s, "$1$2"))
}

//go:embed day_file.html
var daySource string

// WriteDay writes the work of a day as one HTML page.
func WriteDay(w io.Writer, d Day) error {
	return write(w, daySource, d)
}

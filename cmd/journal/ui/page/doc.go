// Package page draws what pages about sessions have in common: the chart of a session, the
// bars of what compactions lost, the items of an audit, in every language of the pages.
//
// It also writes the audit of a session, and of many, as one HTML page that needs nothing
// else: no script, no network, no other file. Pages follow the reader's light or dark
// colours and can be printed.
package page

import (
	"cmp"
	_ "embed"
	"io"
	"slices"
	"strconv"
	"time"

	"journal/replay/timeline"
)

// Doc is what a page shows. Lists come in the order of the terminal: what is worth most first.
type Doc struct {
	Session, Project, Agent string
	Title                   string // what was asked in the session first; empty: nothing
	Began                   int64  // ns since 1970 UTC, 0 unknown
	Headline                string // the totals, in a sentence
	Timeline                timeline.Timeline
	Info, Urgent            int    // the levels of context usage in percent
	Lacking                 []Item // what the agent does not have now
	Routine                 string // how many routine items of each sort it does not have; empty: none
	Compactions             []Compaction
	Zone                    *time.Location // of the times; nil is UTC
}

// Compaction is one of them, and what became of what was known before it.
type Compaction struct {
	Ordinal    int
	Lane       string // of a subagent; empty: the main thread
	Seq        uint64
	At         int64 // ns since 1970 UTC
	Trigger    string
	HasSummary bool
	Share      Share
	Settled    int // things that an earlier compaction tells, as they still are
	Groups     []Group
}

// Share is how many things were worth keeping, and what became of them. GivenBack
// came back, Offered was given and its receipt is unknown; what is none of them is elsewhere, or nobody knows.
type Share struct {
	Known, Kept, Lost, GivenBack, Offered int
}

// Group is the items of one status.
type Group struct {
	Status   string
	Means    string // what the status says, for people
	Bad      bool   // the model does not have these
	Evidence string // of every item alike; empty: each has its own
	Items    []Item
	Routine  []Item // those that nobody misses
}

// Item is one piece of knowledge.
type Item struct {
	ID, Kind, Text string
	Standing       string // in a list of several statuses: which; empty: lost
	Evidence       string // empty when it is that of its group
	Seq            uint64
}

//go:embed audit.html
var source string

// Write writes the page.
func Write(w io.Writer, d Doc) error {
	if d.Zone == nil {
		d.Zone = time.UTC
	}
	drawing := Drawing{Timeline: d.Timeline, Info: d.Info, Urgent: d.Urgent, Shares: map[uint64]Share{}, Zone: d.Zone, Say: In("en")}
	for _, c := range d.Compactions {
		drawing.Shares[c.Seq] = c.Share
	}
	return write(w, source, view{Doc: d, Chart: ChartOf(drawing)})
}

// write fills a page with what the parts of all pages know of. Templates are no package
// variables: hooks would parse them with every start.
func write(w io.Writer, source string, doc any) error {
	tmpl, err := Parts(In("en"))
	if err == nil {
		tmpl, err = tmpl.Parse(source)
	}
	if err != nil {
		return err
	}
	return tmpl.Execute(w, doc)
}

// view is what the template sees.
type view struct {
	Doc
	Chart Chart
}

// Time gives a time for people, empty for none.
func (v view) Time(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(v.Zone).Format("2006-01-02 15:04:05 -07:00")
}

// Name is what the page calls the session.
func (v view) Name() string { return cmp.Or(v.Title, "Session "+v.Session) }

// Known says whether any compaction knew of something worth keeping.
func (v view) Known() bool {
	return slices.ContainsFunc(v.Compactions, func(c Compaction) bool { return c.Share.Known > 0 })
}

// Shares compares the compactions.
func (v view) Shares() Table {
	t := Table{Of: "compaction", Columns: []string{"when"}}
	for _, c := range v.Compactions {
		t.Rows = append(t.Rows, Row{Name: c.Name(), Link: "#c" + strconv.FormatUint(c.Seq, 10), Cells: []string{v.Time(c.At)}, Share: c.Share})
	}
	return t.drawn()
}

// Name says which compaction of which lane it is, and what began it.
func (c Compaction) Name() string {
	name := strconv.Itoa(c.Ordinal)
	if c.Lane != "" {
		name += " of " + c.Lane
	}
	if c.Trigger != "" {
		name += ", " + c.Trigger
	}
	return name
}

// Survey is a page about many sessions.
type Survey struct {
	About    string // how many sessions of what
	Headline string // the totals, in a sentence; empty: none
	Tables   []Table
}

// Table compares shares with each other: its bars have one scale.
type Table struct {
	Title   string
	Of      string   // what a row is, over its name
	Columns []string // over its cells
	Rows    []Row
}

// Row is one share.
type Row struct {
	Name, Link string // the link is empty for none
	Cells      []string
	Share      Share
	Bar        []Segment
}

// drawn gives the table with its bars.
func (t Table) drawn() Table {
	most := 1
	for _, r := range t.Rows {
		most = max(most, r.Share.Known)
	}
	for i := range t.Rows {
		t.Rows[i].Bar = t.Rows[i].Share.Segments(most)
	}
	return t
}

//go:embed survey.html
var surveySource string

// WriteSurvey writes the page of many sessions.
func WriteSurvey(w io.Writer, s Survey) error {
	for i := range s.Tables {
		s.Tables[i] = s.Tables[i].drawn()
	}
	return write(w, surveySource, s)
}

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

	"journal/replay/audit"
	"journal/replay/timeline"
)

// Doc is the data of a page. Lists have the order of the terminal: the most valuable items first.
type Doc struct {
	Session, Project, Agent string
	Title                   string // the first request of the session; empty: none
	Began                   int64  // ns since 1970 UTC, 0 unknown
	Headline                string // the totals, in a sentence
	Timeline                timeline.Timeline
	Info, Urgent            int    // the levels of context usage in percent
	Lacking                 []Item // what the agent lacks now
	Compactions             []Compaction
	Zone                    *time.Location // of the times; nil is UTC
}

// Compaction is one compaction, and what became of what was known before it.
type Compaction struct {
	Ordinal    int
	Lane       string // of a subagent; empty: the main thread
	Seq        uint64
	At         int64 // ns since 1970 UTC
	Trigger    string
	HasSummary bool
	Totals     audit.Totals
	Others     int // things that were known and that an audit does not ask for
	Settled    int // things that an earlier compaction shows, with the same status
	Groups     []Group
}

// Group is the items of one status.
type Group struct {
	Status   string
	Means    string // the meaning of the status, for people
	Bad      bool   // the model does not have these
	Evidence string // the same for every item; empty: each has its own
	Items    []Item
}

// Item is one piece of knowledge.
type Item struct {
	ID, Kind, Text string
	Status         string // in a list of several
	Evidence       string // empty if it is that of its group
	Seq            uint64
}

//go:embed audit.html
var source string

// Write writes the page.
func Write(w io.Writer, d Doc) error {
	d.Zone = cmp.Or(d.Zone, time.UTC)
	drawing := Drawing{Timeline: d.Timeline, Info: d.Info, Urgent: d.Urgent, Shares: map[uint64]audit.Totals{}, Zone: d.Zone, Say: Texts("en")}
	for _, c := range d.Compactions {
		drawing.Shares[c.Seq] = c.Totals
	}
	return write(w, source, view{Doc: d, Chart: ChartOf(drawing)})
}

// write fills a page, with the parts that all pages share. Templates are not package
// variables, because hooks would parse them at every start.
func write(w io.Writer, source string, doc any) error {
	parts, err := Parts(Texts("en"))
	if err != nil {
		return err
	}
	page, err := parts.Parse(source)
	if err != nil {
		return err
	}
	return page.Execute(w, doc)
}

// view is the data of the template.
type view struct {
	Doc
	Chart Chart
}

// Time formats a time for people; empty for none.
func (v view) Time(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(v.Zone).Format("2006-01-02 15:04:05 -07:00")
}

// Name returns what the page calls the session.
func (v view) Name() string { return cmp.Or(v.Title, "Session "+v.Session) }

// Known reports whether any compaction knew something worth keeping.
func (v view) Known() bool {
	return slices.ContainsFunc(v.Compactions, func(c Compaction) bool { return c.Totals.Known > 0 })
}

// Shares compares the compactions.
func (v view) Shares() Table {
	t := Table{Of: "compaction", Columns: []string{"when"}}
	for _, c := range v.Compactions {
		t.Rows = append(t.Rows, Row{Name: c.Name(), Link: "#c" + strconv.FormatUint(c.Seq, 10), Cells: []string{v.Time(c.At)}, Totals: c.Totals})
	}
	return t.drawn()
}

// Name names the compaction: its lane, its number and its trigger.
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

// Table compares totals with each other: its bars have one scale.
type Table struct {
	Of      string   // what a row is: the heading of its name
	Columns []string // the headings of its cells
	Rows    []Row
}

// Row holds the totals of an audit, or of a part of it.
type Row struct {
	Name, Link string // Link is empty for none
	Cells      []string
	Totals     audit.Totals
	Bar        []Segment
}

// drawn returns the table with the bars of its rows.
func (t Table) drawn() Table {
	most := 1
	for _, r := range t.Rows {
		most = max(most, r.Totals.Known)
	}
	for i := range t.Rows {
		t.Rows[i].Bar = Segments(t.Rows[i].Totals, most)
	}
	return t
}

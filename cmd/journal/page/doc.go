// Package page draws the parts that pages about sessions have in common: the chart of a session, the bars of an audit, the
// items of an audit, a day, a conversation, in every language of the pages.
//
// It also writes the audit of a session, the work of a day, and a conversation, each as one HTML page that needs nothing else:
// no script, no network, no other file. Pages follow the reader's light or dark colours and can be printed.
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

// Doc is the data of the page about the audit of a session. In lists the most valuable items come first, as in the terminal.
type Doc struct {
	Session, Project, Agent string
	Title                   string // the first request of the session; empty: none
	Began                   int64  // ns since 1970 UTC, 0 unknown
	Headline                string // the totals in a sentence; empty without a compaction
	Timeline                timeline.Timeline
	Info, Urgent            int    // as in Drawing
	Lacking                 []Item // items that are lost or unclear now
	Compactions             []Compaction
	Zone                    *time.Location // of the times; nil is UTC
}

// Compaction is one compaction with the items that were known before it, by their status.
type Compaction struct {
	audit.Compaction
	Groups []Grouped[Item]
}

// Item is one item of an audit.
type Item struct {
	ID, Kind, Text string
	Status         string // empty if it is that of its group
	Evidence       string // empty if it is that of its group
	Seq            uint64
}

//go:embed audit.html
var source string

// Write writes the page about the audit of a session.
func Write(w io.Writer, d Doc) error {
	d.Zone = cmp.Or(d.Zone, time.UTC)
	drawing := Drawing{Timeline: d.Timeline, Info: d.Info, Urgent: d.Urgent, Shares: map[uint64]audit.Totals{}, Zone: d.Zone, Say: Texts("en")}
	for _, c := range d.Compactions {
		drawing.Shares[c.Seq] = c.Totals
	}
	return write(w, source, view{Doc: d, Chart: ChartOf(drawing)})
}

// write writes a page in English from its template source, which can use the parts that all pages share. Templates are not
// package variables, because hooks would parse them at every start.
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

// view is the data of the template audit.html.
type view struct {
	Doc
	Chart Chart
}

// Time formats a time, ns since 1970 UTC, for people; it returns "" for 0.
func (v view) Time(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(v.Zone).Format("2006-01-02 15:04:05 -07:00")
}

// Name returns the heading of the page: the title of the session, or its id.
func (v view) Name() string { return cmp.Or(v.Title, "Session "+v.Session) }

// Known reports whether anything worth keeping was known before any compaction.
func (v view) Known() bool {
	return slices.ContainsFunc(v.Compactions, func(c Compaction) bool { return c.Totals.Known > 0 })
}

// Shares returns a table that compares the compactions.
func (v view) Shares() Table {
	t := Table{Of: "compaction", Columns: []string{"when"}}
	for _, c := range v.Compactions {
		t.Rows = append(t.Rows, Row{Name: c.Name(), Link: "#c" + strconv.FormatUint(c.Seq, 10), Cells: []string{v.Time(int64(c.At))}, Totals: c.Totals})
	}
	return t.drawn()
}

// Name returns the number of the compaction, with the lane of a subagent, and with the trigger if it is known.
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

// Table compares the totals of its rows. Its bars have one scale.
type Table struct {
	Of      string   // heading of the names of rows
	Columns []string // headings of the cells
	Rows    []Row
}

// Row holds the totals of an audit, or of a part of it.
type Row struct {
	Name, Link string // Link is empty if the name is no link
	Cells      []string
	Totals     audit.Totals
	Bar        []Segment
}

// drawn returns the table after it made the bars of its rows.
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

// Package page draws the parts that pages about sessions have in common: the chart of a session, the bars of an audit, the
// items of an audit, a day, a conversation, in every language of the pages.
//
// It also writes the audit of a session, the work of a day, and a conversation, each as one HTML page that needs nothing else:
// no script, no network, no other file. Pages follow the reader's light or dark colours and can be printed.
package page

import (
	"cmp"
	_ "embed"
	"fmt"
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
	Info, Urgent            int          // as in Drawing
	Lacking                 []audit.Item // items that are lost or unclear now
	Compactions             []audit.Compaction
	Zone                    *time.Location // of the times; nil is UTC
}

//go:embed audit.html
var source string

// Write writes the page about the audit of a session.
func Write(w io.Writer, d Doc) error {
	d.Zone = cmp.Or(d.Zone, time.UTC)
	return write(w, source, d)
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

// Chart returns the chart of the session.
func (d Doc) Chart() Chart {
	drawing := Drawing{Timeline: d.Timeline, Info: d.Info, Urgent: d.Urgent, Shares: map[uint64]audit.Totals{}, Zone: d.Zone, Say: Texts("en")}
	for _, c := range d.Compactions {
		drawing.Shares[c.Seq] = c.Totals
	}
	return ChartOf(drawing)
}

// Time formats a time, ns since 1970 UTC, for people; it returns "" for 0.
func (d Doc) Time(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(d.Zone).Format("2006-01-02 15:04:05 -07:00")
}

// Name returns the heading of the page: the title of the session, or its id.
func (d Doc) Name() string { return cmp.Or(d.Title, "Session "+d.Session) }

// Known reports whether anything worth keeping was known before any compaction.
func (d Doc) Known() bool {
	return slices.ContainsFunc(d.Compactions, func(c audit.Compaction) bool { return c.Totals.Known > 0 })
}

// Shares returns the totals of each compaction, with bars of one scale.
func (d Doc) Shares() (rows []Row) {
	most := 1
	for _, c := range d.Compactions {
		most = max(most, c.Totals.Known)
	}
	for _, c := range d.Compactions {
		rows = append(rows, Row{CompactionName(c), fmt.Sprint("#c", c.Seq), d.Time(int64(c.At)), c.Seq, c.Totals, Segments(c.Totals, most)})
	}
	return rows
}

// Statuses returns the statuses that items of any compaction have. Lost is always among them.
func (d Doc) Statuses() []audit.Status {
	return slices.DeleteFunc(audit.Statuses(), func(s audit.Status) bool {
		return s != audit.Lost && !slices.ContainsFunc(d.Compactions, func(c audit.Compaction) bool { return c.Totals.Of(s) > 0 })
	})
}

// Groups returns the items that were known before a compaction, by status, with the evidence.
func (d Doc) Groups(c audit.Compaction) []Group {
	return ByStatus(c, func(it audit.Item) string { return evidenceText(it.Evidence, meanings[it.Status]) })
}

// CompactionName returns the number of a compaction, with the lane of a subagent, and with the trigger if it is known.
func CompactionName(c audit.Compaction) string {
	name := strconv.Itoa(c.Ordinal)
	if c.Lane != "" {
		name += " of " + c.Lane
	}
	if c.Trigger != "" {
		name += ", " + c.Trigger
	}
	return name
}

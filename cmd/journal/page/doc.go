// Package page writes the audit of a session as one HTML page that needs nothing
// else: no script, no network, no other file. It follows the reader's light or dark
// colours and can be printed.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"journal/replay/timeline"
)

// Doc is what a page shows.
type Doc struct {
	Session, Project, Agent string
	Title                   string // what was asked in the session first; empty: nothing
	Timeline                timeline.Timeline
	Info, Urgent            int // the levels of context usage in percent
	Compactions             []Compaction
	Zone                    *time.Location // of the times; nil is UTC
}

// Compaction is one of them, and what became of what was known before it.
type Compaction struct {
	Ordinal    int
	Seq        uint64
	At         int64 // ns since 1970 UTC
	Trigger    string
	HasSummary bool
	Groups     []Group
}

// Group is the items of one status.
type Group struct {
	Status string
	Means  string // what the status says, for people
	Bad    bool   // the model does not have these
	Items  []Item
}

// Item is one piece of knowledge.
type Item struct {
	ID, Kind, Text, Evidence string
	Seq                      uint64
}

//go:embed page.html
var source string

// Write writes the page.
func Write(w io.Writer, d Doc) error {
	// Not a package variable: hooks would parse it with every start.
	tmpl, err := template.New("page").Parse(source)
	if err != nil {
		return err
	}
	if d.Zone == nil {
		d.Zone = time.UTC
	}
	return tmpl.Execute(w, view{Doc: d, Chart: chartOf(d)})
}

// view is what the template sees.
type view struct {
	Doc
	Chart chart
}

// Time gives a time for people, empty for none.
func (v view) Time(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(v.Zone).Format("2006-01-02 15:04:05 -07:00")
}

// Lost counts the items that a compaction took from the model.
func (c Compaction) Lost() (n int) {
	for _, g := range c.Groups {
		if g.Bad {
			n += len(g.Items)
		}
	}
	return n
}

package page

import (
	"fmt"
	"slices"
	"strings"

	"journal/replay/audit"
)

// meanings explains each status to people.
var meanings = map[audit.Status]string{
	audit.Lost:      "the summary does not tell it, and nothing else carried it",
	audit.Unclear:   "no rule can say whether the summary tells it",
	audit.Offered:   "the recovery text carried it; nothing shows that it arrived",
	audit.InFile:    "a file held it, the context did not",
	audit.Restored:  "the recovery text carried it, and the client's transcript shows the whole text",
	audit.Kept:      "the client itself carried it over",
	audit.InSummary: "the summary tells it",
	audit.Reviewed:  "a compound reviewed it; nothing shows that it was promoted",
	audit.Promoted:  "it was promoted to learnings",
}

// Why returns the reason for an item's status; empty if the reason is only the meaning of the status.
func Why(it audit.Item) string {
	if it.Evidence.Why == meanings[it.Status] {
		return ""
	}
	return it.Evidence.Why
}

// Group holds the items of a compaction that have one status.
type Group struct {
	Status audit.Status
	Why    string // the reason that all items have; empty if each has one of its own
	Items  []GroupItem
}

// GroupItem is an item of a Group.
type GroupItem struct {
	audit.Item
	Why string // the reason for its status; empty if that of the group
}

// Means returns the meaning of the status, for people.
func (g Group) Means() string { return meanings[g.Status] }

// Bad reports whether the items are lost.
func (g Group) Bad() bool { return g.Status == audit.Lost }

// ByStatus groups the items of a compaction by status, lost ones first. In a group the most valuable items come first. why
// returns the reason for an item's status.
func ByStatus(c audit.Compaction, why func(audit.Item) string) (all []Group) {
	items := c.ByWorth()
	for _, status := range slices.Backward(audit.Statuses()) {
		g := Group{Status: status}
		for _, it := range items {
			if it.Status == status {
				g.Items = append(g.Items, GroupItem{it, why(it)})
			}
		}
		if len(g.Items) == 0 {
			continue
		}
		common := g.Items[0].Why
		if !slices.ContainsFunc(g.Items, func(it GroupItem) bool { return it.Why != common }) {
			g.Why = common
			for i := range g.Items {
				g.Items[i].Why = ""
			}
		}
		all = append(all, g)
	}
	return all
}

// evidenceText returns the reason for an item's status with the path and the events that prove it. Instead of a reason
// that is only the meaning of the status it writes "see".
func evidenceText(e audit.Evidence, means string) string {
	text := e.Why
	if text == means {
		text = "see"
	}
	if e.Path != "" {
		text += " (" + e.Path + ")"
	}
	for _, seq := range []uint64{e.Seq, e.Receipt} {
		if seq != 0 {
			text += fmt.Sprintf(" #%d", seq)
		}
	}
	return text
}

// barWidth is the width of a bar, in units of its drawing.
const barWidth = 400

// Segment is the part of a bar for the items with one status.
type Segment struct {
	X, Width float64
	Class    string // CSS class of the status (classes)
	Title    string // the status in words
	N        int    // number of items
}

// classes holds the CSS class of each status, which sets its colour.
var classes = map[audit.Status]string{
	audit.Promoted: "kept", audit.InSummary: "kept", audit.Kept: "kept", audit.Restored: "back", audit.Offered: "offered",
	audit.InFile: "elsewhere", audit.Reviewed: "elsewhere", audit.Unclear: "elsewhere", audit.Lost: "gone",
}

// Segments returns the parts of a bar for totals, one for each status with items. most is the number of items for which a bar
// has the whole width.
func Segments(t audit.Totals, most int) (all []Segment) {
	start := 0
	for _, status := range audit.Statuses() {
		part := Segment{Class: classes[status], Title: status.Words(), N: t.Of(status)}
		if part.N == 0 {
			continue
		}
		part.X = round(float64(start) / float64(most) * barWidth)
		start += part.N
		part.Width = round(float64(start)/float64(most)*barWidth) - part.X
		all = append(all, part)
	}
	return all
}

// Row holds the totals of an audit, or of one compaction.
type Row struct {
	Name, Link, When string // of the compaction
	Seq              uint64 // of the compaction
	Totals           audit.Totals
	Bar              []Segment
}

// Label describes the totals of a row, for screen readers.
func (r Row) Label() string { return strings.TrimSuffix(r.Totals.Headline(), ".") }

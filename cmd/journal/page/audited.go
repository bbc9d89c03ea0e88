package page

import (
	"fmt"
	"slices"
	"strings"

	"journal/replay/audit"
)

// means says what a status means for the agent.
var means = map[audit.Status]string{
	audit.Lost:       "the summary does not say it, and nothing else carried it",
	audit.Unknown:    "no summary was recorded, so nobody can say",
	audit.Offered:    "the recovery text carried it; nothing shows that it arrived",
	audit.OnDisk:     "a file held it, the context did not",
	audit.Reinjected: "the recovery text carried it, and the client's transcript shows the whole text",
	audit.Preserved:  "the agent itself carried it over",
	audit.InSummary:  "the summary says it",
	audit.Reviewed:   "a compound went by it; nothing shows that it was promoted",
	audit.Promoted:   "it was promoted to learnings",
}

// Why says why an item has its status; empty if the meaning of the status says it already.
func Why(it audit.Item) string {
	if it.Evidence.Why == means[it.Status] {
		return ""
	}
	return it.Evidence.Why
}

// Label returns the name of a status for people.
func Label(s audit.Status) string {
	if s == audit.Reinjected {
		return "brought back"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Standing says of an item that is not simply lost what is left of it.
func Standing(it audit.Item) string {
	switch {
	case it.Partial:
		return fmt.Sprintf("%s %d %%", Label(it.Status), it.Share)
	case it.Status == audit.Lost:
		return ""
	}
	return Label(it.Status)
}

// CompactionOf is what a page shows of an audited compaction.
func CompactionOf(c audit.Compaction) Compaction {
	p := Compaction{
		Ordinal: c.Ordinal, Lane: c.Lane, Seq: c.Seq, At: c.At.Time().UnixNano(), Trigger: c.Trigger, HasSummary: c.HasSummary,
		Share: ShareOf(c.Totals), Settled: c.Settled,
	}
	why := func(it audit.Item) string { return evidenceText(it.Evidence, means[it.Status]) }
	for _, g := range ByStatus(c, why, func(it audit.Item, why string) Item {
		shown := ItemOf(it)
		shown.Standing, shown.Evidence = "", why
		return shown
	}) {
		p.Groups = append(p.Groups, Group{
			Status: Label(g.Status), Means: means[g.Status], Bad: g.Status == audit.Lost, Evidence: g.Why, Items: g.Items, Routine: g.Routine,
		})
	}
	return p
}

// Grouped is what a page shows of the items of one status.
type Grouped[T any] struct {
	Status         audit.Status
	Why            string // the same for every item; empty: each has its own
	Items, Routine []T
}

// ByStatus groups the items of a compaction by status, what is missing first, and the most valuable items first. show
// gets an item and why it has its status: "" if the group shows that for all.
func ByStatus[T any](c audit.Compaction, why func(audit.Item) string, show func(it audit.Item, why string) T) (all []Grouped[T]) {
	every := c.ByWorth()
	for _, status := range slices.Backward(audit.Statuses()) {
		items := slices.DeleteFunc(slices.Clone(every), func(it audit.Item) bool { return it.Status != status })
		if len(items) == 0 {
			continue
		}
		g := Grouped[T]{Status: status, Why: why(items[0])}
		alike := !slices.ContainsFunc(items, func(it audit.Item) bool { return why(it) != g.Why })
		if !alike {
			g.Why = ""
		}
		for _, it := range items {
			own := ""
			if !alike {
				own = why(it)
			}
			if one := show(it, own); it.Routine {
				g.Routine = append(g.Routine, one)
			} else {
				g.Items = append(g.Items, one)
			}
		}
		all = append(all, g)
	}
	return all
}

// ItemOf is what a page shows of an item in a list of several statuses.
func ItemOf(it audit.Item) Item {
	said := it.Text
	if it.Detail != "" {
		said += "\n" + it.Detail
	}
	return Item{ID: it.ID, Kind: string(it.Kind), Text: said, Standing: Standing(it), Seq: it.Seq}
}

// evidenceText says why an item has its status, unless the meaning of the status says it
// already, and which event shows it.
func evidenceText(e audit.Evidence, means string) string {
	said := e.Why
	if said == means {
		said = "see"
	}
	if e.Path != "" {
		said += " (" + e.Path + ")"
	}
	for _, seq := range []uint64{e.Seq, e.Receipt} {
		if seq != 0 {
			said += fmt.Sprintf(" #%d", seq)
		}
	}
	return said
}

// ShareOf is what a page draws of totals.
func ShareOf(t audit.Totals) Share {
	return Share{Known: t.Known, Kept: t.Kept, Lost: t.Lost, GivenBack: t.GivenBack, Offered: t.Offered}
}

// barWidth is the width of the drawing, in its own units.
const barWidth = 400

// Segment is a part of a bar, and how many things it stands for.
type Segment struct {
	X, Width float64
	Class    string
	Title    string
	N        int
}

// Segments splits a share by what became of it; a share of most things fills the whole width.
func (s Share) Segments(most int) []Segment {
	var all []Segment
	at := 0
	for _, part := range []Segment{
		{Class: "kept", Title: "kept", N: s.Kept},
		{Class: "back", Title: "brought back", N: s.GivenBack},
		{Class: "offered", Title: "offered: given, receipt unknown", N: s.Offered},
		{Class: "elsewhere", Title: "elsewhere", N: s.Known - s.Kept - s.GivenBack - s.Offered - s.Lost},
		{Class: "gone", Title: "lost", N: s.Lost},
	} {
		if part.N <= 0 {
			continue
		}
		part.X = round(float64(at) / float64(most) * barWidth)
		at += part.N
		part.Width = round(float64(at)/float64(most)*barWidth) - part.X
		all = append(all, part)
	}
	return all
}

// Plus adds two shares.
func (s Share) Plus(o Share) Share {
	return Share{Known: s.Known + o.Known, Kept: s.Kept + o.Kept, Lost: s.Lost + o.Lost, GivenBack: s.GivenBack + o.GivenBack, Offered: s.Offered + o.Offered}
}

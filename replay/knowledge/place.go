package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"journal/events"
	"journal/projections"
)

// Place is where things are in one file of those in work, as of the compaction. Its Detail is what was changed last, and its
// State where names are.
const Place Kind = "place"

var _ = declare(Def{
	Kind: Place, Needs: []projections.Projection{projections.Places},
	Items: func(f *projections.Fold) (items []Item) {
		s := projections.Places.In(f)
		for i, p := range s.Files {
			if slices.ContainsFunc(s.Stale, func(written string) bool { return strings.HasSuffix(written, "/"+p.Path) }) {
				continue
			}
			items = append(items, Item{Kind: Place, Seq: s.Seq, Part: i + 1, Text: placesOf(p)})
		}
		return items
	},
	Text: Text{
		Place: 78, Turn: 62, Form: Line, Units: 400, Grow: 9, Tiers: Tiers{Best: Likely, First: 8, Second: 20}, Summary: true,
	},
})

// placesOf puts the places in a file on one line: names with their lines, each with what was changed of it last, and what
// was changed elsewhere.
func placesOf(p events.FilePlaces) string {
	in := map[string][]string{}
	for _, r := range p.Changed {
		lines := fmt.Sprint("±", r.From)
		if r.To > r.From {
			lines += fmt.Sprint("–", r.To)
		}
		for i, n := range r.Names {
			lines += fmt.Sprint([]string{": ", " "}[min(i, 1)], n.Name, " ", n.Line)
		}
		in[r.In] = append(in[r.In], lines)
	}
	var all []string
	for _, n := range p.Names {
		s := fmt.Sprint(n.Name, " ", n.Line)
		if changed := in[n.Name]; changed != nil {
			s += " (" + strings.Join(changed, ", ") + ")"
			delete(in, n.Name)
		}
		all = append(all, s)
	}
	for _, r := range p.Changed { // what is around them is told nowhere
		all = append(all, in[r.In]...)
		delete(in, r.In)
	}
	return p.Path + ": " + strings.Join(all, ", ")
}

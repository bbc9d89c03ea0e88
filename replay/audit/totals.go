package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"journal/events/text"
	"journal/replay/knowledge"
)

// Totals counts the items worth keeping by status (docs/AUDIT.md). Known is the sum of the others except Routine.
type Totals struct {
	Known     int `json:"known"`
	Kept      int `json:"kept"`       // promoted, in_summary, preserved
	Lost      int `json:"lost"`       // dropped, and no recovery text carried all of it
	GivenBack int `json:"given_back"` // dropped; a recovery text that arrived carried all of it
	Offered   int `json:"offered"`    // dropped; a recovery text carried it, and nothing shows that it arrived
	OnDisk    int `json:"on_disk"`
	Reviewed  int `json:"reviewed"`
	Unknown   int `json:"unknown"`
	Routine   int `json:"routine"` // routine items of any status
}

func (t *Totals) add(it Item) {
	if it.Routine {
		t.Routine++
		return
	}
	t.Known++
	switch it.Status {
	case Promoted, InSummary, Preserved:
		t.Kept++
	case OnDisk:
		t.OnDisk++
	case Reviewed:
		t.Reviewed++
	case Unknown:
		t.Unknown++
	case Offered:
		t.Offered++
	case Reinjected:
		if it.Kept() {
			t.GivenBack++
		} else {
			t.Lost++
		}
	default:
		t.Lost++
	}
}

// plus adds other counts.
func (t *Totals) plus(o Totals) {
	t.Known, t.Kept, t.Lost = t.Known+o.Known, t.Kept+o.Kept, t.Lost+o.Lost
	t.GivenBack, t.Offered, t.OnDisk = t.GivenBack+o.GivenBack, t.Offered+o.Offered, t.OnDisk+o.OnDisk
	t.Reviewed, t.Unknown, t.Routine = t.Reviewed+o.Reviewed, t.Unknown+o.Unknown, t.Routine+o.Routine
}

// Dropped returns how many items the compaction dropped, whether or not they came back.
func (t Totals) Dropped() int { return t.Lost + t.GivenBack + t.Offered }

// Headline says the totals in a sentence: "9 of 10 things worth keeping would be gone; journal brought 9 back".
func (t Totals) Headline() string {
	dropped, things := t.Dropped(), text.Counted(t.Known, "thing")+" worth keeping "
	line := fmt.Sprintf("%d of %s", dropped, things)
	if t.Known == 1 {
		things, line = "the one thing worth keeping ", "the one thing worth keeping "
	}
	switch {
	case t.Known == 0:
		return "nothing worth keeping was known"
	case dropped == 0 && t.Known == t.Unknown:
		return "nobody can say what became of " + strings.TrimSpace(things)
	case dropped == 0 && t.Known == 1:
		line += "is not lost"
	case dropped == 0:
		line = "none of " + things + "is lost"
	case dropped == t.Lost && t.Lost == 1:
		line += "is lost"
	case dropped == t.Lost:
		line += "are lost"
	case t.GivenBack == 0:
		line += fmt.Sprintf("would be gone; journal offered %d, whose receipt is unknown", t.Offered)
	case t.Offered == 0:
		line += fmt.Sprintf("would be gone; journal brought %d back", t.GivenBack)
	default:
		line += fmt.Sprintf("would be gone; journal brought %d back and offered %d, whose receipt is unknown", t.GivenBack, t.Offered)
	}
	if t.Lost > 0 && t.Lost < dropped {
		line += "; " + text.Counted(t.Lost, "is", "are") + " lost"
	}
	if t.OnDisk > 0 {
		line += "; " + text.Counted(t.OnDisk, "is", "are") + " in a file alone"
	}
	if t.Reviewed > 0 {
		line += "; " + text.Counted(t.Reviewed, "was", "were") + " reviewed by a compound"
	}
	if t.Unknown > 0 {
		line += fmt.Sprintf("; of %d nobody can say", t.Unknown)
	}
	return line
}

// Newest lists each item of a report once, with the status of the newest compaction of its lane that knew it, in the order
// of ByWorth. A file that was edited again or a task with a new state has a new id, but is the same item.
func (r Report) Newest() []Item {
	if r.newest != nil {
		return slices.Clone(r.newest)
	}
	type group struct {
		lane string
		kind knowledge.Kind
	}
	type seen struct{ ids, sayings map[string]bool }
	var all []Item
	groups := map[group]seen{}
	for _, c := range slices.Backward(r.Compactions) {
		var here []*Item
		for i := range c.Items {
			it := &c.Items[i]
			of := groups[group{c.Lane, it.Kind}]
			switch knownID, known := of.ids[it.ID], of.sayings[it.Text]; {
			case knownID && known:
				continue
			case !knownID && !known:
				all = append(all, *it)
			}
			here = append(here, it)
		}
		for _, it := range here { // equal texts in one compaction are two items
			g := group{c.Lane, it.Kind}
			if groups[g].ids == nil {
				groups[g] = seen{map[string]bool{}, map[string]bool{}}
			}
			groups[g].ids[it.ID], groups[g].sayings[it.Text] = true, true
		}
	}
	return byWorth(all)
}

// WorthKeeping counts the items of a status that are worth keeping.
func (c Compaction) WorthKeeping(s Status) (n int) {
	for _, it := range c.Items {
		if it.Status == s && !it.Routine {
			n++
		}
	}
	return n
}

// ByWorth lists the items of a compaction: most worth first, then newest first, routine ones last.
func (c Compaction) ByWorth() []Item { return byWorth(slices.Clone(c.Items)) }

func byWorth(all []Item) []Item {
	slices.SortStableFunc(all, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(b.Seq, a.Seq))
	})
	return all
}

// place is the sort key of the item's worth.
func (it Item) place() int {
	if it.Routine {
		return math.MaxInt
	}
	return it.Worth
}

// Lost lists the items that the agent lacks, most worth first: lost ones, and those that a recovery text carried only in
// part or without a receipt. Routine items are listed only if asked for. An item that several lanes lack is listed once,
// as the newest compaction left it.
func (r Report) Lost(routine bool) []Item {
	seen := map[string]bool{}
	return slices.DeleteFunc(r.Newest(), func(it Item) bool {
		left := !it.lacking() || it.Routine && !routine || seen[it.ID]
		seen[it.ID] = seen[it.ID] || !left
		return left
	})
}

func (it Item) lacking() bool {
	return it.Status == Lost || it.Status == Offered || it.Status == Reinjected && it.Partial
}

// LostRoutine counts the routine items that the agent lacks, by sort.
func (r Report) LostRoutine() []RoutineCount {
	var all []RoutineCount
	for _, it := range r.Newest() {
		if !it.Routine || !it.lacking() {
			continue
		}
		i := slices.IndexFunc(all, func(c RoutineCount) bool { return c.Items == it.rated.Items })
		if i < 0 {
			i = len(all)
			all = append(all, RoutineCount{Items: it.rated.Items})
		}
		all[i].Count++
	}
	slices.SortFunc(all, func(a, b RoutineCount) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Items, b.Items)) })
	return all
}

// RoutineCount is the number of routine items of one sort.
type RoutineCount struct {
	Items string // as declared with their kind, in the plural
	Count int
}

// total sets the totals of a report.
func (r Report) total() Report {
	r.Totals, r.newest = Totals{}, nil
	r.newest = r.Newest()
	for _, it := range r.newest {
		r.Totals.add(it)
	}
	return r
}

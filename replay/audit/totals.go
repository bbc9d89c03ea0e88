package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
)

// Totals counts items by status. Known is the sum of the others.
type Totals struct {
	Known     int `json:"known"`
	Promoted  int `json:"promoted"`
	InSummary int `json:"told"`
	Kept      int `json:"kept_by_the_client"`
	Restored  int `json:"restored"`
	Offered   int `json:"offered"`
	InFile    int `json:"in_a_file"`
	Reviewed  int `json:"reviewed"`
	Unclear   int `json:"unclear"`
	Lost      int `json:"lost"`
}

// each returns the counts in the order of Statuses.
func (t *Totals) each() []*int {
	return []*int{&t.Promoted, &t.InSummary, &t.Kept, &t.Restored, &t.Offered, &t.InFile, &t.Reviewed, &t.Unclear, &t.Lost}
}

// Of returns the number of items with a status.
func (t Totals) Of(s Status) int { return *t.each()[slices.Index(Statuses(), s)] }

func (t *Totals) add(s Status) {
	t.Known++
	*t.each()[slices.Index(Statuses(), s)]++
}

// Plus returns the sum of two totals.
func (t Totals) Plus(o Totals) Totals {
	t.Known += o.Known
	others := o.each()
	for i, n := range t.each() {
		*n += *others[i]
	}
	return t
}

// Headline returns the totals as a sentence: "12 things worth keeping: 10 told, 1 restored, 1 unclear; none lost". If all are
// unclear, it does not say that none are lost.
func (t Totals) Headline() string {
	if t.Known == 0 {
		return "nothing worth keeping was known"
	}
	var parts []string
	for _, s := range Statuses() {
		if n := t.Of(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.Words()))
		}
	}
	line := text.Counted(t.Known, "thing") + " worth keeping: " + strings.Join(parts, ", ")
	if t.Lost == 0 && t.Unclear < t.Known {
		line += "; none lost"
	}
	return line
}

// Words returns the name of a status for people.
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Newest lists each item of a report once, with the status of the newest compaction of its lane that knew it, in the order of
// ByWorth. It leaves out items that were no longer worth keeping at that compaction. Items with the same kind and text count as
// one item: a file that was edited again has a new id.
func (r Report) Newest() []Item {
	var all []Item
	seen := map[string]bool{}
	for _, c := range slices.Backward(r.Compactions) {
		for _, it := range c.Items {
			if !seen[c.Lane+"\n"+it.ID] && !seen[c.Lane+"\n"+it.textKey()] {
				all = append(all, it)
			}
		}
		for _, it := range slices.Concat(c.Items, c.past) { // equal texts in one compaction are two items
			seen[c.Lane+"\n"+it.ID], seen[c.Lane+"\n"+it.textKey()] = true, true
		}
	}
	return byWorth(all)
}

// ByWorth lists the items of a compaction: most worth first, then newest first.
func (c Compaction) ByWorth() []Item { return byWorth(slices.Clone(c.Items)) }

func byWorth(all []Item) []Item {
	slices.SortStableFunc(all, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Worth, b.Worth), cmp.Compare(b.Seq, a.Seq))
	})
	return all
}

// WithStatus lists the items of Newest with a status. An item that several lanes have is listed once.
func (r Report) WithStatus(s Status) []Item {
	var all []Item
	seen := map[string]bool{}
	for _, it := range r.Newest() {
		if it.Status == s && !seen[it.ID] {
			seen[it.ID] = true
			all = append(all, it)
		}
	}
	return all
}

// total returns the report with its totals.
func (r Report) total() Report {
	r.Totals = Totals{}
	for _, it := range r.Newest() {
		r.Totals.add(it.Status)
	}
	return r
}

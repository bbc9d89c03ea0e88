package projections

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"journal/events"
)

// maxLearnings bounds the learnings of a state. Deleted learnings are dropped before the others, and of both the oldest first.
const maxLearnings = 2000

// StockState holds the project's learnings.
type StockState struct {
	Learnings []Learning // in the order of the first observation, also deleted ones, at most maxLearnings
	Files     []string   // every file observed
}

// Learning is one entry of a file of learnings. Two observations show the same learning if file and title are equal.
type Learning struct {
	File      string   `json:"file"`
	Title     string   `json:"title"`
	Confirmed int      `json:"confirmed"`          // number of confirmations; 0 is unverified (docs/FILES.md §S1)
	Date      string   `json:"date,omitempty"`     // of the last confirmation, as written
	Phases    []string `json:"phases,omitempty"`   // phases of a skill in which it was confirmed
	Learning  string   `json:"learning,omitempty"` // what was learned
	Seq       uint64   `json:"seq"`                // first observation

	// Change is the newest change, and ChangedSeq the observation that showed it. Both are empty for a learning that has not
	// changed since the first observation of its file.
	Change     Change `json:"change,omitempty"`
	ChangedSeq uint64 `json:"changed_seq,omitempty"`
	// From lists the titles of the learnings that Change merged or synthesised into this learning. Into is the title of the learning
	// into which this deleted learning was merged or synthesised, empty for none.
	From       []string `json:"from,omitempty"`
	Into       string   `json:"into,omitempty"`
	DeletedSeq uint64   `json:"deleted_seq,omitempty"` // first observation without it, 0 for none
}

// Change is a change of a learning between two observations of its file.
type Change string

// The changes (S1.14), as two observations show them.
const (
	Created     Change = "created"     // a new title
	Confirmed   Change = "confirmed"   // the count rose by one
	Merged      Change = "merged"      // the count rose by the counts of vanished titles, or is their sum under a new title
	Synthesised Change = "synthesised" // a new title with count one, where several titles vanished
	Edited      Change = "edited"      // any other difference
	Deleted     Change = "deleted"     // the title vanished
)

// Stock records the project's learnings and how well they are confirmed.
var Stock = Declare("stock", 1, Project, "learnings, and how often they were confirmed",
	On(StockState.observed),
)

// Confidence summarises how well learnings are confirmed.
type Confidence struct {
	Entries int `json:"entries"`
	// Mean is the mean number of confirmations of the confirmed learnings, with one decimal; 0 if there are none.
	Mean       float64 `json:"mean_confirmations"`
	Unverified int     `json:"unverified"`
}

// Confidence summarises the learnings that are not deleted (S1.5).
func (s StockState) Confidence() Confidence {
	var c Confidence
	sum := 0.0
	for _, l := range s.Learnings {
		if l.DeletedSeq != 0 {
			continue
		}
		c.Entries++
		if l.Confirmed == 0 {
			c.Unverified++
		}
		sum += float64(l.Confirmed)
	}
	if confirmed := c.Entries - c.Unverified; confirmed > 0 {
		c.Mean = math.Round(10*sum/float64(confirmed)) / 10
	}
	return c
}

// observed applies the content of a file of learnings.
func (s StockState) observed(e events.FileObserved, at At) StockState {
	if e.Kind != events.StockFile || e.Gap != "" && len(e.Entries) == 0 {
		return s
	}
	before := slices.Contains(s.Files, e.Path)
	if !before {
		s.Files = append(s.Files[:len(s.Files):len(s.Files)], e.Path)
	}
	c := comparison{e: e, at: at, before: before, learnings: slices.Clone(s.Learnings)}
	c.match()
	c.change()
	s.Learnings = c.learnings
	over := len(s.Learnings) - maxLearnings
	s.Learnings = slices.DeleteFunc(s.Learnings, func(l Learning) bool {
		if over <= 0 || l.DeletedSeq == 0 {
			return false
		}
		over--
		return true
	})
	s.Learnings = lastOf(s.Learnings, maxLearnings)
	return s
}

// MarshalJSON encodes the summary and every learning.
func (s StockState) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Confidence
		Learnings []Learning `json:"learnings"`
	}{s.Confidence(), append([]Learning{}, s.Learnings...)})
}

// comparison compares an observation of a file of learnings with its known learnings.
type comparison struct {
	e         events.FileObserved
	at        At
	before    bool       // the file was observed before
	learnings []Learning // of all files; modified in place

	same     []int // for each entry the index of its learning, -1 for a new one
	vanished []int // indexes of the file's learnings that have no entry any more
}

// match sets same and vanished.
func (c *comparison) match() {
	matched := make([]bool, len(c.learnings))
	for _, entry := range c.e.Entries {
		i := -1
		for j, l := range c.learnings {
			if l.File == c.e.Path && l.Title == entry.Heading && !matched[j] && (i < 0 || c.learnings[i].DeletedSeq != 0) {
				i = j
			}
		}
		if i >= 0 {
			matched[i] = true
		}
		c.same = append(c.same, i)
	}
	if c.e.Gap != "" {
		return // the observation may lack entries of the file
	}
	for j, l := range c.learnings {
		if l.File == c.e.Path && l.DeletedSeq == 0 && !matched[j] {
			c.vanished = append(c.vanished, j)
		}
	}
}

// change updates the learnings.
func (c *comparison) change() {
	groups := c.groups()
	into := make([]string, len(groups)) // the title into which each group was merged or synthesised, empty for none
	for i, entry := range c.e.Entries {
		now, old := learningOf(entry), c.same[i]
		now.File, now.Seq = c.e.Path, c.at.Seq
		change := Change("")
		for g, group := range groups {
			kind := c.changeInto(group, i)
			mergedGroup := g < len(groups)-1 // of two groups, the first was merged
			if kind == "" || kind == Synthesised && mergedGroup || change != "" || into[g] != "" {
				continue
			}
			change, into[g] = kind, now.Title
			for _, j := range group {
				now.From = append(now.From, c.learnings[j].Title)
			}
		}
		switch {
		case old >= 0:
			c.learnings[old] = c.learnings[old].updated(now, change)
			continue
		case change != "":
			now.Change, now.ChangedSeq = change, c.at.Seq
		case c.before:
			now.Change, now.ChangedSeq = Created, c.at.Seq
		}
		c.learnings = append(c.learnings, now)
	}
	for g, group := range groups {
		for _, j := range group {
			l := &c.learnings[j]
			l.Change, l.ChangedSeq, l.DeletedSeq, l.Into = Deleted, c.at.Seq, c.at.Seq, into[g]
		}
	}
}

// changeInto returns the change by which vanished learnings may have become an entry, empty for none. An entry with a new title
// needs at least two of them.
func (c *comparison) changeInto(vanished []int, entry int) Change {
	sum, rise, isNew := 0, learningOf(c.e.Entries[entry]).Confirmed, true
	for _, j := range vanished {
		sum += c.learnings[j].Confirmed
	}
	if j := c.same[entry]; j >= 0 {
		if c.learnings[j].DeletedSeq != 0 {
			return ""
		}
		rise, isNew = rise-c.learnings[j].Confirmed, false
	}
	switch {
	case len(vanished) == 0, isNew && len(vanished) == 1, rise <= 0:
		return ""
	case isNew && rise == 1:
		return Synthesised
	case rise == sum:
		return Merged
	}
	return ""
}

// maxSplit bounds the vanished learnings that are split into groups: every split is tried.
const maxSplit = 8

// groups splits the vanished learnings into two groups, merged and synthesised learnings, if the observation shows both changes and
// exactly one split fits. Otherwise all are one group. Without vanished learnings there is no group.
func (c *comparison) groups() [][]int {
	if len(c.vanished) == 0 {
		return nil
	}
	whole := [][]int{c.vanished}
	split, synthesised := whole, false
	for i := range c.e.Entries {
		change := c.changeInto(c.vanished, i)
		synthesised = synthesised || change == Synthesised
		if change == Merged {
			return whole
		}
	}
	if !synthesised || len(c.vanished) > maxSplit {
		return whole
	}
	for bits := 1; bits < 1<<len(c.vanished); bits++ {
		var merged, others []int
		for n, j := range c.vanished {
			if bits>>n&1 == 1 {
				merged = append(merged, j)
			} else {
				others = append(others, j)
			}
		}
		if len(others) > 1 && c.mergedInto(merged) {
			if len(split) == 2 {
				return whole
			}
			split = [][]int{merged, others}
		}
	}
	return split
}

// mergedInto reports whether vanished learnings were probably merged into an entry. A rise by one is more probably a confirmation than
// the merge of one learning.
func (c *comparison) mergedInto(vanished []int) bool {
	if len(vanished) == 1 && c.learnings[vanished[0]].Confirmed == 1 {
		return false
	}
	for i := range c.e.Entries {
		if c.changeInto(vanished, i) == Merged {
			return true
		}
	}
	return false
}

// updated returns the learning as it is now. merged is the change by which other learnings became a part of it, empty for none.
func (l Learning) updated(now Learning, merged Change) Learning {
	change := merged
	switch rise := now.Confirmed - l.Confirmed; {
	case merged != "":
	case l.DeletedSeq != 0:
		change = Created
	case rise == 1:
		change = Confirmed
	case rise != 0, l.Date != now.Date, l.Learning != now.Learning, !slices.Equal(l.Phases, now.Phases):
		change = Edited
	default:
		return l
	}
	now.Seq, now.Change, now.ChangedSeq = l.Seq, change, now.Seq
	return now
}

// learningOf returns the learning in an entry. The label of its confirmations is "3回 | 2026-02-20 | implement, review", or
// begins with "3 times" or "3x" (S1.14). Without a number, or with one above maxConfirmations, the learning is unverified.
func learningOf(e events.Entry) Learning {
	l := Learning{Title: e.Heading, Learning: events.LabelIn(e.Labels, "Learning", "学び", "배움")}
	parts := strings.Split(strings.ReplaceAll(events.LabelIn(e.Labels, "Confirmed", "確認", "확인"), "｜", "|"), "|")
	digits := strings.TrimSpace(parts[0])
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || '9' < r }); i >= 0 {
		digits = digits[:i]
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxConfirmations {
		return l
	}
	l.Confirmed = n
	if len(parts) > 1 {
		l.Date = strings.TrimSpace(parts[1])
	}
	if len(parts) > 2 {
		for phase := range strings.FieldsFuncSeq(parts[2], func(r rune) bool { return r == ',' || r == '、' }) {
			if phase = strings.TrimSpace(phase); phase != "" {
				l.Phases = append(l.Phases, phase)
			}
		}
	}
	return l
}

// maxConfirmations is the greatest number that counts as a number of confirmations.
const maxConfirmations = 1_000_000

package projections

import (
	"encoding/json"
	"math"
	"slices"

	"journal/events"
)

// maxLearnings bounds the learnings of a state: deleted ones go first, oldest
// first.
const maxLearnings = 2000

// StockState is the project's lasting knowledge: every learning that was ever
// seen, in the order in which they were.
type StockState struct {
	Learnings []Learning
	// Files are those that were observed before.
	Files []string
}

// Learning is one entry of a file of lasting knowledge. Its file and its title
// make it the same in two observations.
type Learning struct {
	File      string   `json:"file"`
	Title     string   `json:"title"`
	Confirmed int      `json:"confirmed"` // how often; 0 is unverified (docs/FILES.md §S1)
	Date      string   `json:"date,omitempty"`
	Phases    []string `json:"phases,omitempty"`
	Learning  string   `json:"learning,omitempty"`
	Seq       uint64   `json:"seq"` // first observed

	// Change is what the newest observation that showed one showed, and
	// ChangedSeq is that observation. It is empty for a learning that stood in
	// its file at the first look: nobody saw it come.
	Change     Change `json:"change,omitempty"`
	ChangedSeq uint64 `json:"changed_seq,omitempty"`
	// From are the titles that were merged or synthesised into this one, Into is
	// the one that this was merged into.
	From       []string `json:"from,omitempty"`
	Into       string   `json:"into,omitempty"`
	DeletedSeq uint64   `json:"deleted_seq,omitempty"`
}

// Change is what happened to a learning between two observations of its file.
type Change string

// The changes (S1.14). They are read from what the two observations show:
const (
	Created     Change = "created"     // a new title
	Confirmed   Change = "confirmed"   // the number rose by one
	Merged      Change = "merged"      // the number rose by those of all titles that vanished, or is their sum under a new title
	Synthesised Change = "synthesised" // a new title at one, where several vanished
	Edited      Change = "edited"      // anything else about it is different
	Deleted     Change = "deleted"     // the title vanished; Into says where it went, if that shows
)

// Stock tells the project's lasting knowledge and how well it is confirmed.
var Stock = Declare("stock", 1, Project, "lasting knowledge, and how often it was confirmed",
	On(StockState.observed),
)

// Confidence sums up how well lasting knowledge is confirmed.
type Confidence struct {
	Entries int `json:"entries"`
	// Mean is how often a learning was confirmed, over those that were, with one
	// decimal; 0 when none was.
	Mean       float64 `json:"mean_confirmations"`
	Unverified int     `json:"unverified"`
}

// Confidence sums up the learnings that are not deleted (S1.5).
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
	for i := 0; i < len(s.Learnings) && len(s.Learnings) > maxLearnings; {
		if s.Learnings[i].DeletedSeq == 0 {
			i++
			continue
		}
		s.Learnings = slices.Delete(s.Learnings, i, i+1)
	}
	s.Learnings = s.Learnings[max(0, len(s.Learnings)-maxLearnings):]
	return s
}

// MarshalJSON gives the summary and every learning.
func (s StockState) MarshalJSON() ([]byte, error) {
	learnings := s.Learnings
	if learnings == nil {
		learnings = []Learning{}
	}
	return json.Marshal(struct {
		Confidence
		Learnings []Learning `json:"learnings"`
	}{s.Confidence(), learnings})
}

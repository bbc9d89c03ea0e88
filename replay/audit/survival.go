package audit

import "journal/replay/knowledge"

// Survival is what became of everything that was known before any compaction. Its JSON form is that
// of `journal audit --all --json`.
type Survival struct {
	Sessions    int                       `json:"sessions"` // with a compaction
	Compactions int                       `json:"compactions"`
	Kinds       map[knowledge.Kind]Counts `json:"kinds"` // made by who makes a Survival
	Totals      Totals                    `json:"totals"`

	kept map[knowledge.Kind]int // those of which the agent still has all
}

// Counts are how many items have each status.
type Counts map[Status]int

// Known gives how many items of a kind were known, and of how many of them the agent
// still has all.
func (s Survival) Known(k knowledge.Kind) (known, kept int) {
	for _, n := range s.Kinds[k] {
		known += n
	}
	return known, s.kept[k]
}

// Add counts the audit of one more session.
func (s *Survival) Add(r Report) {
	if len(r.Compactions) > 0 {
		s.Sessions++
	}
	s.Totals.plus(r.Totals)
	for _, c := range r.Compactions {
		s.Compactions++
		for _, it := range c.Items {
			if s.Kinds[it.Kind] == nil {
				s.Kinds[it.Kind] = Counts{}
			}
			s.Kinds[it.Kind][it.Status]++
			if it.Kept() {
				if s.kept == nil {
					s.kept = map[knowledge.Kind]int{}
				}
				s.kept[it.Kind]++
			}
		}
	}
}

// Only keeps one compaction of each lane, by its ordinal.
func (r Report) Only(ordinal int) Report {
	only := Report{Session: r.Session, Compactions: []Compaction{}}
	for _, c := range r.Compactions {
		if c.Ordinal == ordinal {
			only.Compactions = append(only.Compactions, c)
		}
	}
	return only.total()
}

// Find gives the item with an id as of the newest compaction that knew it.
func (r Report) Find(id string) (Item, bool) {
	for i := len(r.Compactions) - 1; i >= 0; i-- {
		for _, it := range r.Compactions[i].Items {
			if it.ID == id {
				return it, true
			}
		}
	}
	return Item{}, false
}

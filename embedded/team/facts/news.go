package facts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"journal/embedded/team"
	"journal/embedded/team/dial"
)

const (
	// newsBytes bounds what is answered at once over a new connection, laterBytes over one that is known, so that nobody can
	// keep a laptop busy, and newsMost what is answered of each topic.
	newsBytes  = 32 << 20
	laterBytes = 1 << 20
	newsMost   = 5000
)

// All returns the facts that are kept, in the order of members, devices and places.
func (k *Cache) All() (all []*Fact) {
	for _, m := range k.members {
		for _, f := range m {
			if f.Summary != nil {
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Fact) int {
		return cmp.Or(strings.Compare(a.Member, b.Member), strings.Compare(a.Device, b.Device), strings.Compare(a.Place, b.Place))
	})
	return all
}

// News asks for what is new of some topics: one question each, and who is in the team if that is not known, all at once. found
// reports whether there was anything. The error is dial.ErrNothingThere at a hub that has no news.
func (k *Cache) News(ctx context.Context, q *Query, topics []string) (found bool, trouble error) {
	most := laterBytes
	if q.Linked {
		most = newsBytes
		clear(k.readNews)
	}
	questions := make([]dial.Question, len(topics))
	for n, topic := range topics {
		questions[n] = dial.Question{Stream: team.News, Next: News("*", topic) + ".>", Most: newsMost, Bytes: most / len(topics)}
	}
	if len(k.Team.Members) == 0 {
		questions = append(questions, dial.RosterQuestion)
	}
	return k.fetch(ctx, q, k.readNews, questions, 1)
}

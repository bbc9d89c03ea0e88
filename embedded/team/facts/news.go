package facts

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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
		for _, f := range m.facts {
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

// News asks for what is new of some topics: one question each, and who is in the team if that is not known, all at
// once. Over a new connection it goes on until there is nothing more. found reports whether there was anything. The error is
// dial.ErrNothingThere at a hub that has no news.
func (k *Cache) News(ctx context.Context, q *Query, topics []string) (found bool, trouble error) {
	most := laterBytes
	if q.Linked {
		most = newsBytes
		clear(k.newest)
	}
	var roster errgroup.Group
	if len(k.Team.Members) == 0 {
		roster.Go(func() error { return k.fetchRoster(ctx, q) })
	}
	for len(topics) > 0 {
		questions := make([]dial.Asked, len(topics))
		for n, topic := range topics {
			questions[n] = dial.Asked{Stream: team.News, Question: dial.Question{
				Next: News("*", topic) + ".>", From: k.newest[topic] + 1, Most: newsMost, Bytes: most / len(topics),
			}}
		}
		answers, err := ask(ctx, q.NC, questions)
		if err = cmp.Or(roster.Wait(), err); err != nil {
			return found, errors.Join(trouble, err)
		}
		var more []string
		for n, topic := range topics {
			if questions[n].Err != nil {
				return found, errors.Join(trouble, questions[n].Err)
			}
			if len(answers[n]) == 0 {
				continue
			}
			found, trouble = true, errors.Join(trouble, k.Merge(q, answers[n]))
			k.newest[topic] = answers[n][len(answers[n])-1].Seq
			if q.Linked && questions[n].Pending > 0 {
				more = append(more, topic)
			}
		}
		topics = more
	}
	return found, cmp.Or(roster.Wait(), trouble)
}

// Merge adds news, and ignores those that are older than what is known. The error names each member whose facts do not verify.
func (k *Cache) Merge(q *Query, all []dial.Answer) error {
	failed := map[string]error{}
	k.takeAll(q, all, failed)
	maps.DeleteFunc(failed, func(_ string, err error) bool { return errors.Is(err, ErrOlder) })
	return k.troubleOf(failed)
}

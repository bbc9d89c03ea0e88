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

// News asks for what is new of some topics: one question each, and who is in the team if that is not known, all at once. found
// reports whether there was anything. The error is dial.ErrNothingThere at a hub that has no news.
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
	if len(topics) == 0 {
		return false, roster.Wait()
	}
	questions := make([]dial.Asked, len(topics))
	for n, topic := range topics {
		questions[n] = dial.Asked{Stream: team.News, Question: dial.Question{
			Next: News("*", topic) + ".>", From: k.newest[topic] + 1, Most: newsMost, Bytes: most / len(topics),
		}}
	}
	answers, err := ask(ctx, q.NC, questions)
	if err = cmp.Or(roster.Wait(), err); err != nil {
		return false, err
	}
	for n, topic := range topics {
		trouble = errors.Join(trouble, questions[n].Err)
		if last := len(answers[n]) - 1; last >= 0 {
			found, trouble = true, errors.Join(trouble, k.Merge(q, answers[n]))
			k.newest[topic] = answers[n][last].Seq
		}
	}
	return found, trouble
}

// Merge adds news, and ignores those that are older than what is known. The error names each member whose facts do not verify.
func (k *Cache) Merge(q *Query, all []dial.Answer) error {
	failed := map[string]error{}
	k.takeAll(q, all, failed)
	maps.DeleteFunc(failed, func(_ string, err error) bool { return errors.Is(err, ErrOlder) })
	return k.troubleOf(failed)
}

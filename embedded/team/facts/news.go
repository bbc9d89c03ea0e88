package facts

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

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

// after reports whether a fact was made of more of a device's log than another, or of a newer copy of it.
func (f *Fact) after(o *Fact) bool {
	return cmp.Or(cmp.Compare(f.Copy, o.Copy), cmp.Compare(f.Last, o.Last)) > 0
}

func (f *Fact) key() string { return f.Member + "/" + f.Place }

// All returns the newest facts that are kept, in the order of members and places. A fact of a member's stream replaces one of
// the news that is not newer.
func (k *Cache) All() (all []*Fact) {
	newest := maps.Clone(k.news)
	for _, m := range k.members {
		for _, f := range m.facts {
			if early := newest[f.key()]; early == nil || !early.after(f) {
				newest[f.key()] = f
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(newest)) {
		if newest[key].Summary != nil {
			all = append(all, newest[key])
		}
	}
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
				Next: News("*", topic, "*"), From: k.newest[topic] + 1, Most: newsMost, Bytes: most / len(topics),
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
func (k *Cache) Merge(q *Query, all []dial.Answer) (trouble error) {
	kept := map[string]int{}
	for _, f := range k.news {
		kept[f.Member]++
	}
	for _, r := range k.readAll(q, all) {
		if r.err != nil {
			trouble = errors.Join(trouble, &MemberError{r.who.Name, r.err})
			continue
		}
		before := k.news[r.fact.key()]
		if before != nil && !r.fact.after(before) || before == nil && kept[r.who.Name] == maxKept {
			continue
		}
		if before == nil {
			kept[r.who.Name]++
		}
		k.news[r.fact.key()] = r.fact
	}
	return trouble
}

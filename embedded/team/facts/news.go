package facts

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"journal/embedded/team"
	"journal/embedded/team/dial"
)

// news are facts that were pushed before the member's stream has them. They are in memory only: a fact of the stream
// replaces one that is not newer.
type news struct {
	facts map[string]*Fact  // by member and place
	asked map[string]uint64 // by topic, up to which of the hub's news was asked
}

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

// All returns the newest facts that are kept, in the order of members and places.
func (k *Cache) All() (all []*Fact) {
	newest := map[string]*Fact{}
	maps.Copy(newest, k.news.facts)
	for _, m := range k.Members {
		for _, f := range m.Facts {
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
// once. Over a new connection it goes on until there is nothing more. found reports whether there was anything, evicted what
// Merge reports. The error is dial.ErrNothingThere at a hub that has no news.
func (k *Cache) News(ctx context.Context, l *Query, topics []string) (found, evicted bool, trouble error) {
	most := laterBytes
	if l.Linked {
		most = newsBytes
	}
	for first := true; len(topics) > 0 && (first || l.Linked); first = false {
		var questions []dial.Asked
		for _, topic := range topics {
			q := dial.Question{Next: News("*", topic, "*"), From: k.news.asked[topic] + 1, Most: newsMost, Bytes: most / len(topics)}
			if l.Linked && q.From > 1 {
				q.From-- // a hub that has neither that one nor a newer one began anew
			}
			questions = append(questions, dial.Asked{Stream: team.News, Question: q})
		}
		questions, answers, err := k.ask(ctx, l, questions, len(k.Team.Members) == 0)
		if err != nil {
			return found, evicted, err
		}
		var more []string
		for n, topic := range topics {
			q, all := questions[n], answers[n]
			if q.Err != nil {
				return found, evicted, q.Err
			}
			gone, err := k.Merge(l, all)
			found, evicted, trouble = found || len(all) > 0, evicted || gone, errors.Join(trouble, err)
			anew := len(all) == 0 && l.Linked && q.From > 1
			if anew {
				delete(k.news.asked, topic)
			} else if len(all) > 0 {
				k.news.asked[topic] = all[len(all)-1].Seq
			}
			if anew || len(all) > 0 && q.Pending > 0 {
				more = append(more, topic)
			}
		}
		topics = more
	}
	return found, evicted, trouble
}

// Merge adds news, and ignores those that are older than what is known. It evicts facts of an older copy of a
// device, which may hold what was erased, and reports whether there were any, so that Known is saved. The error names each
// member whose facts do not verify.
func (k *Cache) Merge(l *Query, all []dial.Answer) (evicted bool, trouble error) {
	kept := map[string]int{}
	for _, f := range k.news.facts {
		kept[f.Member]++
	}
	for _, r := range k.readAll(l, all) {
		if r.err != nil {
			trouble = errors.Join(trouble, &MemberError{r.who.Name, r.err})
			continue
		}
		before := k.news.facts[r.fact.key()]
		if before != nil && !r.fact.after(before) || before == nil && kept[r.who.Name] == maxKept {
			continue
		}
		if before == nil {
			kept[r.who.Name]++
		}
		k.news.facts[r.fact.key()] = r.fact
		if m := k.Members[r.who.Account]; m != nil {
			if old := m.Facts[r.fact.Place]; old != nil && old.Summary != nil && old.Copy < r.fact.Copy {
				old.Summary, evicted = nil, true
			}
		}
	}
	return evicted, trouble
}

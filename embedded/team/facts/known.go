package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
)

// Cache holds the facts of others that were read since it was made. It is for one goroutine.
type Cache struct {
	// Team is the roster as of the last query of all members.
	Team    team.Roster
	members map[string]map[string]*Fact // by account and place
	// Each maps the subjects of a question to the number of the hub's newest fact of them that was read.
	read, readNews map[string]uint64
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{members: map[string]map[string]*Fact{}, read: map[string]uint64{}, readNews: map[string]uint64{}}
}

// Fact is the newest fact of a place that was seen.
type Fact struct {
	Head
	At int64 // when it came to the hub, by the hub's clock, ns since 1970
	// Summary is nil if it was withdrawn, or not kept.
	Summary *Summary
}

const (
	// maxPlaces bounds the projects of a member, and maxKept those whose summaries are kept.
	maxPlaces, maxKept = 5000, 300
	// askBytes and askMost bound what one question is answered, and askOnce the questions that wait for answers: the hub
	// ends a connection to which it has 64 MB to send.
	askBytes = 48 << 10
	askMost  = 100
	askOnce  = 1000
	// askRounds bounds the questions to one member, who may publish faster than anybody reads; the rest is asked for later.
	askRounds = 50
)

// Query is one query of the hub.
type Query struct {
	NC     *nats.Conn
	Member team.Membership // the facts of its device are left out
	// Only are the accounts that are asked; nil are all, and who is in the team.
	Only []string
	// Linked is set for a new connection: everything is asked for again, because the hub may have been set back meanwhile.
	Linked bool
	// Rows is set if the rows of sessions are read too.
	Rows bool
	// Keep returns what is kept of a summary, nil for nothing.
	Keep func(Summary) *Summary
}

// Fetch asks members for what is newer than what is known, all at once. The error names each member whose facts could not be
// read or are not believed: what is known of them stays.
func (k *Cache) Fetch(ctx context.Context, q *Query) error {
	if q.Linked {
		clear(k.read)
	}
	accounts := q.Only
	if accounts == nil {
		if err := k.setRoster(q, dial.AskAll(ctx, q.NC, dial.RosterQuestion)[0]); err != nil {
			return err
		}
		for _, member := range k.Team.Members {
			accounts = append(accounts, member.Account)
		}
	}
	questions := make([]dial.Question, len(accounts))
	for n, account := range accounts {
		questions[n] = dial.Question{Stream: account, Next: Subject(account, "*"), Most: askMost, Bytes: askBytes}
	}
	_, trouble := k.fetch(ctx, q, k.read, questions, askRounds)
	return trouble
}

// setRoster takes the roster out of a reply. A roster that is older than the known one changes nothing: the hub was set back.
func (k *Cache) setRoster(q *Query, reply dial.Reply) error {
	signed, err := reply.Roster(q.Member.Member)
	if err != nil || signed.Number < k.Team.Number {
		return err
	}
	before := k.byAccount()
	for _, member := range signed.Members { // what a new key signed may have come before it was known
		if !slices.Equal(member.Keys, before[member.Account].Keys) {
			delete(k.read, Subject(member.Account, "*"))
		}
	}
	k.Team = signed
	return nil
}

// fetch asks questions from where each was read, in at most so many rounds, and adds the answers. found reports whether there
// were any.
func (k *Cache) fetch(ctx context.Context, q *Query, read map[string]uint64, questions []dial.Question, rounds int) (found bool, trouble error) {
	failed, asked := map[string]error{}, map[string]int{}
	for len(questions) > 0 {
		batch := questions[:min(len(questions), askOnce)]
		questions = questions[len(batch):]
		for n, asks := range batch {
			if asks.Next != "" {
				batch[n].From = read[asks.Next] + 1
			}
		}
		var all []dial.Answer
		for n, reply := range dial.AskAll(ctx, q.NC, batch...) {
			asks := batch[n]
			if asks.Stream == team.RosterStream {
				if err := k.setRoster(q, reply); err != nil {
					return false, err
				}
				continue
			}
			if reply.Err != nil {
				failed[asks.Stream] = reply.Err
			}
			if len(reply.Answers) == 0 {
				continue
			}
			all = append(all, reply.Answers...)
			read[asks.Next] = reply.Answers[len(reply.Answers)-1].Seq
			if asked[asks.Next]++; reply.Err == nil && reply.Pending > 0 && asked[asks.Next] < rounds {
				questions = append(questions, asks)
			}
		}
		found = found || len(all) > 0
		k.addAll(q, all, failed)
	}
	trouble = failed[team.News]
	for _, member := range k.Team.Members {
		if err := failed[member.Account]; err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("what %s tells: %w", member.Name, err))
		}
	}
	return found, trouble
}

// addAll adds the facts in some answers, and the errors of accounts to failed. It drops facts of accounts that are not in the
// roster, and those that another answer replaces.
func (k *Cache) addAll(q *Query, all []dial.Answer, failed map[string]error) {
	members, newest := k.byAccount(), map[string]uint64{} // sequence, by subject
	for _, a := range all {
		newest[a.Subject] = a.Seq
	}
	for _, a := range all {
		_, rest, _ := strings.Cut(a.Subject, ".")
		account, _, _ := strings.Cut(rest, ".")
		member, known := members[account]
		if !known || a.Seq < newest[a.Subject] {
			continue
		}
		fact, err := q.decode(member, a)
		if err == nil && fact != nil {
			err = k.Add(account, fact)
		}
		if errors.Is(err, ErrOlder) && isNews(a.Subject) {
			continue // the member's own stream is ahead of the news
		}
		failed[account] = cmp.Or(failed[account], err)
	}
}

// byAccount returns who is in the team.
func (k *Cache) byAccount() map[string]team.RosterMember {
	who := map[string]team.RosterMember{}
	for _, member := range k.Team.Members {
		who[member.Account] = member
	}
	return who
}

// decode verifies a fact of a member. It returns nil for one of the device that reads.
func (q *Query) decode(member team.RosterMember, a dial.Answer) (*Fact, error) {
	h, body, err := Open(a.Data, a.Subject, member, q.Member.Team)
	if err != nil || member.Name == q.Member.Name && h.Device == q.Member.Device {
		return nil, err
	}
	summary, err := Unpack(body, q.Rows)
	if err == nil && summary.Project != "" && PlaceOf(q.Member.Team, h.Device, summary) != h.Place {
		err = fmt.Errorf("%w: it is of another project", chunk.ErrDamaged)
	}
	fact := &Fact{Head: h, At: a.Time.UnixNano()}
	if err == nil && summary.Project != "" {
		fact.Summary = q.Keep(summary)
	}
	return fact, err
}

// Add adds a fact of an account. The error is ErrOlder if a newer one was seen.
func (k *Cache) Add(account string, f *Fact) error {
	places := k.members[account]
	if places == nil {
		places = map[string]*Fact{}
		k.members[account] = places
	}
	before := places[f.Place]
	switch {
	case before == nil && len(places) == maxPlaces:
		return errors.New("more projects than are read of one member")
	case before != nil && f.Counter < before.Counter:
		return ErrOlder
	}
	kept := 0
	for _, other := range places {
		if other.Summary != nil && other.Place != f.Place {
			kept++
		}
	}
	if kept >= maxKept {
		f.Summary = nil
	}
	places[f.Place] = f
	return nil
}

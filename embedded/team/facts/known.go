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
	members map[string]*member // by account
	newest  map[string]uint64  // number of the newest of the hub's news that was read, by topic
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{members: map[string]*member{}, newest: map[string]uint64{}}
}

// member holds the facts of a member.
type member struct {
	seq   uint64           // the hub's newest fact of theirs that was read
	facts map[string]*Fact // by place
}

// MemberError is an error in the facts of one member.
type MemberError struct {
	Member string
	Err    error
}

func (e *MemberError) Error() string { return fmt.Sprintf("what %s tells: %v", e.Member, e.Err) }

// Unwrap implements the interface of the package errors.
func (e *MemberError) Unwrap() error { return e.Err }

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
	// askRounds bounds the questions to one member, who may tell faster than anybody reads; the rest is asked for later.
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
func (k *Cache) Fetch(ctx context.Context, q *Query) (trouble error) {
	if q.Linked {
		for _, m := range k.members {
			m.seq = 0
		}
	}
	next := q.Only
	if next == nil {
		if err := k.fetchRoster(ctx, q); err != nil {
			return err
		}
		for _, member := range k.Team.Members {
			next = append(next, member.Account)
		}
	}
	failed, asked := map[string]error{}, map[string]int{}
	for len(next) > 0 {
		batch := next[:min(len(next), askOnce)]
		more, err := k.fetchBatch(ctx, q, batch, failed)
		if err != nil {
			return err
		}
		next = next[len(batch):]
		for _, account := range more {
			if asked[account]++; asked[account] < askRounds {
				next = append(next, account)
			}
		}
	}
	return k.troubleOf(failed)
}

// troubleOf returns the errors of accounts as those of members.
func (k *Cache) troubleOf(failed map[string]error) (trouble error) {
	for _, member := range k.Team.Members {
		if err := failed[member.Account]; err != nil {
			trouble = errors.Join(trouble, &MemberError{member.Name, err})
		}
	}
	return trouble
}

// fetchRoster asks who is in the team. A roster that is older than the known one changes nothing: the hub was set back.
func (k *Cache) fetchRoster(ctx context.Context, q *Query) error {
	signed, err := dial.Roster(ctx, q.NC, q.Member.Member)
	if err != nil {
		return err
	}
	if signed.Number < k.Team.Number {
		return nil
	}
	before := k.byAccount()
	for _, member := range signed.Members { // what a new key signed may have come before it was known
		if m := k.members[member.Account]; m != nil && !slices.Equal(member.Keys, before[member.Account].Keys) {
			m.seq = 0
		}
	}
	k.Team = signed
	return nil
}

// fetchBatch asks some accounts at once. It returns those that have more, and adds the errors of the others to failed.
func (k *Cache) fetchBatch(ctx context.Context, q *Query, accounts []string, failed map[string]error) (more []string, err error) {
	questions := make([]dial.Asked, len(accounts))
	for n, account := range accounts {
		questions[n] = dial.Asked{Stream: account, Question: dial.Question{
			Next: Subject(account, "*"), From: k.member(account).seq + 1, Most: askMost, Bytes: askBytes,
		}}
	}
	answers, err := ask(ctx, q.NC, questions)
	if err != nil {
		return nil, err
	}
	var all []dial.Answer
	for n, account := range accounts {
		if questions[n].Err != nil {
			failed[account] = questions[n].Err
		}
		if len(answers[n]) == 0 {
			continue
		}
		all = append(all, answers[n]...)
		k.member(account).seq = answers[n][len(answers[n])-1].Seq
		if questions[n].Err == nil && questions[n].Pending > 0 {
			more = append(more, account)
		}
	}
	k.takeAll(q, all, failed)
	return more, nil
}

// takeAll adds the facts in some answers, and the errors of accounts to failed. It drops facts of accounts that are not in the
// roster, and those that another answer replaces.
func (k *Cache) takeAll(q *Query, all []dial.Answer, failed map[string]error) {
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
		fact, err := q.read(member, a)
		if err == nil && fact != nil {
			err = k.Take(account, fact)
		}
		failed[account] = cmp.Or(failed[account], err)
	}
}

// ask asks some questions at once, which takes about one round trip, and returns the answers to each.
func ask(ctx context.Context, nc *nats.Conn, questions []dial.Asked) ([][]dial.Answer, error) {
	answers := make([][]dial.Answer, len(questions))
	err := dial.AskAll(ctx, nc, questions, func(n int, a dial.Answer) {
		answers[n] = append(answers[n], a)
	})
	return answers, err
}

// member returns what is known of an account.
func (k *Cache) member(account string) *member {
	m := k.members[account]
	if m == nil {
		m = &member{facts: map[string]*Fact{}}
		k.members[account] = m
	}
	return m
}

// byAccount returns who is in the team.
func (k *Cache) byAccount() map[string]team.RosterMember {
	who := map[string]team.RosterMember{}
	for _, member := range k.Team.Members {
		who[member.Account] = member
	}
	return who
}

// read verifies a fact of a member. It returns nil for one of the device that reads.
func (q *Query) read(member team.RosterMember, a dial.Answer) (*Fact, error) {
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

// kept counts the facts whose summaries are kept.
func (m *member) kept() (n int) {
	for _, f := range m.facts {
		if f.Summary != nil {
			n++
		}
	}
	return n
}

// Take adds a fact of an account. The error is ErrOlder if a newer one was seen.
func (k *Cache) Take(account string, f *Fact) error {
	m := k.member(account)
	before := m.facts[f.Place]
	switch {
	case before == nil && len(m.facts) == maxPlaces:
		return errors.New("more projects than are read of one member")
	case before != nil && f.Counter < before.Counter:
		return ErrOlder
	}
	if m.kept() == maxKept && (before == nil || before.Summary == nil) {
		f.Summary = nil
	}
	m.facts[f.Place] = f
	return nil
}

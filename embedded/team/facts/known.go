package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/journal/disk"
)

// Cache holds the facts of others that a device knows. It is for one goroutine.
type Cache struct {
	// Team is the roster as of the last query of all members.
	Team    team.Roster        `json:"team"`
	Members map[string]*Member `json:"members"` // by account
	// For describes the purpose for which facts are kept.
	For string `json:"for"`

	who  map[string]team.RosterMember // Team by account, nil when it is to be made
	news news
}

// Member holds the facts of a member.
type Member struct {
	Seq   uint64           `json:"seq"` // the hub's newest fact of theirs that was read
	Facts map[string]*Fact `json:"facts"`
	// linked reports whether the account has not answered since the connection was new.
	linked bool
	// again is the backoff after an error, 0 for none; the next request is at next.
	again time.Duration
	next  time.Time
}

const (
	// againFirst is the first backoff after an error; it doubles up to againLast. After that a member is asked only
	// when all are.
	againFirst = 4 * time.Second
	againLast  = 2 * time.Minute
)

// MemberError is an error in the facts of one member.
type MemberError struct {
	Member string
	Err    error
}

func (e *MemberError) Error() string { return fmt.Sprintf("what %s tells: %v", e.Member, e.Err) }

// Unwrap implements the interface of the package errors.
func (e *MemberError) Unwrap() error { return e.Err }

// asked notes how it went to ask a member.
func (m *Member) asked(trouble error, now time.Time) {
	if m.again = min(max(againFirst, 2*m.again), againLast); trouble == nil {
		m.again = 0
	}
	m.next = now.Add(m.again)
}

// Late lists the accounts with which there was trouble, and that are to be asked again.
func (k *Cache) Late(now time.Time) (accounts []string) {
	for account, m := range k.Members {
		if m.again > 0 && m.again < againLast && !now.Before(m.next) {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// Fact is the newest fact of a place that was seen.
type Fact struct {
	Head
	Seq uint64 `json:"seq"` // of the hub's message
	At  int64  `json:"at"`  // when it came there, by the hub's clock, ns since 1970
	// Summary is nil if it was withdrawn, or not kept.
	Summary *Summary `json:"told,omitempty"`
}

const (
	// knownBytes bounds the file: some thousand colleagues in one repository.
	knownBytes = 64 << 20
	// maxPlaces bounds the projects of a member, and maxKept those whose summaries are kept.
	maxPlaces, maxKept = 5000, 300
	// askBytes and askMost bound what one question is answered, and askOnce the questions that wait for answers: the hub
	// ends a connection to which it has 64 MB to send.
	askBytes = 48 << 10
	askMost  = 100
	askOnce  = 1000
)

// Load returns the cache of a journal directory.
func Load(journal string) (*Cache, error) {
	k := &Cache{news: news{map[string]*Fact{}, map[string]uint64{}}}
	b, err := disk.ReadFile(filepath.Join(team.Dir(journal), team.KnownName), knownBytes)
	if err == nil {
		err = json.Unmarshal(b, k)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if k.Members == nil {
		k.Members = map[string]*Member{}
	}
	return k, err
}

// Save keeps it. It need not be durable.
func (k *Cache) Save(journal string) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return team.Keep(journal, func() error {
		return disk.Replace(filepath.Join(team.Dir(journal), team.KnownName), b, 0o600)
	})
}

// Reset clears all summaries, so that the next query asks for all of them, for another purpose. Counters stay: a rollback is
// still detected.
func (k *Cache) Reset(purpose string) {
	k.For, k.news = purpose, news{map[string]*Fact{}, map[string]uint64{}}
	for _, m := range k.Members {
		m.Seq = 0
		for _, f := range m.Facts {
			f.Summary = nil
		}
	}
}

// Query is one query of the hub.
type Query struct {
	NC     *nats.Conn
	Member team.Membership // the facts of its device are left out
	// Only are the accounts that are asked; nil are all, and who is in the team.
	Only []string
	// Linked is set for a new connection: the hub may have been set back meanwhile.
	Linked bool
	// Patient is set if members whose query failed are asked again after a backoff.
	Patient bool
	// Rows is set if the rows of sessions are read too.
	Rows bool
	// Keep returns what is kept of a summary, nil for nothing.
	Keep func(Summary) *Summary
	// Roster is the number of the list of members that the hub has; 0 if it was not asked for.
	Roster uint64

	asked map[string]*asking        // by account
	rests func(account string) bool // there was trouble with it, and it is not asked yet
}

// asking holds the state of the query of one member.
type asking struct {
	from    uint64
	more    bool // there is more, or it has to be asked from the beginning
	changed bool
	err     error
}

// Fetch asks for what is newer than what is known: all at once, so that it takes about one round trip. It reports
// whether anything changed. The error names each member whose facts could not be read or are not believed: what is known
// of them stays.
func (k *Cache) Fetch(ctx context.Context, l *Query) (changed bool, trouble error) {
	l.asked = map[string]*asking{}
	for _, m := range k.Members {
		m.linked = m.linked || l.Linked
	}
	now := time.Now()
	l.rests = func(account string) bool { return l.Patient && !l.Linked && now.Before(k.member(account).next) }
	next := slices.DeleteFunc(slices.Clone(l.Only), l.rests)
	if l.Only == nil {
		next = k.unasked(l)
	}
	var err error
	for roster := l.Only == nil; err == nil && (roster || len(next) > 0); roster = false {
		batch := next[:min(len(next), askOnce)]
		err = k.fetchBatch(ctx, l, batch, roster)
		if next = next[len(batch):]; len(next) == 0 {
			next = k.unasked(l)
		}
	}
	if err != nil {
		return changed, err
	}
	for _, member := range k.Team.Members {
		if a := l.asked[member.Account]; a != nil {
			changed = changed || a.changed
			if k.member(member.Account).asked(a.err, now); a.err != nil {
				trouble = errors.Join(trouble, &MemberError{member.Name, a.err})
			}
		}
	}
	return changed, trouble
}

// unasked lists the accounts that have to be asked, or asked on.
func (k *Cache) unasked(l *Query) (accounts []string) {
	for _, member := range k.Team.Members {
		if a := l.asked[member.Account]; a == nil && l.Only == nil && !l.rests(member.Account) || a != nil && a.more {
			accounts = append(accounts, member.Account)
		}
	}
	return accounts
}

// fetchBatch asks some accounts at once, and with roster who is in the team.
func (k *Cache) fetchBatch(ctx context.Context, l *Query, accounts []string, roster bool) error {
	var questions []dial.Asked
	for _, account := range accounts {
		a := l.asked[account]
		if a == nil {
			m := k.member(account)
			a = &asking{from: m.Seq + 1}
			if m.linked && a.from > 1 {
				a.from-- // a hub that has neither that one nor a newer one was set back
			}
			l.asked[account] = a
		}
		questions = append(questions, dial.Asked{Stream: account, Question: dial.Question{Next: Subject(account, "*"), From: a.from, Most: askMost, Bytes: askBytes}})
	}
	questions, answers, err := k.ask(ctx, l, questions, roster)
	if err != nil {
		return err
	}
	var all []dial.Answer
	for n, account := range accounts {
		all = append(all, k.answered(l, account, answers[n], questions[n])...)
	}
	k.takeAll(l, all)
	return nil
}

// takeAll keeps the facts that are verified.
func (k *Cache) takeAll(l *Query, all []dial.Answer) {
	for _, r := range k.readAll(l, all) {
		a := l.asked[r.who.Account]
		if r.err == nil {
			var changed bool
			changed, r.err = k.Members[r.who.Account].take(r.fact)
			a.changed = a.changed || changed
		}
		a.err = cmp.Or(a.err, r.err)
	}
}

// ask asks some questions at once, and with roster who is in the team.
func (k *Cache) ask(ctx context.Context, l *Query, questions []dial.Asked, roster bool) ([]dial.Asked, [][]dial.Answer, error) {
	asked := len(questions)
	if roster {
		questions = append(questions, dial.Asked{Stream: team.RosterStream, Question: dial.Question{Last: "roster"}})
	}
	answers := make([][]dial.Answer, len(questions))
	err := dial.AskAll(ctx, l.NC, questions, func(n int, a dial.Answer) {
		answers[n] = append(answers[n], a)
	})
	if err != nil || !roster {
		return questions, answers, err
	}
	var newest []byte
	for _, a := range answers[asked] {
		newest = a.Data
	}
	signed, err := l.Member.DecodeRoster(newest)
	if err != nil {
		return nil, nil, errors.Join(questions[asked].Err, err)
	}
	if l.Roster = signed.Number; signed.Number >= k.Team.Number { // else the hub was set back, and what was known still holds
		for _, member := range signed.Members { // what a new key signed may have come before it was known
			if m := k.Members[member.Account]; m != nil && !slices.Equal(member.Keys, k.byAccount()[member.Account].Keys) {
				m.Seq, m.next = 0, time.Time{}
			}
		}
		k.Team, k.who = signed, nil
	}
	return questions, answers, nil
}

// member returns what is known of an account.
func (k *Cache) member(account string) *Member {
	m := k.Members[account]
	if m == nil {
		m = &Member{Facts: map[string]*Fact{}}
		k.Members[account] = m
	}
	return m
}

// answered records how far an account has answered, and returns the answers that were not replaced.
func (k *Cache) answered(l *Query, account string, all []dial.Answer, q dial.Asked) []dial.Answer {
	m, a := k.member(account), l.asked[account]
	a.err = cmp.Or(a.err, q.Err)
	a.more = q.Err == nil && q.Pending > 0 && len(all) > 0
	back := m.linked && len(all) == 0 && q.Err == nil && a.from == m.Seq
	m.linked = m.linked && q.Err != nil
	if a.from > 1 && (back || m.Seq == 0) {
		m.Seq, a.from, a.more = 0, 1, true
		return nil
	}
	newest := map[string]uint64{}
	for _, answer := range all {
		newest[answer.Subject] = answer.Seq
		m.Seq, a.from = max(m.Seq, answer.Seq), max(a.from, answer.Seq+1)
	}
	return slices.DeleteFunc(all, func(answer dial.Answer) bool { return answer.Seq != newest[answer.Subject] })
}

// byAccount returns who is in the team.
func (k *Cache) byAccount() map[string]team.RosterMember {
	if k.who == nil {
		k.who = map[string]team.RosterMember{}
		for _, member := range k.Team.Members {
			k.who[member.Account] = member
		}
	}
	return k.who
}

// read is a fact that was verified, or why it is not believed. The device's own are left out.
type read struct {
	answer dial.Answer
	who    team.RosterMember
	fact   *Fact
	err    error
}

// readAll verifies facts in parallel, and drops those of accounts that are not in the roster.
func (k *Cache) readAll(l *Query, all []dial.Answer) []read {
	members := k.byAccount()
	reads := make([]read, len(all))
	for n, a := range all {
		_, account, _ := strings.Cut(a.Subject, ".")
		account, _, _ = strings.Cut(account, ".")
		if member, known := members[account]; known {
			k.member(account) // no map grows while it is read
			reads[n] = read{answer: a, who: member}
		}
	}
	var work sync.WaitGroup
	for part := range slices.Chunk(reads, len(reads)/runtime.GOMAXPROCS(0)+1) {
		work.Go(func() { // a few that live long: each grows its stack once
			for i, r := range part {
				if r.who.Name != "" {
					part[i].fact, part[i].err = l.read(r.who, r.answer)
				}
			}
		})
	}
	work.Wait()
	return slices.DeleteFunc(reads, func(r read) bool { return r.fact == nil && r.err == nil })
}

// read verifies a fact of a member. It returns nil for one of the device that reads.
func (l *Query) read(member team.RosterMember, a dial.Answer) (*Fact, error) {
	h, body, err := Open(a.Data, a.Subject, member, l.Member.Team)
	if err != nil || member.Name == l.Member.Name && h.Device == l.Member.Device {
		return nil, err
	}
	h.Place = h.Place[strings.LastIndexByte(h.Place, '.')+1:] // of news it follows a topic
	summary, err := Unpack(body, l.Rows)
	if err == nil && summary.Project != "" && PlaceOf(h.Device, summary.Project) != h.Place {
		err = fmt.Errorf("%w: it is of another project", chunk.ErrDamaged)
	}
	fact := &Fact{Head: h, Seq: a.Seq, At: a.Time.UnixNano()}
	if err == nil && summary.Project != "" {
		fact.Summary = l.Keep(summary)
	}
	return fact, err
}

// kept counts the facts whose summaries are kept.
func (m *Member) kept() (n int) {
	for _, f := range m.Facts {
		if f.Summary != nil {
			n++
		}
	}
	return n
}

// take keeps a fact that the hub has in the member's stream.
func (m *Member) take(f *Fact) (changed bool, err error) {
	before := m.Facts[f.Place]
	switch {
	case before == nil && len(m.Facts) == maxPlaces:
		return false, errors.New("more projects than are read of one member")
	case before != nil && f.Counter < before.Counter:
		return false, ErrOlder
	}
	if m.kept() == maxKept && (before == nil || before.Summary == nil) {
		f.Summary = nil
	}
	m.Facts[f.Place] = f
	return before == nil || before.Counter != f.Counter || (before.Summary == nil) != (f.Summary == nil), nil
}

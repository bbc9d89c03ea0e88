// Package facts defines and reads the facts of a team: for each shared project of a device one small message in the member's own stream,
// signed, of which the one with the largest counter counts. The writer folds its own log; the reader only verifies.
package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/journal/git"
	"journal/projections"
	"journal/replay/recovery"
)

// ErrOlder is returned for a fact that is older than one that was read before.
var ErrOlder = errors.New("the hub has an older fact than before")

// MaxBytes bounds the body of a fact, compressed, in bytes.
const MaxBytes = 64 << 10

// maxPlain bounds the body before it is compressed, in bytes.
const maxPlain = 512 << 10

// Head identifies the device and the project of a fact.
type Head struct {
	Team   string `json:"team"`
	Member string `json:"member"`
	Device string `json:"device"`
	// Place is the last token of the fact's subject at the hub, as PlaceOf returns it.
	Place string `json:"place"`
	// Counter is larger than that of any fact that the device published before.
	Counter uint64 `json:"counter"`
	Copy    int    `json:"copy"` // number of the device's newest copy at that time
	Last    uint64 `json:"last"` // event number up to which the log was folded
	Made    int64  `json:"made"` // time by the device's clock, ns since 1970
}

// Summary describes one project of a device. An empty Project is a tombstone.
type Summary struct {
	catalogue.Listing                        // of the newest sessions
	Identity          git.Identity           `json:"is"`
	Context           bool                   `json:"context,omitempty"` // Left, Taken and List are shared
	Left              []recovery.Offer       `json:"left,omitempty"`    // unfinished work
	Taken             []projections.Takeover `json:"taken,omitempty"`   // work of others that this device continued
	List              []team.Decision        `json:"list,omitempty"`    // decisions that hold, newest first
}

// PlaceOf names the place of the fact of a project: DEVICE-PROJECT, with a digest of both for the project.
func PlaceOf(device, project string) string {
	sum := sha256.Sum256([]byte(device + "\x00" + project))
	return device + "-" + hex.EncodeToString(sum[:8])
}

// Subject returns the subject of the fact of a place at the hub, of all facts of an account for "*".
func Subject(account, place string) string { return "E." + account + "." + team.Facts + "." + place }

// PlaceIn returns the place in a subject of facts, and its device. device is empty for a subject of something else.
func PlaceIn(subject string) (place, device string) {
	token := strings.Split(subject, ".") // as Subject joins them
	if len(token) != 4 || token[2] != team.Facts {
		return "", ""
	}
	place = token[3]
	return place, place[:max(0, strings.LastIndexByte(place, '-'))] // see PlaceOf
}

// Put returns the subject on which a member publishes the fact of a place.
func Put(place string) string { return team.Put + team.Facts + "." + place }

// Pack returns the body of a fact, compressed; nil for a tombstone. It fails if the body is too long.
func (t Summary) Pack() ([]byte, error) {
	if t.Project == "" {
		return nil, nil
	}
	b, _ := json.Marshal(t) // strings and numbers cannot fail
	body := chunk.Pack(b)
	if len(body) > MaxBytes || len(b) > maxPlain {
		return nil, fmt.Errorf("the fact of %s is too long: %d bytes", t.Project, len(body))
	}
	return body, nil
}

// Unpack reads a body. rows is set to decode Sessions too, which take most of the time. The error is chunk.ErrDamaged.
func Unpack(body []byte, rows bool) (t Summary, err error) {
	if len(body) == 0 {
		return Summary{}, nil
	}
	var to any = &struct {
		*Summary
		Sessions json.RawMessage `json:"sessions"`
	}{Summary: &t}
	if rows {
		to = &t
	}
	b, err := chunk.Unpack(body)
	if err == nil && (len(body) > MaxBytes || len(b) > maxPlain || json.Unmarshal(b, to) != nil) {
		err = fmt.Errorf("%w: a fact cannot be read", chunk.ErrDamaged)
	}
	return t, err
}

// Seal signs a fact.
func (h Head) Seal(body []byte, key nkeys.KeyPair) ([]byte, error) { return chunk.Seal(h, body, key) }

// Open reads and verifies the fact of a member that the hub has under a subject. The error is chunk.ErrDamaged for one that the
// member did not sign, or signed for another place. After an error h is what the message claims.
func Open(b []byte, subject string, member team.RosterMember, teamName string) (h Head, body []byte, err error) {
	sealed, err := chunk.Open(b, &h)
	if err == nil {
		err = sealed.Verify(member.Keys)
	}
	theirs := h.Team == teamName && h.Member == member.Name && team.CheckName(h.Device) == nil
	if err == nil && (!theirs || subject != Subject(member.Account, h.Place) || h.Counter == 0) {
		err = fmt.Errorf("%w: it is of another place", chunk.ErrDamaged)
	}
	return h, sealed.Body, err
}

// Cache holds the newest facts of other devices. It is for one goroutine.
type Cache struct {
	Team    team.Roster                 // the newest roster that was read
	members map[string]map[string]*Fact // by account and place
	read    map[string]uint64           // by account: sequence of the hub's newest fact that was read
}

// NewCache returns a cache without facts. known is the newest roster that was read before, empty for none.
func NewCache(known team.Roster) *Cache {
	return &Cache{Team: known, members: map[string]map[string]*Fact{}, read: map[string]uint64{}}
}

// Fact is the newest fact of a place that was read.
type Fact struct {
	Head
	At int64 // time of its arrival, by the hub's clock, ns since 1970
	// Summary is nil for a tombstone, and if Query.Keep returned nil.
	Summary *Summary
	account string // of its member
}

const (
	// maxPlaces bounds the projects of a member, and maxKept those whose summaries are kept.
	maxPlaces, maxKept = 5000, 300
	// replyBytes and replyFacts bound the reply to one question, and openQuestions the questions that wait for replies: the
	// hub ends a connection to which it has 64 MB to send.
	replyBytes    = 48 << 10
	replyFacts    = 100
	openQuestions = 1000
	// maxRounds and maxBytes bound what one query reads of a member, who may publish faster than anybody reads. The next
	// query reads the rest.
	maxRounds = 50
	maxBytes  = 1 << 20
)

// Query is one query of the hub.
type Query struct {
	NC     *nats.Conn
	Member team.Membership // the facts of its device are left out
	// Only are the accounts that are asked. Nil: all accounts of the roster, which is read too.
	Only []string
	// Linked is set for a new connection: everything is asked for again, because the hub may have been rolled back meanwhile.
	Linked bool
	// Rows is set to read the rows of sessions too.
	Rows bool
	// Keep returns the part of a summary that is kept, nil for nothing.
	Keep func(Summary) *Summary
}

// Fetch reads the facts that members published since they were read last, of all members at once: in one round trip, if the roster names
// nobody new and each reply is complete. The error names each member whose facts could not be read or do not verify. What the cache has of
// them stays.
func (k *Cache) Fetch(ctx context.Context, q *Query) error {
	if q.Linked {
		clear(k.read)
	}
	accounts, roster := q.Only, k.Team
	var rosterRead errgroup.Group
	if accounts == nil {
		for _, member := range k.Team.Members {
			accounts = append(accounts, member.Account)
		}
		rosterRead.Go(func() (err error) {
			roster, err = dial.Roster(ctx, q.NC, q.Member.Member)
			return err
		})
	}
	failed, size := map[string]error{}, map[string]int{} // by account
	for round := 0; round == 0 || round < maxRounds && len(accounts) > 0; round++ {
		replies := k.ask(ctx, q, accounts)
		if err := rosterRead.Wait(); err != nil {
			return err
		}
		var unfinished []string
		if round == 0 {
			unfinished = k.setRoster(roster)
		}
		for n, reply := range replies {
			account := accounts[n]
			if slices.Contains(unfinished, account) { // its new keys verify what is asked for again
				continue
			}
			err := errors.Join(reply.Err, k.addAll(q, account, reply.Messages))
			failed[account] = cmp.Or(failed[account], err)
			for _, a := range reply.Messages {
				size[account] += len(a.Data)
				k.read[account] = a.Seq
			}
			if reply.Err == nil && reply.Pending > 0 && len(reply.Messages) > 0 && size[account] < maxBytes {
				unfinished = append(unfinished, account)
			}
		}
		accounts = unfinished
	}
	var trouble error
	for _, member := range k.Team.Members {
		if err := failed[member.Account]; err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("what %s tells: %w", member.Name, err))
		}
	}
	return trouble
}

// setRoster keeps the roster of the hub, and returns the accounts of members who are new or have other keys: facts that a new key signed
// may have come before the key was known. A roster that is older than the known one is not used: the hub was rolled back.
func (k *Cache) setRoster(roster team.Roster) (changed []string) {
	if roster.Number < k.Team.Number {
		return nil
	}
	for _, member := range roster.Members {
		if before, _ := k.member(member.Account); !slices.Equal(member.Keys, before.Keys) {
			delete(k.read, member.Account)
			changed = append(changed, member.Account)
		}
	}
	k.Team = roster
	return changed
}

// ask asks each of some accounts one question, and returns their replies.
func (k *Cache) ask(ctx context.Context, q *Query, accounts []string) []dial.Reply {
	questions := make([]dial.Query, len(accounts))
	for n, account := range accounts {
		questions[n] = dial.Query{Stream: account, Next: Subject(account, "*"), From: k.read[account] + 1, Most: replyFacts, Bytes: replyBytes}
	}
	return dial.AskAll(ctx, q.NC, openQuestions, questions...)
}

// addAll adds the facts of an account, but not those that another answer replaces, and none of an account that is not in the
// roster. The error is the first one of a fact that was left out.
func (k *Cache) addAll(q *Query, account string, answers []dial.Message) (failed error) {
	member, listed := k.member(account)
	if !listed {
		return nil
	}
	newest := map[string]uint64{} // sequence, by subject
	for _, a := range answers {
		newest[a.Subject] = a.Seq
	}
	for _, a := range answers {
		if a.Seq < newest[a.Subject] {
			continue
		}
		fact, err := q.decode(member, a)
		if err == nil && fact != nil {
			err = k.Add(account, fact)
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// member returns the member of an account, and whether the roster lists one.
func (k *Cache) member(account string) (member team.RosterMember, listed bool) {
	i := slices.IndexFunc(k.Team.Members, func(m team.RosterMember) bool { return m.Account == account })
	if i < 0 {
		return member, false
	}
	return k.Team.Members[i], true
}

// decode verifies a fact of a member. It returns nil for one of the device that reads.
func (q *Query) decode(member team.RosterMember, a dial.Message) (*Fact, error) {
	h, body, err := Open(a.Data, a.Subject, member, q.Member.Team)
	if err != nil || member.Name == q.Member.Name && h.Device == q.Member.Device {
		return nil, err
	}
	summary, err := Unpack(body, q.Rows)
	if err == nil && summary.Project != "" && h.Place != PlaceOf(h.Device, summary.Project) {
		err = fmt.Errorf("%w: it is of another project", chunk.ErrDamaged)
	}
	fact := &Fact{Head: h, At: a.Time.UnixNano()}
	if err == nil && summary.Project != "" {
		fact.Summary = q.Keep(summary)
	}
	return fact, err
}

// Add adds a fact of an account. The error is ErrOlder if a newer one was read before. Another error means that the account has too many.
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
	f.account = account
	places[f.Place] = f
	return nil
}

// All returns the facts whose summaries are kept, in the order of members, devices and places.
func (k *Cache) All() (all []*Fact) {
	for _, places := range k.members {
		for _, f := range places {
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

// Accounts returns the accounts of which summaries are kept; never nil.
func (k *Cache) Accounts() []string {
	accounts := []string{}
	for _, f := range k.All() {
		accounts = append(accounts, f.account)
	}
	return slices.Compact(accounts)
}

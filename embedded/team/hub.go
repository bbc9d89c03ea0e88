package team

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"

	"journal/embedded/team/chunk"
)

// The hub's account owns all streams, and each member has an account without any. A member's account
// imports these subjects of the hub's account, and nothing else: answers to a member reach their
// own account alone, whatever subject they name for the answer (ADR-0060).
const (
	// Get with the name of a stream reads its messages ($JS.API.DIRECT.GET).
	Get = "get."
	// Info with the name of a stream lists the subjects of its messages ($JS.API.STREAM.INFO).
	Info = "info."
	// Put with a device and the number of a copy adds a chunk to the member's own stream.
	Put = "put."
	// Remove removes one message of the member's own stream, with its bytes ($JS.API.STREAM.MSG.DELETE).
	Remove = "remove"
	// Newest asks the leader for the newest message of a subject in the member's own stream ($JS.API.STREAM.MSG.GET). Get may be answered
	// by a node that has just started and lacks messages.
	Newest = "newest"
	// RosterStream holds one message, the roster.
	RosterStream = "ROSTER"
	// Facts stands in the subjects of facts in place of a device (package facts).
	Facts = "facts"
)

// Subjects returns the subjects of a member's stream, which has the name of their account.
func Subjects(account string) string { return "E." + account + ".>" }

// Subject returns the subject of the chunks of a copy.
func Subject(account, device string, number int) string {
	return fmt.Sprintf("E.%s.%s.%d", account, device, number)
}

// SubjectOf returns the device and the number of the copy whose chunks have a subject. ok is false for any other subject.
func SubjectOf(subject string) (device string, number int, ok bool) {
	part := strings.Split(subject, ".")
	if len(part) != 4 || part[0] != "E" || CheckName(part[2]) != nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(part[3])
	return part[2], number, err == nil && number > 0 && strconv.Itoa(number) == part[3]
}

// ErrRoster is returned for a roster that is missing or invalid.
var ErrRoster = errors.New("the hub does not say who is in the team; whoever runs it calls journal team reload")

// Roster lists the members of a team, also revoked ones.
type Roster struct {
	Team string `json:"team"`
	// Number is larger in each later roster.
	Number  uint64         `json:"number"`
	Members []RosterMember `json:"members"`
}

// RosterMember is a member in a roster.
type RosterMember struct {
	Name    string   `json:"name"`
	Account string   `json:"account"`
	Keys    []string `json:"keys"` // public keys that verify what the member shares
	// Revoked is set if agents are no longer told of the member's facts.
	Revoked bool `json:"revoked,omitempty"`
}

// Encode signs a roster with the seed of the issuer.
func (r Roster) Encode(issuer string) ([]byte, error) {
	pair, err := nkeys.FromSeed([]byte(issuer))
	if err != nil {
		return nil, err
	}
	return chunk.Seal(r, nil, pair)
}

// DecodeRoster verifies and reads the roster of a member's team. The error is ErrRoster.
func (m Member) DecodeRoster(b []byte) (r Roster, err error) {
	sealed, err := chunk.Open(b, &r)
	if err == nil {
		err = sealed.Verify([]string{m.Issuer})
	}
	if err == nil && r.Team != m.Team {
		err = fmt.Errorf("it is of team %q", r.Team)
	}
	for _, member := range r.Members { // names become parts of commands that agents read
		err = errors.Join(err, CheckName(member.Name))
	}
	if err != nil {
		return Roster{}, fmt.Errorf("%w: %w", ErrRoster, err)
	}
	return r, nil
}

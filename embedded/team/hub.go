package team

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"

	"journal/embedded/team/chunk"
)

// The hub's account owns all streams, and each member has an account of their own without any. A member's account
// imports these subjects of the hub's, and nothing else: what a member asks for is answered in their
// own account alone, whatever subject they name for the answer (ADR-0060).
const (
	// AskOf and a stream's name: read messages of the stream ($JS.API.DIRECT.GET).
	AskOf = "get."
	// InfoOf and a stream's name: list the subjects that have messages in the stream ($JS.API.STREAM.INFO).
	InfoOf = "info."
	// Put, with a device and the number of a copy behind it, adds a chunk to the member's own stream.
	Put = "put."
	// Remove removes one message of the member's own stream, with its bytes ($JS.API.STREAM.MSG.DELETE).
	Remove = "remove"
	// Newest asks which message of the member's own stream is the newest of a subject, as its leader knows it
	// ($JS.API.STREAM.MSG.GET): what AskOf asks may be answered by a node that has just begun and does not know all.
	Newest = "newest"
	// RosterStream holds one message, the roster.
	RosterStream = "ROSTER"
	// Facts is the token that the subjects of facts have in the place of a device (package facts).
	Facts = "facts"
)

// Subjects returns what a member's stream holds, by the name of their account, which is the stream's too.
func Subjects(account string) string { return "E." + account + ".>" }

// Subject returns the subject of the chunks of a copy.
func Subject(account, device string, number int) string {
	return fmt.Sprintf("E.%s.%s.%d", account, device, number)
}

// maxCopies bounds the copies of a member that anybody looks through. A device has one or two.
const maxCopies = 1000

// ErrManyCopies is returned for a member with more copies than anybody looks through.
var ErrManyCopies = errors.New("more copies than are looked through")

// Copies keeps the subjects of copies. The error is ErrManyCopies.
func Copies(subjects []string) ([]string, error) {
	copies := slices.DeleteFunc(slices.Clone(subjects), func(subject string) bool {
		_, _, _, ok := SubjectOf(subject)
		return !ok
	})
	if len(copies) > maxCopies {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrManyCopies, len(copies), maxCopies)
	}
	return copies, nil
}

// SubjectOf splits the subject of a copy's chunks into its parts.
func SubjectOf(subject string) (account, device string, number int, ok bool) {
	part := strings.Split(subject, ".")
	if len(part) != 4 || part[0] != "E" || CheckName(part[2]) != nil {
		return "", "", 0, false
	}
	number, err := strconv.Atoi(part[3])
	return part[1], part[2], number, err == nil && number > 0 && strconv.Itoa(number) == part[3]
}

// ErrRoster is returned for a roster that is missing, or whose signature does not verify.
var ErrRoster = errors.New("the hub does not say who is in the team; whoever runs it calls journal team reload")

// Roster lists who is or was in the team.
type Roster struct {
	Team string `json:"team"`
	// Number is larger in each roster that is signed later.
	Number  uint64         `json:"number"`
	Members []RosterMember `json:"members"`
}

// RosterMember is a member in it.
type RosterMember struct {
	Name    string   `json:"name"`
	Account string   `json:"account"`
	Keys    []string `json:"keys"` // public, that what is shared is signed with
	// Revoked is set if agents hear nothing of the member any more.
	Revoked bool `json:"revoked,omitempty"`
}

// Encode signs it with the seed of the issuer.
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

package team

import (
	"errors"
	"fmt"

	"github.com/nats-io/nkeys"

	"journal/embedded/team/chunk"
)

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

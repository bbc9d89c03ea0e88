// Package facts holds what the devices of a team share about their projects: for each shared project one small
// message in the member's own stream, signed, of which the newest counts. The writer folds its own log, the reader only
// verifies and keeps.
package facts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"

	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/journal/git"
	"journal/projections"
	"journal/replay/recovery"
)

// ErrOlder is returned for a fact of the hub that is older than one that this device has seen.
var ErrOlder = errors.New("the hub gives what is older than what it gave before")

// MaxBytes bounds the body of a fact, compressed.
const MaxBytes = 64 << 10

// maxPlain bounds it before it is compressed.
const maxPlain = 512 << 10

// Head names the owner of a fact, and where it belongs.
type Head struct {
	Team   string `json:"team"`
	Member string `json:"member"`
	Device string `json:"device"`
	// Place is the last token of the fact's subject at the hub (PlaceOf).
	Place string `json:"place"`
	// Counter is larger than that of any fact that the device published before.
	Counter uint64 `json:"counter"`
	Copy    int    `json:"copy"` // number of the device's newest copy then
	Last    uint64 `json:"last"` // the fact was made of the device's log from #1 to here
	Made    int64  `json:"made"` // by the device's clock, ns since 1970
}

// Summary describes one project of a device. An empty Project is a tombstone.
type Summary struct {
	Project    string                 `json:"project"` // its key in that log
	Is         git.Identity           `json:"is"`
	Root       string                 `json:"root,omitempty"`
	Repository string                 `json:"repository,omitempty"` // whose worktree the root is
	Name       string                 `json:"name,omitempty"`       // in lists
	Context    bool                   `json:"context,omitempty"`    // Left, Taken and List are shared
	Left       []recovery.Offer       `json:"left,omitempty"`
	Taken      []projections.Takeover `json:"taken,omitempty"`
	List       []team.Decision        `json:"list,omitempty"` // decisions that hold, newest first
	// Sessions are the newest, the last active first; More counts those that are not listed.
	Sessions []catalogue.Listed `json:"sessions,omitempty"`
	More     int                `json:"more,omitempty"`
}

// PlaceOf names where a device keeps the fact of a project: TOPIC-DEVICE-PROJECT, of which the first and the last are digests. The
// topic is "none" for a project whose context is not shared, and for one that has no topic.
func PlaceOf(teamName, device string, t Summary) string {
	topic := ""
	if t.Context {
		topic = Topic(teamName, t.Is)
	}
	return cmp.Or(topic, "none") + "-" + device + "-" + digest(device+"\x00"+t.Project)
}

// digest returns 16 hexadecimal digits for a text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// Subject returns the subject of the fact of a place at the hub, with "*" of all facts of an account.
func Subject(account, place string) string { return "E." + account + "." + team.Facts + "." + place }

// News returns the subject of the same fact in the news.
func News(account, place string) string {
	return "N." + account + "." + strings.ReplaceAll(place, "-", ".")
}

// isNews reports whether a subject is one of the news.
func isNews(subject string) bool { return strings.HasPrefix(subject, "N.") }

// PlaceIn returns the place of a subject that Subject or News made, if it is one of a device.
func PlaceIn(subject, device string) (place string, ok bool) {
	parts := strings.SplitN(subject, ".", 3) // E or N, the account, and the rest
	if len(parts) < 3 {
		return "", false
	}
	place = strings.ReplaceAll(strings.TrimPrefix(parts[2], team.Facts+"."), ".", "-")
	token := strings.Split(place, "-") // PlaceOf
	return place, len(token) == 3 && token[1] == device && len(token[2]) == 16
}

// Topic names a repository in the news, so that colleagues can ask for it alone. It reveals nothing to anybody who does not know
// the repository's address; what has none has no topic.
func Topic(teamName string, identity git.Identity) string {
	name := identity.Remote
	if identity.Name != "" {
		name = "\x00" + identity.Name
	}
	if name == "" {
		return ""
	}
	return digest(teamName + "\x00" + name)
}

// Put returns the subject on which a member uploads the fact of a place.
func Put(place string) string { return team.Put + team.Facts + "." + place }

// Pack returns the body of a fact, compressed; nil for a tombstone. It fails if the body is too long.
func (t Summary) Pack() ([]byte, error) {
	if t.Project == "" {
		return nil, nil
	}
	b, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	body, err := chunk.Pack(b)
	if err == nil && (len(body) > MaxBytes || len(b) > maxPlain) {
		err = fmt.Errorf("what is told of %s is too long: %d bytes", t.Project, len(body))
	}
	return body, err
}

// Unpack reads a body, without the rows of sessions unless they are wanted: they are the most of it, and take as long to
// decode. The error is chunk.ErrDamaged.
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
		err = fmt.Errorf("%w: what is told cannot be read", chunk.ErrDamaged)
	}
	return t, err
}

// Seal signs a fact.
func (h Head) Seal(body []byte, key nkeys.KeyPair) ([]byte, error) { return chunk.Seal(h, body, key) }

// Open reads and verifies the fact of a member that the hub has under a subject, in the member's stream or in the news. The error
// is chunk.ErrDamaged for one that the member did not sign, or signed for another place.
func Open(b []byte, subject string, member team.RosterMember, teamName string) (h Head, body []byte, err error) {
	sealed, err := chunk.Open(b, &h)
	if err == nil {
		err = sealed.Verify(member.Keys)
	}
	theirs := h.Team == teamName && h.Member == member.Name && team.CheckName(h.Device) == nil
	placed := subject == Subject(member.Account, h.Place) || subject == News(member.Account, h.Place)
	if err == nil && (!theirs || !placed || h.Counter == 0) {
		err = fmt.Errorf("%w: it is of another place", chunk.ErrDamaged)
	}
	return h, sealed.Body, err
}

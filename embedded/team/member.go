package team

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nkeys"

	"journal/embedded/team/chunk"
	"journal/journal/disk"
)

var (
	// ErrNoMember is returned when the journal belongs to no team.
	ErrNoMember = errors.New("this journal belongs to no team")
	// ErrMember is returned when the journal belongs to a team already.
	ErrMember = errors.New("this journal belongs to a team already")
	// ErrRefused is returned when the hub refuses a member's key: its operator may have revoked it, or
	// not reloaded the hub yet.
	ErrRefused = errors.New("refuses the key")
	// ErrNoAnswer is returned when a hub that was reached does not answer in time.
	ErrNoAnswer = errors.New("the hub does not answer")
	// ErrInvitation is returned for a file that is no invitation, or is one of another version.
	ErrInvitation = errors.New("not an invitation to a team")
)

// Version is the version of invitations that this program reads and writes.
const Version = 4

// Member holds what a laptop needs to take part in a team. The operator of the hub writes it as the invitation: a file that holds a
// key, and is as secret as the key.
type Member struct {
	Version int    `json:"journal_team"`
	Team    string `json:"team"`
	Name    string `json:"name"`
	// Hub are the URLs of the hub's nodes.
	Hub []string `json:"hub"`
	// CA holds, in PEM, the certificates of the authorities that the hub's certificate must come from. Empty: those that the
	// system trusts.
	CA string `json:"ca,omitempty"`
	// Account is the name of the member's account at the hub's servers.
	Account string `json:"account"`
	// Issuer is the public key that signs the roster.
	Issuer string `json:"issuer"`
	// Replicas is the number of nodes that keep what is shared, 1 or 3; 0 is 1.
	Replicas int `json:"replicas,omitempty"`
	// Key opens the hub for the member, and signs what they share.
	Key Key `json:"key"`
	// Journal is the journal directory of the member; empty for an invitation.
	Journal string `json:"-"`
}

// Key authenticates a member or the operator at the hub.
type Key struct {
	JWT  string `json:"jwt"`  // of a user, signed by their account
	Seed string `json:"seed"` // of that user's key pair
}

// Pair returns the key pair that a member signs with.
func (k Key) Pair() (nkeys.KeyPair, error) { return nkeys.FromSeed([]byte(k.Seed)) }

// name matches the names of teams, members and devices, which become tokens of subjects, and names of accounts and files.
var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`) })

// CheckName returns an error for a name that no team or member can have.
func CheckName(s string) error {
	if !name().MatchString(s) {
		return fmt.Errorf("%q is no name here: up to 32 of a-z, 0-9 and -, and - neither first nor last", s)
	}
	return nil
}

// invitationBytes bounds the file of an invitation, most of which is certificates.
const invitationBytes = 256 << 10

// DecodeMember reads an invitation. The error is ErrInvitation.
func DecodeMember(b []byte) (Member, error) {
	var m Member
	err := json.Unmarshal(b, &m)
	switch {
	case err != nil:
	case m.Version != Version:
		err = fmt.Errorf("its version is %d, and this program reads %d; update the program, or ask whoever runs the hub for a new one", m.Version, Version)
	case len(m.Hub) == 0 || m.Key.JWT == "" || m.Key.Seed == "" || m.Account == "" || m.Issuer == "":
		err = errors.New("it lacks a hub, a key, an account, or who signs the roster")
	default:
		err = errors.Join(CheckName(m.Name), CheckName(m.Team))
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: %w", ErrInvitation, err)
	}
	return m, nil
}

// ReadMember reads an invitation from a file. The error is ErrInvitation or that of the system.
func ReadMember(path string) (Member, error) {
	b, err := disk.ReadFile(path, invitationBytes)
	if err != nil {
		return Member{}, err
	}
	return DecodeMember(b)
}

// ParseMember reads an invitation, as its JSON or in one line, or the file that a path names. The
// error is ErrInvitation or that of the system.
func ParseMember(s string) (Member, error) {
	s = strings.TrimSpace(s)
	line, isLine := strings.CutPrefix(s, linePrefix)
	switch {
	case strings.HasPrefix(s, "{"):
		return DecodeMember([]byte(s))
	case !isLine:
		return ReadMember(s)
	}
	b, err := base64.RawURLEncoding.DecodeString(line)
	if err == nil {
		b, err = chunk.Unpack(b)
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: the line is not whole: %w", ErrInvitation, err)
	}
	return DecodeMember(b)
}

// Encode returns the bytes of an invitation.
func (m Member) Encode() []byte {
	b, _ := json.MarshalIndent(m, "", "  ") // strings and numbers cannot fail
	return append(b, '\n')
}

// Dir returns the directory of the team in a journal directory.
func Dir(journal string) string { return filepath.Join(journal, "team") }

// Membership is a member on one device.
type Membership struct {
	Member
	Device string // eight hexadecimal digits
}

// Join makes a journal directory a member's; one that is this member's already gets the new keys. What was seen of another
// hub, which was there before, is removed. The error is ErrMember when the directory is another member's, or its membership cannot be read.
func Join(journal string, m Member) (Membership, error) {
	m.Journal = journal
	joined := Membership{Member: m}
	err := locked(journal, func() error {
		before, err := ReadMember(filepath.Join(Dir(journal), memberName))
		if !errors.Is(err, fs.ErrNotExist) && (before.Team != m.Team || before.Name != m.Name) {
			return ErrMember
		}
		if err == nil && before.Issuer != m.Issuer {
			if err := remove(journal, seenName, statusName); err != nil {
				return err
			}
		}
		if joined.Device, err = deviceOf(journal); err != nil {
			return err
		}
		return replace(journal, memberName, m.Encode())
	})
	return joined, err
}

// JoinAs is Join for a journal that goes on as a device whose log was restored to it. number is that of the newest copy that
// the hub has of the device.
func JoinAs(journal string, m Member, device string, number int) (Membership, error) {
	err := CheckName(device)
	if err == nil {
		err = disk.MakePrivate(Dir(journal))
	}
	if err == nil {
		err = errors.Join(replace(journal, deviceName, []byte(device+"\n")), Copy{Number: number, AtHub: []int{number}}.Save(journal))
	}
	if err != nil {
		return Membership{}, fmt.Errorf("join %s: %w", m.Team, err)
	}
	return Join(journal, m)
}

// Load returns the membership of a journal directory, ErrNoMember when there is none. It names the device if that has no name yet.
func Load(journal string) (Membership, error) {
	m, err := ReadMember(filepath.Join(Dir(journal), memberName))
	if errors.Is(err, fs.ErrNotExist) {
		return Membership{}, ErrNoMember
	}
	if err != nil {
		return Membership{}, fmt.Errorf("the team's key: %w", err)
	}
	m.Journal = journal
	device, err := deviceOf(journal)
	return Membership{Member: m, Device: device}, err
}

// Leave removes the membership and the share, with everything that came from others. The device keeps its name.
func Leave(journal string) error {
	return locked(journal, func() error {
		return remove(journal, memberName, shareName, statusName, heardName, seenName)
	})
}

// remove removes files of the team's directory, durably.
func remove(journal string, names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(Dir(journal), name)); err != nil {
			return err
		}
	}
	return disk.SyncDir(Dir(journal))
}

// NewDevice makes a journal another device of its member, with the same share. Another log goes on as the device that it was;
// from is the event number at which the two logs diverged, 0 if that is not known.
func NewDevice(journal string, m Membership, from uint64) (Membership, error) {
	before, err := LoadCopy(journal)
	if err != nil {
		return m, err
	}
	// With -1 the copies of Former count as unswept, although nothing was forgotten as the new device.
	now := Copy{Former: append(before.Former, m.Device), DivergedAt: map[string]uint64{m.Device: from}, ErasedThrough: -1}
	for device, number := range before.DivergedAt {
		now.DivergedAt[device] = min(number, from)
	}
	// In this order: after an interruption the copy without numbers is compared with that of the former device, and this is called again.
	if err := now.Save(journal); err != nil {
		return m, err
	}
	m.Device, err = newDevice(journal)
	return m, err
}

// deviceOf returns the name of this device, and makes one if the file is missing or holds no name.
func deviceOf(journal string) (string, error) {
	b, err := disk.ReadFile(filepath.Join(Dir(journal), deviceName), 64)
	if nameless := errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrTooLarge); err != nil && !nameless {
		return "", fmt.Errorf("team: %s: %w", deviceName, err) // a new name would leave the hub's copy to nobody
	}
	if s := strings.TrimSpace(string(b)); name().MatchString(s) {
		return s, nil
	}
	return newDevice(journal)
}

// newDevice makes another name for this device.
func newDevice(journal string) (string, error) {
	var id [4]byte
	rand.Read(id[:])
	s := hex.EncodeToString(id[:])
	return s, replace(journal, deviceName, []byte(s+"\n"))
}

// replace writes one of the files of the team's directory, durably.
func replace(journal, name string, b []byte) error {
	return disk.ReplaceShared(filepath.Join(Dir(journal), name), b)
}

// linePrefix begins an invitation in one line. Its JSON follows, compressed, in base64url.
const linePrefix = "team:"

// Line returns an invitation as one line, which a colleague can paste. It is as secret as the key in it.
func (m Member) Line() string {
	return linePrefix + base64.RawURLEncoding.EncodeToString(chunk.Pack(m.Encode()))
}

package facts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nkeys"

	"journal/journal/team"
	"journal/journal/team/chunk"
	"journal/journal/team/dial"
	"journal/journal/team/grants"
)

// errLocked is returned for a fact of a restricted project while it is not known who may read it.
var errLocked = errors.New("the hub does not say yet who may read a project")

// maxKeys bounds the keys that are kept of a device, and maxRings the devices of a member.
const maxKeys, maxRings = 300, 30

// minSecret is the least size of a sealed body. Each step is twice the one before: what is told of a project is not seen
// from its length.
const minSecret = 4 << 10

// Hide puts a body into the head, sealed with the key of a restricted project.
func (h Head) Hide(body []byte, key chunk.Key, counter uint64) (Head, error) {
	plain, size := append(binary.AppendUvarint(nil, uint64(len(body))), body...), minSecret
	for size < len(plain) {
		size *= 2
	}
	h.Key, h.Grants = key.ID, counter
	var err error
	h.Secret, err = key.Seal(append(plain, make([]byte, size-len(plain))...), h.where())
	return h, err
}

// Reveal gives the body of a fact of a restricted project, with the key that it names. The error is chunk.ErrDamaged.
func (h Head) Reveal(key []byte) ([]byte, error) {
	plain, err := chunk.Key{Value: key}.Open(h.Secret, h.where())
	if err != nil {
		return nil, err
	}
	size, digits := binary.Uvarint(plain)
	if digits <= 0 || size > uint64(len(plain)-digits) {
		return nil, fmt.Errorf("%w: it cannot be read", chunk.ErrDamaged)
	}
	return plain[digits:][:size], nil
}

// where binds what is sealed to its fact.
func (h Head) where() []byte {
	return fmt.Appendf(nil, "facts/%s/%s/%s/%s/%d", h.Team, h.Member, h.Device, h.Place, h.Counter)
}

// Ring is what a device lets whoever reads read of its restricted projects.
type Ring struct {
	Counter uint64            `json:"counter"` // of the grants
	Keys    map[string][]byte `json:"keys"`    // by their names
}

// told reads what a fact tells, with rows of sessions if they are wanted; denied says that its project is not shared with
// whoever reads. The error is errLocked when that is not known yet.
func (m *Member) told(h Head, body []byte, rows bool) (t Told, denied bool, err error) {
	if h.Key != "" {
		ring := m.Rings[h.Device]
		if ring.Counter < h.Grants {
			return t, false, errLocked
		}
		key, ok := ring.Keys[h.Key]
		if !ok {
			return t, true, nil
		}
		body, err = h.Reveal(key)
	}
	if err == nil {
		t, err = Unpack(body, rows)
	}
	if err == nil && h.Key == "" && t.Project != "" && PlaceOf(h.Device, t.Project, nil) != h.Place {
		err = fmt.Errorf("%w: it is of another project", chunk.ErrDamaged)
	}
	return t, false, err
}

// locked is a fact that waits for the grants of its device.
type locked struct {
	who    team.Registered
	device string
	dial.Answer
}

// unlock asks for the grants of devices whose facts wait for them, and takes those. What waits still is asked for again
// at the next look.
func (k *Known) unlock(ctx context.Context, l *Look) error {
	key, err := l.Member.Key.Pair()
	waiting := l.locked
	l.locked = nil
	for some := range slices.Chunk(waiting, askOnce) {
		if err == nil {
			err = k.grants(ctx, l, some, key)
		}
		var all []dial.Answer
		for _, f := range some {
			all = append(all, f.Answer)
		}
		k.takeAll(l, all)
	}
	for _, f := range l.locked {
		m, a := k.member(f.who.Account), l.asked[f.who.Account]
		m.Seq, a.err = min(m.Seq, f.Seq-1), errors.Join(a.err, errLocked)
	}
	return err
}

// grants asks who may read what of the devices of some facts.
func (k *Known) grants(ctx context.Context, l *Look, some []locked, key nkeys.KeyPair) error {
	of, questions := []locked(nil), []dial.Asked(nil)
	for _, f := range some {
		if !slices.ContainsFunc(of, func(o locked) bool { return o.who.Account == f.who.Account && o.device == f.device }) {
			of = append(of, f)
			questions = append(questions, dial.Asked{Stream: f.who.Account, Question: dial.Question{Last: grants.Subject(f.who.Account, f.device)}})
		}
	}
	return dial.AskAll(ctx, l.NC, questions, func(n int, a dial.Answer) {
		f := of[n]
		m, asked := k.member(f.who.Account), l.asked[f.who.Account]
		given, err := grants.Read(a.Data, l.Member.Team, f.device, f.who, key)
		if _, known := m.Rings[f.device]; err == nil && (len(given.Keys) > maxKeys || len(m.Rings) == maxRings && !known) {
			err = errors.New("more restricted projects than are read of one member")
		}
		if err != nil {
			asked.err = errors.Join(asked.err, err)
			return
		}
		if m.Rings == nil {
			m.Rings = map[string]Ring{}
		}
		m.Rings[f.device] = Ring{given.Counter, given.Keys}
	})
}

package chunk

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
	"slices"

	"journal/journal/record"
)

// Secret is the subject of a record in a chunk that holds events for who has a key alone: its id names the key, and its
// number is that of the first of them. Without the key their numbers hold nothing.
const Secret = "journal.x"

// Key is a secret key, of 32 bytes, and what names it in chunks.
type Key struct {
	ID    string `json:"id"`
	Value []byte `json:"value"`
}

// NewKey makes a key.
func NewKey() Key {
	k := Key{ID: rand.Text(), Value: make([]byte, 32)}
	rand.Read(k.Value)
	return k
}

// Seal seals something for who has the key, bound to the place where it stands.
func (k Key) Seal(b, place []byte) ([]byte, error) {
	c, err := k.cipher()
	if err != nil {
		return nil, err
	}
	return c.Seal(nil, nil, b, place), nil
}

// Open opens what Seal sealed for a place. The error is ErrDamaged.
func (k Key) Open(b, place []byte) ([]byte, error) {
	c, err := k.cipher()
	if err == nil {
		b, err = c.Open(nil, nil, b, place)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, nil
}

func (k Key) cipher() (cipher.AEAD, error) {
	b, err := aes.NewCipher(k.Value)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(b)
}

// place binds what is sealed to where it stands.
func (h Head) place(seq uint64) []byte {
	return fmt.Appendf(nil, "%s/%s/%s/%d/%d", h.Team, h.Member, h.Device, h.Copy, seq)
}

// seal puts the records that have a key into one record for each key.
func (h Head) seal(records []record.Record, keyOf func(subject string) (Key, bool)) ([]record.Record, error) {
	open, of, keys := []record.Record(nil), map[string][]record.Record{}, []Key(nil)
	for _, r := range records {
		k, secret := Key{}, false
		if keyOf != nil && !r.IsForgotten() {
			k, secret = keyOf(r.Subject)
		}
		switch {
		case !secret:
			open = append(open, r)
			continue
		case of[k.ID] == nil:
			keys = append(keys, k)
		}
		of[k.ID] = append(of[k.ID], r)
	}
	for _, k := range keys {
		all := of[k.ID]
		first := all[0].Seq
		body, err := Pack(plain(Head{First: first}, all))
		if err != nil {
			return nil, err
		}
		data, err := k.Seal(body, h.place(first))
		if err != nil {
			return nil, err
		}
		open = append(open, record.Record{Seq: first, Subject: Secret, ID: k.ID, Data: data})
	}
	slices.SortFunc(open, bySeq)
	return open, nil
}

func bySeq(a, b record.Record) int { return int(int64(a.Seq) - int64(b.Seq)) }

// Locked reports whether a chunk holds events that whoever reads has no key for.
func (c Chunk) Locked() bool {
	b, err := Unpack(c.Body)
	for at := c.First - 1; err == nil && len(b) > 0; {
		var r record.Record
		if r, b, err = cut(b, at); err == nil {
			_, known := c.Keys[r.ID]
			if at = r.Seq; r.Subject == Secret && !known {
				return true
			}
		}
	}
	return false
}

// reveal gives what a record that was sealed holds, nothing without its key.
func (c Chunk) reveal(r record.Record) (all []record.Record, err error) {
	value, ok := c.Keys[r.ID]
	if !ok {
		return nil, nil
	}
	packed, err := Key{Value: value}.Open(r.Data, c.place(r.Seq))
	if err != nil {
		return nil, err
	}
	b, err := Unpack(packed)
	for at := r.Seq - 1; err == nil && len(b) > 0; {
		var one record.Record
		if one, b, err = cut(b, at); err == nil && one.Seq > c.Last {
			err = ErrDamaged
		}
		all, at = append(all, one), one.Seq
	}
	return all, err
}

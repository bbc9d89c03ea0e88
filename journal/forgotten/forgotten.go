// Package forgotten remembers the events that a person removed from the log for good, so that an import does not add
// them again. It keeps keyed digests of ids, and never of texts (ADR-0017).
package forgotten

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/disk"
)

// The names of the two files in a journal directory: the digests, and the key of their HMAC.
const (
	Name    = "forgotten"
	KeyName = "forgotten.key"
)

// ErrDamaged is returned for files whose content is not what Save wrote.
var ErrDamaged = errors.New("the list of what was forgotten is damaged")

const (
	header   = "journal forgotten 1\n"
	keyBytes = 32
	maxFile  = 1 << 30 // bytes of the list
)

// digest is the beginning of the HMAC-SHA256 of some words, which identify what was removed.
type digest [16]byte

// Set holds the digests of what was removed from the log of a directory. It is not safe for concurrent use.
type Set struct {
	dir     string
	key     []byte // nil while the set is empty
	damaged bool   // the stored list is damaged: Save sets it aside before it writes another
	digests map[digest]bool
}

// Open reads the set of a directory; without files it is empty. After ErrDamaged it is empty too, and
// Save sets the damaged list aside. After any other error Save must not be called.
func Open(dir string) (*Set, error) {
	s := &Set{dir: dir, digests: map[digest]bool{}}
	b, err := disk.ReadFile(filepath.Join(dir, Name), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read what was forgotten: %w", err)
	}
	key, err := disk.ReadFile(filepath.Join(dir, KeyName), keyBytes)
	lost := errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotRegular) || errors.Is(err, disk.ErrTooLarge)
	if err != nil && !lost {
		return s, fmt.Errorf("read the key of what was forgotten: %w", err)
	}
	s.damaged = true
	if len(key) != keyBytes {
		return s, fmt.Errorf("%w: %s does not hold its key", ErrDamaged, filepath.Join(dir, KeyName))
	}
	body, ok := bytes.CutPrefix(b, []byte(header))
	end := len(body) - crc32.Size
	if !ok || end < 0 || end%len(digest{}) != 0 || binary.BigEndian.Uint32(body[end:]) != sumOf(key, body[:end]) {
		return s, fmt.Errorf("%w: %s", ErrDamaged, filepath.Join(dir, Name))
	}
	s.key, s.damaged = key, false
	for d := range slices.Chunk(body[:end], len(digest{})) {
		s.digests[digest(d)] = true
	}
	return s, nil
}

// sumOf returns the checksum of the key and the digests.
func sumOf(key, digests []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, digests)
}

// Save writes the set durably, after its key. A kill in between leaves the old list with its key, or a key without a list,
// which Open reads as an empty set.
func (s *Set) Save() error {
	if s.key == nil {
		return nil
	}
	if s.damaged {
		if _, err := disk.PutAside(filepath.Join(s.dir, Name)); err != nil {
			return fmt.Errorf("set the damaged list of what was forgotten aside: %w", err)
		}
		s.damaged = false
	}
	keyPath := filepath.Join(s.dir, KeyName)
	if b, err := disk.ReadFile(keyPath, keyBytes); err != nil || !bytes.Equal(b, s.key) {
		if err := disk.ReplaceDurable(keyPath, s.key); err != nil {
			return fmt.Errorf("write the key of what was forgotten: %w", err)
		}
	}
	body := make([]byte, 0, len(s.digests)*len(digest{}))
	for d := range s.digests {
		body = append(body, d[:]...)
	}
	b := append([]byte(header), body...)
	b = binary.BigEndian.AppendUint32(b, sumOf(s.key, body))
	if err := disk.ReplaceDurable(filepath.Join(s.dir, Name), b); err != nil {
		return fmt.Errorf("write what was forgotten: %w", err)
	}
	return nil
}

// AddSession adds a whole session: an import leaves out later rows of its transcript too.
func (s *Set) AddSession(id string) { s.add("session", id) }

// HasSession reports whether a whole session was removed.
func (s *Set) HasSession(id string) bool { return s.has("session", id) }

// AddEvent adds an event that is about to be removed: the words of factOf and, if its id is derived from rows of a transcript,
// its id.
func (s *Set) AddEvent(e events.Envelope) {
	if events.Derived(e.ID) {
		s.add("row", e.ID)
	}
	s.add(factOf(e)...)
}

// HasEvent reports whether an event of an import was removed. A usage of tokens counts as removed only by its id, because all
// usages of a turn have the same words of factOf.
func (s *Set) HasEvent(e events.Envelope) bool {
	return s.has("row", e.ID) || e.Type != events.TypeOf[events.TokensUsed]() && s.has(factOf(e)...)
}

// factOf returns words that a hook's event and an imported event of the same fact share: the key of the call, else the turn,
// else the session; and, but for the prompt of a turn, the lane and the type.
func factOf(e events.Envelope) []string {
	switch {
	case strings.HasPrefix(e.Key, events.ToolKey):
		return []string{"call", e.Key}
	case e.Turn != "" && e.Type == events.TypeOf[events.PromptSubmitted]():
		return []string{"prompt", e.Turn}
	case e.Turn != "":
		return []string{"turn", e.Turn, e.Lane, string(e.Type)}
	}
	return []string{"lane", e.Session, e.Lane, string(e.Type)}
}

// has reports whether the set has the digest of words.
func (s *Set) has(words ...string) bool { return len(s.digests) > 0 && s.digests[s.digest(words)] }

// add adds the digest of words. The first call makes the key.
func (s *Set) add(words ...string) {
	if s.key == nil {
		s.key = make([]byte, keyBytes)
		_, _ = rand.Read(s.key) // no error: it never fails
	}
	s.digests[s.digest(words)] = true
}

// digest returns the digest of words. It covers the length of each word, so that the same bytes in other words have another
// digest.
func (s *Set) digest(words []string) digest {
	h := hmac.New(sha256.New, s.key)
	for _, w := range words {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(w))))
		h.Write([]byte(w))
	}
	return digest(h.Sum(nil)[:len(digest{})])
}

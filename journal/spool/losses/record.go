package losses

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"time"

	"journal/events/text"
)

// Span is when something happened, and to how many events.
type Span struct {
	First  int64  `json:"first"` // Unix time in nanoseconds
	Last   int64  `json:"last"`
	Events uint64 `json:"events"`
}

// note adds events.
func (s *Span) note(n int, at time.Time) {
	now := at.UnixNano()
	if s.Events == 0 {
		s.First = now
	}
	s.First, s.Last = min(s.First, now), max(s.Last, now)
	s.Events += uint64(n)
}

// Record is what the file holds.
type Record struct {
	Turn uint64 `json:"turn"` // rises with every write
	// Lost is what could not be kept since the log took note last, Why the newest reason, and
	// Told that the person has heard of it.
	Lost Span   `json:"lost"`
	Why  string `json:"why,omitempty"`
	Told bool   `json:"told,omitempty"`
	// Due is what the owner is about to write into the log, for which it is DueWhy.
	Due    Span   `json:"due"`
	DueWhy string `json:"due_why,omitempty"`
	// Ahead is what was stored while the spool could not be read, and Late how many
	// reports were found in it afterwards: those stand behind what they came before.
	Ahead Span   `json:"ahead"`
	Late  uint64 `json:"late,omitempty"`
}

// Disordered says whether the log has events in another order than they came in.
func (r Record) Disordered() bool { return r.Ahead.Events > 0 && r.Late > 0 }

const (
	maxWhy   = 120  // UTF-16 units of a reason
	copySize = 2048 // bytes of a copy: any two reasons fit, however they are escaped
	fileSize = 2 * copySize
	sumSize  = sha256.Size
)

// encode gives a copy: the checksum, and the record in JSON with spaces behind it.
func (r Record) encode() ([]byte, error) {
	r.Why, r.DueWhy = text.CutUnits(r.Why, maxWhy), text.CutUnits(r.DueWhy, maxWhy)
	content, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, sumSize, copySize), content...)
	b = append(b, bytes.Repeat([]byte{' '}, copySize-len(b))...)
	sum := sha256.Sum256(b[sumSize:])
	copy(b, sum[:])
	return b, nil
}

// decode gives the newer of the copies that are whole.
func decode(file []byte) (newest Record, ok bool) {
	for len(file) >= copySize {
		b := file[:copySize]
		file = file[copySize:]
		var r Record
		if sum := sha256.Sum256(b[sumSize:]); !bytes.Equal(sum[:], b[:sumSize]) || json.Unmarshal(b[sumSize:], &r) != nil {
			continue
		}
		if !ok || r.Turn > newest.Turn {
			newest, ok = r, true
		}
	}
	return newest, ok
}

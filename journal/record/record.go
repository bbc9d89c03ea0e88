// Package record says what one stored message of a log is, whichever copy of the
// log it was read from: the server, its files, or the archive.
package record

import (
	"bytes"
	"strings"
)

// Record is one stored message.
type Record struct {
	// Seq is its sequence in the log; 0 in a record that is not stored yet.
	Seq     uint64
	Subject string
	// ID is the message id, which is the id of the event. It is empty for a message
	// that no owner stored: that one holds its place and is no event.
	ID string
	// Data is the encoded event as it is stored: copied, compared and hashed, never
	// encoded again.
	Data []byte
}

// Forgotten is the subject of what stands in the place of an event that was removed: a
// record of this subject with no id and no data, 39 bytes in the store. It says nothing
// but that (ADR-0052).
const Forgotten = "journal.f"

// IsForgotten says whether a record stands in the place of an event that was removed.
func (r Record) IsForgotten() bool { return r.Subject == Forgotten && r.ID == "" && len(r.Data) == 0 }

// Withheld is the subject of what stands, in a copy of a log that its owner gave away, in
// the place of a record that was not to be given: no id and no data (ADR-0060).
const Withheld = "journal.w"

// ProjectToken gives the token of a subject of the log that names its project.
func ProjectToken(subject string) (project string, ok bool) {
	rest, ok := strings.CutPrefix(subject, "journal.")
	if !ok {
		return "", false
	}
	project, _, ok = strings.Cut(rest, ".")
	return project, ok
}

// IDHeader is the header that holds the id of a message.
const IDHeader = "Nats-Msg-Id"

// MessageID gives the message id in the headers of a stored message as they lie in
// the store, empty for none.
func MessageID(header []byte) string {
	for len(header) > 0 {
		var line []byte
		line, header, _ = bytes.Cut(header, []byte("\r\n"))
		if value, ok := bytes.CutPrefix(line, []byte(IDHeader+":")); ok {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

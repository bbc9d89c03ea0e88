// Package record defines one stored message of a log, from whichever copy of the
// log it was read: the server, its files, or the archive.
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
	// that no owner stored: that keeps its place and is not an event.
	ID string
	// Data is the encoded event as it is stored: copied, compared and hashed, never
	// encoded again.
	Data []byte
}

// Forgotten is the subject of the record that replaces a removed event: it has no id and no data, takes 39 bytes in the
// store, and shows nothing but that an event was removed (ADR-0052).
const Forgotten = "journal.f"

// IsForgotten reports whether a record replaces a removed event.
func (r Record) IsForgotten() bool { return r.Subject == Forgotten && r.ID == "" && len(r.Data) == 0 }

// Withheld is the subject of the record that replaces one that was not shared, in a copy of a
// log that its owner gave away. It has no id and no data (ADR-0060).
const Withheld = "journal.w"

// ProjectToken returns the token of a log subject that names its project.
func ProjectToken(subject string) (project string, ok bool) {
	rest, ok := strings.CutPrefix(subject, "journal.")
	if !ok {
		return "", false
	}
	project, _, ok = strings.Cut(rest, ".")
	return project, ok
}

// IsForeign reports whether no owner stored the message: a client of the server had the answer to a question stored.
func (r Record) IsForeign() bool { return r.ID == "" && !r.IsForgotten() }

// IDHeader is the header that holds the id of a message.
const IDHeader = "Nats-Msg-Id"

// MessageID returns the message id in the stored headers of a message, empty for
// none.
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

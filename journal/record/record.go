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
	// ID is the message id, which is the id of the event. It is empty for a message that is
	// no event, because no owner stored it, and for a mark such as Forgotten.
	ID string
	// Data is the encoded event, compressed or plain. It is copied, compared and hashed. The
	// event is never encoded again.
	Data []byte
}

// Forgotten is the subject of the record that replaces a removed event: it has no id and no data, takes 39 bytes in the
// store, and shows nothing but that an event was removed (ADR-0052).
const Forgotten = "journal.f"

// IsForgotten reports whether a record replaces a removed event.
func (r Record) IsForgotten() bool { return r.Subject == Forgotten && r.ID == "" && len(r.Data) == 0 }

// Withheld is the subject of the record that replaces, in the copy of a log for a team, a record
// that was not shared. It has no id and no data (ADR-0060).
const Withheld = "journal.w"

// ProjectToken returns the token of the project in a subject of the log. ok is false for a mark, such as Forgotten.
func ProjectToken(subject string) (project string, ok bool) {
	rest, found := strings.CutPrefix(subject, "journal.")
	project, _, ok = strings.Cut(rest, ".")
	return project, found && ok
}

// IsForeign reports whether a message of this machine's log is no event and no mark: no owner stored it. A client can make the
// server store a message, by naming a subject of the log as the reply subject of a request.
func (r Record) IsForeign() bool { return r.ID == "" && !r.IsForgotten() }

// IDHeader is the header that holds the id of a message.
const IDHeader = "Nats-Msg-Id"

// MessageID returns the message id in the stored headers of a message, empty if the headers
// have none.
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

package writer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/events"
)

// echoWindow is how far apart two equal reports of one lane may be, by their
// reporters' own clock, to be one fact. It is the only place where a clock
// decides anything, and what it decided is stored (ADR-0002 rule 5).
const echoWindow = 2 * time.Second

// laneTail is how many of a lane's newest reports are compared.
const laneTail = 8

// report is one stored report of a lane.
type report struct {
	cause string // id of its first event
	key   string
	at    int64
	seqs  []uint64 // by position in the report
	echo  bool
	// of is the original of an echo, nil when that was stored too long ago. Echoes that follow each other hand it on.
	of *report
}

// lanes holds the newest reports of each lane.
type lanes map[laneID][]*report

type laneID struct{ project, session, lane string }

func laneOf(m events.Meta) laneID { return laneID{m.Project, m.Session, m.Lane} }

// original finds the report that a new one repeats: the same tool call, or the
// same words with no other report of the lane between the two, less than two
// seconds apart. Nil is none.
func (l lanes) original(m events.Meta) *report {
	if m.Key == "" {
		return nil
	}
	adjacent := true
	for _, r := range slices.Backward(l[laneOf(m)]) {
		first := r
		if r.echo {
			first = r.of
		}
		if first != nil && r.key == m.Key && r.cause != causeOf(m) {
			if strings.HasPrefix(m.Key, events.ToolKey) || adjacent && time.Duration(first.at-m.At).Abs() < echoWindow {
				return first
			}
		}
		adjacent = adjacent && r.key == m.Key
	}
	return nil
}

// causeOf names the report of an event: by the id of its first one.
func causeOf(m events.Meta) string { return cmp.Or(m.Cause, m.ID) }

// note remembers an event of the log. The owner's own events are no reports.
func (l lanes) note(e events.Envelope) {
	if events.Reserved(e.Type) {
		return
	}
	id, cause := laneOf(e.Meta), causeOf(e.Meta)
	tail := l[id]
	added := &report{cause: cause, key: e.Key, at: e.At, seqs: []uint64{e.Seq}, echo: e.EchoOf != 0}
	for _, r := range tail {
		if r.cause == cause {
			r.seqs = append(r.seqs, e.Seq)
			return
		}
		if !added.echo {
			continue
		}
		if slices.Contains(r.seqs, e.EchoOf) {
			added.of = r
		} else if r.of != nil && slices.Contains(r.of.seqs, e.EchoOf) {
			added.of = r.of
		}
	}
	tail = append(tail, added)
	l[id] = slices.Clone(tail[max(0, len(tail)-laneTail):])
}

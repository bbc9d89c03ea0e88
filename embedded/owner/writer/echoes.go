package writer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/projections"
)

// echoWindow is the time within which two equal reports of one lane, by the clock of their reporter, are one fact. Only here does a clock
// decide what is one fact, and the decision is stored (ADR-0002 rule 5).
const echoWindow = 2 * time.Second

// laneTail is the number of a lane's newest reports with which a new report is compared.
const laneTail = 8

// report is one stored report of a lane.
type report struct {
	cause string   // id of its first event
	key   string   // occurrence key of its first event
	at    int64    // ns since 1970 UTC, by the reporter's clock
	seqs  []uint64 // of its stored events, in order
	echo  bool
	// original is the report that an echo repeats, nil if that is not among the lane's newest.
	original *report
}

// lanes holds the newest reports of each lane.
type lanes map[projections.Target][]*report

// laneOf returns the lane of an event.
func laneOf(m events.Meta) projections.Target {
	return projections.Target{Project: m.Project, Session: m.Session, Lane: m.Lane}
}

// original returns the report that a new report repeats, nil if there is none. m is of the first event of the new report. Two reports with
// the key of one tool call are one fact. Other reports with the same key are one fact if they are within echoWindow, and no report with
// another key is between them.
func (l lanes) original(m events.Meta) *report {
	if m.Key == "" {
		return nil
	}
	ofToolCall := strings.HasPrefix(m.Key, events.ToolKey)
	for _, r := range slices.Backward(l[laneOf(m)]) {
		if r.key != m.Key && !ofToolCall {
			return nil
		}
		fact := r
		if r.echo {
			fact = r.original
		}
		if fact == nil || r.key != m.Key || r.cause == causeOf(m) {
			continue
		}
		if ofToolCall || time.Duration(fact.at-m.At).Abs() < echoWindow {
			return fact
		}
	}
	return nil
}

// causeOf returns the id of the first event of an event's report.
func causeOf(m events.Meta) string { return cmp.Or(m.Cause, m.ID) }

// note records an event of the log. Events of the owner itself are no reports.
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
			added.original = r
		} else if r.original != nil && slices.Contains(r.original.seqs, e.EchoOf) {
			added.original = r.original
		}
	}
	tail = append(tail, added)
	l[id] = slices.Clone(tail[max(0, len(tail)-laneTail):])
}

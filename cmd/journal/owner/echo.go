package owner

import (
	"strings"
	"time"

	"journal/events"
)

// echoWindow is how far apart two equal reports of one lane may be, by their
// reporters' own clock, to be one fact. It is the only place where a clock
// decides anything, and what it decided is stored (DECISIONS 2.2).
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
}

// lanes holds the newest reports of each lane.
type lanes map[laneID][]report

type laneID struct{ project, session, lane string }

func laneOf(m events.Meta) laneID { return laneID{m.Project, m.Session, m.Lane} }

// original finds the report that a new one repeats: the same tool call, or the
// same words with no other report of the lane between the two, less than two
// seconds apart. Nil is none.
func (l lanes) original(m events.Meta) *report {
	if m.Key == "" {
		return nil
	}
	tail := l[laneOf(m)]
	adjacent := true
	for i := len(tail) - 1; i >= 0; i-- {
		r := &tail[i]
		if r.key == m.Key && r.cause != m.ID && !r.echo {
			if strings.HasPrefix(m.Key, events.ToolKey) || adjacent && near(r.at, m.At) {
				return r
			}
		}
		adjacent = adjacent && r.key == m.Key
	}
	return nil
}

func near(a, b int64) bool {
	d := time.Duration(a - b)
	return -echoWindow < d && d < echoWindow
}

// stored takes note of an event of the log.
func (l lanes) stored(e events.Envelope) {
	id, cause := laneOf(e.Meta), e.Cause
	if cause == "" {
		cause = e.ID
	}
	tail := l[id]
	for i := range tail {
		if r := &tail[i]; r.cause == cause {
			r.seqs = append(r.seqs, e.Seq)
			return
		}
	}
	tail = append(tail, report{cause: cause, key: e.Key, at: e.At, seqs: []uint64{e.Seq}, echo: e.EchoOf != 0})
	if len(tail) > laneTail {
		tail = append([]report(nil), tail[len(tail)-laneTail:]...)
	}
	l[id] = tail
}

// echoOf gives the event of an original that the n-th of its repetition echoes.
func (r *report) echoOf(n int) uint64 {
	return r.seqs[min(n, len(r.seqs)-1)]
}

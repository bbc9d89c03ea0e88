package projections

import (
	"slices"

	"journal/events"
)

// Loss is a number of events that are lost for good.
type Loss struct {
	First   uint64 `json:"first"`   // sequence of the first event that reports the loss
	Last    uint64 `json:"last"`    // sequence of the last event that reports it
	Records uint64 `json:"records"` // number of lost events
	At      Stamp  `json:"at"`      // when the loss was found
	Reason  string `json:"reason"`
	// Tail is set if the lost events were at the end of a damaged log. Later events have the sequences of the lost ones.
	Tail bool `json:"tail,omitempty"`
	// From and Until bound the time in which the events could be stored nowhere; 0 for other losses.
	From  Stamp `json:"from,omitempty"`
	Until Stamp `json:"until,omitempty"`
	// AcknowledgedBy is the event of a person's acknowledgement, 0 for none yet.
	AcknowledgedBy uint64 `json:"acknowledged_by"`
}

// Losses lists the losses of events, oldest first, and whether a person has acknowledged each.
var Losses = Declare("losses", 1, User, "what the log lost, and whether a person has seen it",
	On(func(s List[Loss], e events.LogGap, at At) List[Loss] {
		loss := Loss{First: at.Seq, Last: at.Seq, Records: 1, At: Stamp(at.At), Reason: e.Reason}
		if e.Count > 0 {
			loss.Records, loss.From, loss.Until = e.Count, Stamp(e.From), Stamp(e.Until)
			return s.Append(loss)
		}
		if before, ok := s.Last(); ok && before.continuedBy(loss) {
			before.Last, before.Records = loss.Last, before.Records+1
			return s.Set(s.Len()-1, before)
		}
		return s.Append(loss)
	}),
	On(func(s List[Loss], e events.LogRepaired, at At) List[Loss] {
		if e.LostTail == 0 {
			return s
		}
		return s.Append(Loss{First: at.Seq, Last: at.Seq, Records: e.LostTail, At: Stamp(at.At), Reason: e.Reason, Tail: true})
	}),
	On(func(s List[Loss], e events.LogAcknowledged, at At) List[Loss] {
		for i := range s.Len() {
			if l := s.Get(i); l.AcknowledgedBy == 0 && l.within(e.Losses) {
				l.AcknowledgedBy = at.Seq
				s = s.Set(i, l)
			}
		}
		return s
	}),
)

// continuedBy reports whether l is an unacknowledged loss of records, and next the loss of the record after them, found at the same
// time for the same reason.
func (l Loss) continuedBy(next Loss) bool {
	ofRecords := l.From == 0 && l.Until == 0 && !l.Tail
	return ofRecords && l.AcknowledgedBy == 0 && l.Last+1 == next.First && l.At == next.At && l.Reason == next.Reason
}

// within reports whether one of the ranges covers the whole loss.
func (l Loss) within(ranges []events.SeqRange) bool {
	return slices.ContainsFunc(ranges, func(r events.SeqRange) bool { return r.First <= l.First && l.Last <= r.Last })
}

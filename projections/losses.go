package projections

import (
	"slices"

	"journal/events"
)

// Loss is something that the log had, or should have had, and that is lost for good.
type Loss struct {
	First   uint64 `json:"first"` // where the log shows it, as sequences
	Last    uint64 `json:"last"`
	Records uint64 `json:"records"` // how many are lost
	At      Stamp  `json:"at"`      // when it was found
	Reason  string `json:"reason"`
	// Tail reports whether the lost records came after the log's end as it was then; new events took their sequences.
	Tail bool `json:"tail,omitempty"`
	// From and Until bound the time in which events could be stored nowhere.
	From  Stamp `json:"from,omitempty"`
	Until Stamp `json:"until,omitempty"`
	// AcknowledgedBy is the event of a person's acknowledgement; 0 for not yet.
	AcknowledgedBy uint64 `json:"acknowledged_by"`
}

// Losses records the events that the log lost for good, and whether a person knows.
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
		i := -1
		for l := range s.All() {
			i++
			if l.AcknowledgedBy == 0 && l.within(e.Losses) {
				l.AcknowledgedBy = at.Seq
				s = s.Set(i, l)
			}
		}
		return s
	}),
)

// continuedBy reports whether next is the next record of the same loss.
func (l Loss) continuedBy(next Loss) bool {
	return l.From == 0 && l.Until == 0 && !l.Tail && l.AcknowledgedBy == 0 && l.Last+1 == next.First && l.At == next.At && l.Reason == next.Reason
}

// within reports whether one of the ranges covers the whole loss.
func (l Loss) within(ranges []events.PlaceRange) bool {
	return slices.ContainsFunc(ranges, func(r events.PlaceRange) bool { return r.First <= l.First && l.Last <= r.Last })
}

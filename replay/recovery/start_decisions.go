package recovery

import (
	"time"

	"journal/projections"
)

// decisionAge is how old a decision may be that a session is told of at its start;
// older ones are found by searching.
const decisionAge = 7 * 24 * time.Hour

// datedDecision is a decision that holds.
type datedDecision struct {
	projections.DecisionState
	Another bool // session's than the one before a /clear
}

// decisions gives those of the project that hold, were made on purpose and not long
// ago, and those of the session before a /clear whatever their age; the newest first.
func decisions(f *projections.Fold, at int64, before *Past) []datedDecision {
	var found []datedDecision
	for d := range projections.Decisions.In(f).Backward() {
		own := before != nil && d.Session == before.Session
		recent := time.Duration(at-int64(d.At)) <= decisionAge
		if d.Holds() && !d.Weak && (recent || own) {
			found = append(found, datedDecision{d, before != nil && !own})
		}
	}
	return found
}

// TeamDecision is what somebody else of the team decided in the same repository.
type TeamDecision struct {
	Member, Question, Text string
	At                     int64 // ns since 1970
}

// Day is when it was made, in UTC.
func (d TeamDecision) Day() string { return time.Unix(0, d.At).UTC().Format(time.DateOnly) }

// AddDecisions adds what others of the team decided not long ago, the newest first.
// What holds here in the same words is told as one's own.
func (s *Start) AddDecisions(all []TeamDecision) {
	own := map[string]bool{}
	for d := range projections.Decisions.In(s.fold).Backward() {
		own[d.Text] = own[d.Text] || d.Holds()
	}
	for _, d := range all {
		if time.Duration(s.at-d.At) <= decisionAge && !own[d.Text] {
			s.Overview.Theirs = append(s.Overview.Theirs, d)
		}
	}
}

package wire

import "time"

// Pace returns how long a time budget lasts. Tests make budgets longer, to pass on a busy machine. Nil leaves them unchanged.
type Pace func(budget time.Duration) time.Duration

// Of returns how long a time budget lasts.
func (p Pace) Of(budget time.Duration) time.Duration {
	if p == nil {
		return budget
	}
	return p(budget)
}

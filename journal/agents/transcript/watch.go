package transcript

import "time"

// Watcher takes the rows of one transcript in their order, as they are written, and
// finds what no hook tells: calls that the person refused, turns that they
// interrupted, commands that they ran themselves, prompts that old clients hold back
// while a turn runs. Its steps have the ids that an import derives from the same rows.
// It is not safe for concurrent use.
type Watcher interface {
	// Take takes one row, keeps nothing of it, and gives its steps.
	Take(row []byte) []Step
	// Since makes it pass over rows that were written before a moment: those that the
	// session took over from another. The zero time is none.
	Since(began time.Time)
	// Context is what the rows show of the context after the newest compaction, and
	// how many rows have told something of contexts; 0 is no compaction.
	Context() (newest Context, told int)
	// Said gives what the agent said last since the newest prompt. It is false while no row tells of
	// either.
	Said() (Words, bool)
}

// Words are what an agent said last since the newest prompt.
type Words struct {
	Row  string // that tells them, or the prompt
	Turn string // as hooks name it, empty where rows do not
	Text string // empty when nothing was said since
}

package hooks

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"journal/events"
)

// Env is what a dialect may know besides the payload.
type Env struct {
	Getenv func(string) string
	Now    time.Time // when the hook process began
	Event  string    // the hook's name from the command line, for payloads without one
}

// Report is what one hook said, and what its agent is owed for it.
type Report struct {
	Hook events.Hook
	// Key is equal for two reports of one fact and, as far as the agent's
	// protocol allows, for no others (DECISIONS 2.2).
	Key string
	// Owed is the kind of answer that the agent can take now, empty for none.
	Owed string
	// Wait bounds how long the agent may be kept waiting for it (DECISIONS 2.12).
	Wait time.Duration
	// Quick says that the agent ends its hooks soon: append and leave.
	Quick bool
}

// Dialect is how one agent speaks.
type Dialect struct {
	Agent string
	// Units and Vital limit a text for the agent's context, in UTF-16 code
	// units; what is needed most has to stand within Vital (DECISIONS 1.5).
	Units, Vital int
	// Read takes one payload. It never fails.
	Read func(r io.Reader, env Env) Report
	// Usage takes one input of the agent's statusline; nil when it has none. A
	// report without Hook.Usage says nothing about the context.
	Usage func(r io.Reader, env Env) Report
	// Receipts reads what the agent's transcript shows of the contexts after its
	// compactions, oldest first: of all, or of those near its end. Nil when the
	// agent's transcripts show nothing of that.
	Receipts func(path string, all bool) ([]Receipt, error)
	// Parent finds the session that a fork took its first rows from, by the fork's
	// transcript and the moment at which the fork began, and the first row that
	// both have (DECISIONS 3.6). An empty session is none that is sure. The error is
	// fs.ErrNotExist as long as the transcript cannot tell: agents write it late.
	// Nil when the agent's transcripts never do.
	Parent func(path string, began time.Time) (session, row string, err error)
	// Answer gives the exact stdout for a text and whom it is for (wire.ToModel
	// and the others). Empty text is no output at all, and so is a text for
	// somebody whom the agent cannot reach at this hook.
	Answer func(h events.Hook, to, text string) []byte
}

var declared = map[string]*Dialect{}

func declare(d Dialect) *Dialect {
	if declared[d.Agent] != nil {
		panic("hooks: " + d.Agent + " is declared twice")
	}
	declared[d.Agent] = &d
	return &d
}

// Named gives the dialect of an agent. The error lists those there are.
func Named(agent string) (*Dialect, error) {
	if d := declared[agent]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("unknown agent %q (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents with a dialect, sorted.
func Agents() []string {
	var names []string
	for n := range declared {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

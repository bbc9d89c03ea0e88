package events

import (
	"fmt"
	"strings"
)

// CompileStarted says that a target is being compiled and in which phase (S2.7).
// Saying it twice is saying it once.
type CompileStarted struct {
	Target string `json:"target"`
	Phase  string `json:"phase,omitempty"` // one of CompilePhases; empty is the first
	Try    int    `json:"try,omitempty"`   // of the phase green, 1 to CompileTries
}

func (CompileStarted) event() {}

func (c CompileStarted) validate() error {
	if c.Phase != "" && !oneOf(c.Phase, CompilePhases...) {
		return fmt.Errorf("phase is one of %s", strings.Join(CompilePhases, ", "))
	}
	if c.Try < 0 || c.Try > CompileTries {
		return fmt.Errorf("try is 1 to %d", CompileTries)
	}
	return isTarget(c.Target)
}

var _ = declare("compile.started", "a target is being compiled, and in which phase", appendable[CompileStarted]())

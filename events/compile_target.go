package events

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// CompilePhases are the phases of compiling one target, in their order (S2.7).
var CompilePhases = []string{"parse", "red", "green", "refactor", "conflicts", "implements_updated", "done"}

// CompileTries is how often the phase green is tried, and how often a target is
// healed or an answer about it applied (S2.7, S2.9).
const CompileTries = 3

// isTarget checks the key of a target.
func isTarget(p string) error {
	switch {
	case p == "":
		return errors.New("the path of a target is required")
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Errorf("%q is no path below the project's root", p)
	}
	return nil
}

func oneOf(s string, of ...string) bool { return slices.Contains(of, s) }

package events

import "errors"

// CompileCompared says how the interface of an updated target has changed, and
// which modules depend on it (S2.8). It is told: no language is parsed here.
type CompileCompared struct {
	Target   string          `json:"target"`
	Breaking bool            `json:"breaking,omitempty"`
	Changes  []CompileChange `json:"changes,omitempty"`
	Affected []string        `json:"affected,omitempty"` // paths of modules that use what changed
}

// CompileChange is one change of an interface.
type CompileChange struct {
	Symbol string `json:"symbol"`
	Change string `json:"change"` // added, removed, changed
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func (CompileCompared) event() {}

func (c CompileCompared) validate() error {
	for _, ch := range c.Changes {
		if !oneOf(ch.Change, "added", "removed", "changed") {
			return errors.New(`change is "added", "removed" or "changed"`)
		}
	}
	for _, p := range c.Affected {
		if err := isTarget(p); err != nil {
			return err
		}
	}
	return isTarget(c.Target)
}

var _ = declare("compile.compared", "how the interface of an updated target has changed", appendable[CompileCompared]())

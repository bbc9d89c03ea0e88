package events

import "strings"

// CompoundRequested says that a person asked for compound by a slash command. It is not a compound yet: there was one
// only if the turn then writes lasting knowledge (ADR-0008). It is an event of its own so that project folds need not
// read every prompt.
type CompoundRequested struct {
	Command string `json:"command"` // "/compound", "/plugin:compound"
}

func (CompoundRequested) event() {}

var _ = declare("compound.requested", "a person asked for compound; none yet",
	lasting[CompoundRequested](),
	from(func(h Hook) (CompoundRequested, bool) {
		command, _, _ := strings.Cut(strings.TrimSpace(h.Text), " ")
		command, _, _ = strings.Cut(command, "\n")
		asked := strings.HasPrefix(command, "/") && (command == "/compound" || strings.HasSuffix(command, ":compound"))
		return CompoundRequested{Command: command}, asked && h.Kind == PromptSubmit && !h.Machine
	}),
)

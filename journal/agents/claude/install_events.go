package claude

import (
	"fmt"

	"journal/journal/agents/install"
)

// condition says when an event is installed on a client that knows it.
type condition int

const (
	byDefault condition = iota
	onOld               // by default on old clients, on newer ones on request
	onRequest           // with Options.All
	never
)

// tolerant is the first release of Claude Code that ignores an event name it
// does not know. Up to 2.1.100 one such name switches off all hooks of the
// file, silently.
var tolerant = install.Version{2, 1, 101}

// clientEvents has every event of Claude Code 2.1.329 with the first release that
// surely knows it. The nine without a release are known to all clients observed,
// from 1.0.128 on. Where no release is on record the event counts as known from
// tolerant on, since from there a mistake costs nothing.
//
// On old clients the nine include PreToolUse: they have no event for a call that
// failed (seen in 1.0.128, 2.0.14 and 2.1.0), so that only the open PreToolUse shows
// it. Newer ones have PostToolUseFailure, and PreToolUse would cost 25–45 ms of
// client time per call for nothing.
var clientEvents = []struct {
	name  string
	since install.Version
	use   condition
}{
	{"SessionStart", install.Version{}, byDefault},
	{"UserPromptSubmit", install.Version{}, byDefault},
	{"PreToolUse", install.Version{}, onOld},
	{"PostToolUse", install.Version{}, byDefault},
	{"PostToolUseFailure", tolerant, byDefault},
	{"PreCompact", install.Version{}, byDefault},
	{"PostCompact", install.Version{2, 1, 76}, byDefault},
	{"Notification", install.Version{}, onOld},
	{"Stop", install.Version{}, byDefault},
	{"StopFailure", tolerant, byDefault},
	{"SubagentStart", tolerant, byDefault},
	{"SubagentStop", install.Version{}, byDefault},
	{"TaskCreated", tolerant, onRequest}, // PostToolUse tells of it
	{"TaskCompleted", tolerant, byDefault},
	{"SessionEnd", install.Version{}, byDefault},

	{"PostToolBatch", tolerant, onRequest},
	{"UserPromptExpansion", tolerant, onRequest},
	{"PreModelSwitch", install.Version{2, 1, 251}, onRequest},
	{"PostModelSwitch", install.Version{2, 1, 251}, onRequest},
	{"PermissionRequest", tolerant, onRequest},
	{"PermissionDenied", tolerant, onRequest},
	{"Setup", tolerant, onRequest},
	{"TeammateIdle", tolerant, onRequest},
	{"Elicitation", tolerant, onRequest},
	{"ElicitationResult", tolerant, onRequest},
	{"ConfigChange", tolerant, onRequest},
	{"InstructionsLoaded", install.Version{2, 1, 69}, onRequest}, // some 2.1.6x, so 2.1.69 at the latest
	{"CwdChanged", tolerant, onRequest},
	{"DirectoryAdded", install.Version{2, 1, 219}, onRequest},

	// One call per piece of text shown, or per file touched.
	{"MessageDisplay", tolerant, never},
	{"FileChanged", tolerant, never},
	// A hook here is asked to make the worktree and print its path; one that
	// only listens would break their creation, and so their removal.
	{"WorktreeCreate", tolerant, never},
	{"WorktreeRemove", tolerant, never},
}

// eventsFor implements install.Settings.
func eventsFor(clientVersion string, all bool) (events, notes []string) {
	v, known := install.ParseVersion(clientVersion)
	old := v.Less(tolerant)
	for _, e := range clientEvents {
		if v.Less(e.since) || e.use == never {
			continue
		}
		if e.use == byDefault || all || (e.use == onOld && old) {
			events = append(events, e.name)
		}
	}
	const why = "clients before %s switch all hooks of a file off when it names one event they do not know; %s"
	switch {
	case !known:
		notes = append(notes, fmt.Sprintf("the version of Claude Code could not be found out, so only the %d events that every version knows are installed: "+why,
			len(events), tolerant, "put claude on PATH, see that `claude --version` answers, and run `journal install` again"))
	case old:
		notes = append(notes, fmt.Sprintf("Claude Code %s is old, so only %d events are installed: "+why,
			v, len(events), tolerant, "run `claude update`, then `journal install` again"))
	}
	return events, notes
}

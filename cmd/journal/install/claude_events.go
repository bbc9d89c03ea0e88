package install

import "fmt"

// wanted says when an event is installed on a client that knows it.
type wanted int

const (
	byDefault wanted = iota // DECISIONS 3.8
	onOld                   // by default on old clients, on newer ones on request
	onRequest               // with Options.All
	never
)

// tolerant is the first release of Claude Code that ignores an event name it
// does not know. Up to 2.1.100 one such name switches off all hooks of the
// file, silently (CLIENTS part 1, section 7).
var tolerant = version{2, 1, 101}

// claudeEvents has every event of Claude Code 2.1.329 (PROTOCOLS 1.1) with
// the first release that surely knows it. The nine without a release are
// known to all clients observed, from 1.0.128 on (CLIENTS part 1, section 8, rule 7). Where
// no release is on record the event counts as known from tolerant on, since
// from there a mistake costs nothing.
//
// On old clients the nine include PreToolUse: they have no event for a call
// that failed (1.0.128, 2.0.14 and 2.1.0, CLIENTS part 1, section 7), so that only the open
// PreToolUse shows it. Newer ones have PostToolUseFailure, and PreToolUse
// would cost 25–45 ms of client time per call for nothing (DECISIONS 2.11).
var claudeEvents = []struct {
	name  string
	since version
	use   wanted
}{
	{"SessionStart", version{}, byDefault},
	{"UserPromptSubmit", version{}, byDefault},
	{"PreToolUse", version{}, onOld},
	{"PostToolUse", version{}, byDefault},
	{"PostToolUseFailure", tolerant, byDefault},
	{"PreCompact", version{}, byDefault},
	{"PostCompact", version{2, 1, 76}, byDefault}, // PROTOCOLS 1.1
	{"Notification", version{}, onOld},
	{"Stop", version{}, byDefault},
	{"StopFailure", tolerant, byDefault},
	{"SubagentStart", tolerant, byDefault},
	{"SubagentStop", version{}, byDefault},
	{"TaskCreated", tolerant, byDefault},
	{"TaskCompleted", tolerant, byDefault},
	{"SessionEnd", version{}, byDefault},

	{"PostToolBatch", tolerant, onRequest},
	{"UserPromptExpansion", tolerant, onRequest},
	{"PreModelSwitch", version{2, 1, 251}, onRequest},  // PROTOCOLS 1.1
	{"PostModelSwitch", version{2, 1, 251}, onRequest}, // PROTOCOLS 1.1
	{"PermissionRequest", tolerant, onRequest},
	{"PermissionDenied", tolerant, onRequest},
	{"Setup", tolerant, onRequest},
	{"TeammateIdle", tolerant, onRequest},
	{"Elicitation", tolerant, onRequest},
	{"ElicitationResult", tolerant, onRequest},
	{"ConfigChange", tolerant, onRequest},
	{"InstructionsLoaded", version{2, 1, 69}, onRequest}, // PROTOCOLS 1.1: "2.1.6x", so 2.1.69 at the latest
	{"CwdChanged", tolerant, onRequest},
	{"DirectoryAdded", version{2, 1, 219}, onRequest}, // PROTOCOLS 1.1

	// DECISIONS 3.8: one call per piece of text shown, or per file touched.
	{"MessageDisplay", tolerant, never},
	{"FileChanged", tolerant, never},
	// A hook here is asked to make the worktree and print its path
	// (PROTOCOLS 1.3); one that only listens would break their creation, and
	// so their removal.
	{"WorktreeCreate", tolerant, never},
	{"WorktreeRemove", tolerant, never},
}

// claudeEventsFor implements Agent.Events.
func claudeEventsFor(clientVersion string, all bool) (events, notes []string) {
	v, known := parseVersion(clientVersion)
	old := v.less(tolerant)
	for _, e := range claudeEvents {
		if v.less(e.since) || e.use == never {
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

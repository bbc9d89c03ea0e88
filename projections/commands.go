package projections

import (
	"cmp"
	"slices"
	"strings"

	"journal/events"
	"journal/events/shell/failure"
)

// CommandState is one shell command.
type CommandState struct {
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Exit    int    `json:"exit"`            // 0 also if unknown
	Error   string `json:"error,omitempty"` // as errorOf returns it; after the end of a background command the client's words
	// Outcome is the result that a test, build or linter printed: "ok", "0 issues", "FAIL: TestX". It is empty for other
	// commands.
	Outcome string `json:"outcome,omitempty"`
	// Reported lists the findings in the log of a CI that the command printed, each on a line.
	Reported string `json:"reported,omitempty"`
	// Hidden is set if only the output shows the failure; the exit code was 0.
	Hidden bool   `json:"hidden,omitempty"`
	Seq    uint64 `json:"seq"`
	// Background is the client's id of a command in the background. Ended is the event of its end, 0 while it runs. Until
	// then OK has no meaning.
	Background string `json:"background,omitempty"`
	Ended      uint64 `json:"ended,omitempty"`
	// Stopped is set if the command was ended from outside: it neither worked nor failed.
	Stopped bool `json:"stopped,omitempty"`
	// StoppedByRestart is set if the command ran when the session's client was last started, which stopped it.
	StoppedByRestart bool `json:"stopped_by_restart,omitempty"`

	Use string `json:"-"` // id of the tool call
}

// Running reports whether the command runs in the background and no event reported its end.
func (c CommandState) Running() bool { return c.Background != "" && c.Ended == 0 }

// Undecided reports whether the command neither worked nor failed: it runs in the background, or was stopped.
func (c CommandState) Undecided() bool { return c.Running() || c.Stopped }

// Commands lists the shell commands that the agent ran, oldest first, and those of the person whose output shows a failure. A
// command has also failed if its output shows a failure that the exit code hides.
var Commands = Declare("commands", 9, Lane, "shell commands and how they ended",
	On(func(l List[CommandState], e events.CommandRan, at At) List[CommandState] {
		if e.Person && e.Mark == "" {
			return l // the result of a person's command is unknown
		}
		return l.Append(CommandState{
			Command: e.Command, OK: !e.Failed && e.Mark == "" && e.Background == "", Exit: e.Exit, Error: errorOf(e),
			Outcome: e.Outcome, Reported: failure.Listed(failure.Reported(e.Command, e.Output)), Hidden: !e.Failed && e.Mark != "", Background: e.Background, Seq: at.Seq, Use: e.Use,
		})
	}),
	On(func(l List[CommandState], e events.BackgroundEnded, at At) List[CommandState] {
		matches := func(c CommandState) bool { return c.Running() && c.Background == e.Task }
		return l.changeLast(matches, func(c *CommandState) {
			c.Ended, c.Exit, c.OK = at.Seq, e.Exit, e.Exit == 0 && e.Status == "completed"
			c.Stopped = e.Status == "killed" || e.Status == "stopped"
			if !c.OK {
				c.Error = cmp.Or(e.Text, e.Status)
			}
		})
	}),
	OnIn(Session, func(l List[CommandState], _ events.SessionStarted, at At) List[CommandState] {
		for i := range l.Len() {
			switch c := l.Get(i); {
			case c.Running():
				c.Ended, c.Stopped, c.StoppedByRestart = at.Seq, true, true
				l = l.Set(i, c)
			case c.StoppedByRestart: // by an earlier start
				c.StoppedByRestart = false
				l = l.Set(i, c)
			}
		}
		return l
	}),
	On(func(l List[CommandState], e events.CommandExited, _ At) List[CommandState] {
		matches := func(c CommandState) bool { return e.Use != "" && c.Use == e.Use }
		return l.changeLast(matches, func(c *CommandState) {
			c.OK, c.Exit, c.Hidden, c.Error = false, e.Exit, false, cmp.Or(e.Error, c.Error)
		})
	}),
)

// errorOf returns the error of a command, or the findings if the stored error is cut. If the exit code hides the failure, it returns
// the lines of the output that show the failure, or one line for each of several failed tests and of too many errors.
func errorOf(e events.CommandRan) string {
	if e.Found != "" {
		return e.Found
	}
	if e.Error != "" || e.Mark == "" {
		return e.Error
	}
	lines := failure.Errors(e.Command, e.Output)
	if found := failure.Findings(e.Command, e.Output); len(found) > 1 && (len(lines) == failure.MaxErrors || found[0].Test != "") {
		return failure.Listed(found)
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) == e.Mark }) {
		lines = slices.Insert(lines, 0, e.Mark) // the stored output is cut
	}
	return strings.Join(lines, "\n")
}

// RefusalState is a tool call that the person refused.
type RefusalState struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // the command or the file
	Words  string `json:"text,omitempty"`   // the person's reason; may be empty
	Seq    uint64 `json:"seq"`
	// Passages lists the passages that an edit would have changed.
	Passages []events.Passage `json:"-"`
}

// Refusals lists the tool calls that the person refused, oldest first.
var Refusals = Declare("refusals", 2, Lane, "tool calls that the person refused",
	On(func(l List[RefusalState], e events.ToolRefused, at At) List[RefusalState] {
		return l.Append(RefusalState{Tool: e.Tool, Target: e.Target, Words: e.Words, Seq: at.Seq, Passages: e.Passages})
	}),
)

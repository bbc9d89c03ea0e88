package claude

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// acp begins the names of the tools with which an editor replaces the client's own, with the same input and another
// answer (docs/CLIENTS.md §3).
const acp = "mcp__acp__"

// native returns the client's own name for a tool.
func native(name string) string { return strings.TrimPrefix(name, acp) }

// isShell reports whether a tool, by its native name, runs commands.
func isShell(name string) bool { return name == "Bash" || name == "PowerShell" }

// answered takes what an editor tells the model about a call that did not fail: how a command went, the text of a file,
// or a patch of what the input says.
func answered(t *events.ToolCall, p *agents.Payload, out *agents.Taker) {
	text := out.From
	for part := range text.Items() { // one, of two members
		if text = part.Get("text"); out.From.Len() != 1 || part.Len() != 2 || part.Get("type").Str() != "text" {
			return
		}
	}
	switch {
	case text.Kind() != payload.String, t.Action != events.RunCommand && len(t.Paths) == 0:
		return
	case t.Action == events.RunCommand:
		terminal(t, p, text.Str())
	}
	out.From = payload.Value{}
}

// terminal reads how a command went in an editor's terminal: "Exited with code 2.Final output:", an empty line, and the
// output.
func terminal(t *events.ToolCall, p *agents.Payload, said string) {
	how, output, ended := strings.Cut(said, "Final output:\n\n")
	if !ended {
		output = said
	}
	t.Output = output
	code, _, _ := strings.Cut(strings.TrimPrefix(how, "Exited with code "), ".")
	exit, err := strconv.Atoi(code)
	id, begun := strings.CutPrefix(said, "Command started in background with id: ")
	switch {
	case begun:
		t.Background, t.Output = id, ""
	case said == "Tool cancelled by user", strings.HasPrefix(how, "Interrupted by the user."):
		t.Failed, t.Error, t.Output = true, "interrupted by the person", ""
	case strings.HasPrefix(how, "Timed out."), strings.HasPrefix(how, "Killed."):
		t.Failed, t.Error, t.Output = true, said, ""
	case ended && err == nil && exit != 0:
		agents.Failed(t, exit)
	default:
		_, _ = io.WriteString(&p.Output[0], output) // never fails
		t.Mark = redact.Text(p.Output[0].Mark(t.Command))
	}
}

// taskEnd reads how a task of the background ended from the response of a call that asked for its output or stopped it;
// nil if it runs on.
func taskEnd(out payload.Value) *events.Background {
	id := cmp.Or(out.Get("task_id").Str(), out.Get("shell_id").Str())
	if said := out.Get("message").Str(); id != "" && (strings.HasPrefix(said, "Successfully stopped ") || strings.HasPrefix(said, "Successfully killed ")) {
		return &events.Background{Task: id, Status: "killed"}
	}
	if task := out.Get("task"); task.Exists() {
		out = task
	}
	exit, _ := out.Get("exitCode").Int()
	e := &events.Background{Task: cmp.Or(out.Get("task_id").Str(), out.Get("shellId").Str()), Status: out.Get("status").Str(), Exit: int(exit)}
	if e.Task == "" || !slices.Contains([]string{"completed", "failed", "killed"}, e.Status) {
		return nil
	}
	if e.Status == "failed" {
		e.Text = cmp.Or(out.Get("output").Str(), joinOutput(out.Get("stdout").Str(), out.Get("stderr").Str()))
	}
	return e
}

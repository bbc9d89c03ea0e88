package claude

import (
	"cmp"
	"fmt"
	"io"
	"slices"
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
func answered(t *events.ToolCall, p *agents.Payload, out *agents.Members) {
	text, only := onlyText(out.From)
	if !only || t.Action != events.RunCommand && len(t.Paths) == 0 {
		return
	}
	if t.Action == events.RunCommand {
		terminal(t, p, text)
	}
	out.From = payload.Value{}
}

// onlyText returns a response that is one text, as those of editors are.
func onlyText(response payload.Value) (text string, ok bool) {
	for part := range response.Items() { // one, of two members
		if response.Len() != 1 || part.Len() != 2 || part.Get("type").Str() != "text" {
			return "", false
		}
		response = part.Get("text")
	}
	return response.Str(), response.Kind() == payload.String
}

// terminal reads how a command went in an editor's terminal: "Exited with code 2.Final output:", an empty line, and the
// output.
func terminal(t *events.ToolCall, p *agents.Payload, message string) {
	header, output, ended := strings.Cut(message, "Final output:\n\n")
	if !ended {
		output = message
	}
	t.Output = output
	id, begun := strings.CutPrefix(message, "Command started in background with id: ")
	switch {
	case begun:
		t.Background, t.Output = id, ""
	case message == "Tool cancelled by user", strings.HasPrefix(header, "Interrupted by the user."):
		t.Failed, t.Error, t.Output = true, "interrupted by the person", ""
	case strings.HasPrefix(header, "Timed out."), strings.HasPrefix(header, "Killed."):
		t.Failed, t.Error, t.Output = true, message, ""
	case ended && exitOf(header) > 0:
		agents.Failed(t, exitOf(header))
	default:
		_, _ = io.WriteString(&p.Output[0], output) // never fails
		t.Mark = redact.Text(p.Output[0].Mark(t.Command))
	}
}

// exitOf reads the exit code of a command in an editor's terminal, -1 if there is none.
func exitOf(how string) (exit int) {
	if _, err := fmt.Sscanf(how, "Exited with code %d.", &exit); err != nil {
		return -1
	}
	return exit
}

// stops begin what an editor says of a command that was stopped, or of whose end it tells nothing more.
var stops = []string{"Interrupted by the user.", "Timed out.", "Killed.", "Command killed ", "Command was already killed.", "Command aborted ", "Command had already exited."}

// taskEnd reads how a task of the background ended from a call that asked for its output or stopped it; nil if it runs on.
func taskEnd(in, out payload.Value) []events.BackgroundEnded {
	e := events.BackgroundEnded{Task: cmp.Or(out.Get("task_id").Str(), out.Get("shell_id").Str()), Status: "killed"}
	if message, editor := onlyText(out); editor {
		header, output, _ := strings.Cut(message, "Final output:\n\n")
		e.Task = cmp.Or(in.Get("task_id").Str(), in.Get("shell_id").Str(), in.Get("id").Str())
		switch exit := exitOf(header); {
		case exit > 0:
			e.Status, e.Exit, e.Text = "failed", exit, output
		case exit == 0:
			e.Status = "completed"
		case !begins(header, stops):
			return nil
		}
	} else if message := out.Get("message").Str(); !strings.HasPrefix(message, "Successfully stopped ") && !strings.HasPrefix(message, "Successfully killed ") {
		if task := out.Get("task"); task.Exists() {
			out = task
		}
		exit, _ := out.Get("exitCode").Int()
		e.Task, e.Status, e.Exit = cmp.Or(out.Get("task_id").Str(), out.Get("shellId").Str()), out.Get("status").Str(), int(exit)
		if e.Status == "failed" {
			e.Text = cmp.Or(out.Get("output").Str(), joinOutput(out.Get("stdout").Str(), out.Get("stderr").Str()))
		}
	}
	if e.Task == "" || !slices.Contains([]string{"completed", "failed", "killed"}, e.Status) {
		return nil
	}
	return []events.BackgroundEnded{e}
}

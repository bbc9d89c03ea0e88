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

// editorPrefix is the prefix of the names of tools with which an editor replaces the client's. They have the same input, but another
// response (docs/CLIENTS.md §3).
const editorPrefix = "mcp__acp__"

// native returns the client's name for a tool, which may be an editor's.
func native(name string) string { return strings.TrimPrefix(name, editorPrefix) }

// isShell reports whether a tool, by its native name, runs commands.
func isShell(name string) bool { return name == "Bash" || name == "PowerShell" }

// editorResponse reads the response of an editor's tool to a call that did not fail: the end of a command, the content of a file, or a
// patch. It removes the response from the rest. Other responses stay there.
func editorResponse(t *events.ToolCall, p *agents.Payload, out *agents.Members) {
	text, only := onlyText(out.From)
	if !only || t.Action != events.RunCommand && len(t.Paths) == 0 {
		return
	}
	if t.Action == events.RunCommand {
		terminal(t, p, text)
	}
	out.From = payload.Value{}
}

// onlyText returns the text of a response that is a string, or a list with one text, as editors send it. ok is false for other responses.
func onlyText(response payload.Value) (text string, ok bool) {
	for part := range response.Items() { // the only part has a type and a text
		if response.Len() != 1 || part.Len() != 2 || part.Get("type").Str() != "text" {
			return "", false
		}
		response = part.Get("text")
	}
	return response.Str(), response.Kind() == payload.String
}

// terminal reads the end of a command in an editor's terminal: "Exited with code 2.Final output:", an empty line, and the output.
func terminal(t *events.ToolCall, p *agents.Payload, message string) {
	header, output, ended := strings.Cut(message, "Final output:\n\n")
	if !ended {
		output = message
	}
	t.Output = output
	id, started := strings.CutPrefix(message, "Command started in background with id: ")
	switch {
	case started:
		t.Background, t.Output = id, ""
	case message == "Tool cancelled by user", strings.HasPrefix(header, "Interrupted by the user."):
		t.Failed, t.Error, t.Output = true, "interrupted by the person", ""
	case strings.HasPrefix(header, "Timed out."), strings.HasPrefix(header, "Killed."):
		t.Failed, t.Error, t.Output = true, message, ""
	case ended && exitOf(header) > 0:
		agents.SetExit(t, exitOf(header))
	default:
		_, _ = io.WriteString(&p.Output[0], output) // never fails
		t.Mark = redact.Text(p.Output[0].Mark(t.Command))
	}
}

// exitOf returns the exit code in the text before the output of a command in an editor's terminal, -1 if there is none.
func exitOf(header string) (exit int) {
	if _, err := fmt.Sscanf(header, "Exited with code %d.", &exit); err != nil {
		return -1
	}
	return exit
}

// stops lists beginnings of an editor's text about a command that was stopped, or that has ended with an unknown exit code.
var stops = []string{"Interrupted by the user.", "Timed out.", "Killed.", "Command killed ", "Command was already killed.", "Command aborted ", "Command had already exited."}

// taskEnd returns the end of a background task, nil if the task continues. in and out are the input and the response of a call that asked
// for the task's output, or stopped the task.
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

package hooks

import (
	"cmp"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/payload"
)

// claudeTool reads the tool call of a hook. rest is what of its input and
// response stands in no field.
func claudeTool(p payload.Value, failed bool) (t *events.ToolCall, rest []member) {
	in, out := p.Get("tool_input"), p.Get("tool_response")
	t = &events.ToolCall{
		Name:   p.Get("tool_name").Str(),
		Use:    p.Get("tool_use_id").Str(),
		Action: events.OtherTool,
		Failed: failed,
		Error:  p.Get("error").Str(),
	}
	t.Millis, _ = p.Get("duration_ms").Int()
	switch t.Name {
	case "Bash":
		t.Action = events.RunCommand
		t.Command, t.About = in.Get("command").Str(), in.Get("description").Str()
		t.Output = joinOutput(out.Get("stdout").Str(), out.Get("stderr").Str())
		t.Exit = exitCode(t.Error)
		in, out = in.Without("command", "description"), out.Without("stdout", "stderr")
	case "Read":
		t.Action = events.ReadFile
		t.Paths = paths(in.Get("file_path"))
		in, out = in.Without("file_path"), out.Without("file")
	case "Write":
		t.Action = events.WriteFile
		t.Paths = paths(in.Get("file_path"))
		in, out = in.Without("file_path"), out.Without("filePath", "content")
	case "Edit", "MultiEdit":
		t.Action = events.EditFile
		t.Paths = paths(in.Get("file_path"))
		in, out = in.Without("file_path"), out.Without("filePath")
	case "NotebookEdit":
		t.Action = events.EditFile
		t.Paths = paths(in.Get("notebook_path"))
		in, out = in.Without("notebook_path"), out.Without("notebook_path", "new_source")
	case "TodoWrite":
		t.Action = events.WriteTodos
		for todo := range in.Get("todos").Items() {
			t.Todos = append(t.Todos, events.Todo{
				Text: todo.Get("content").Str(), Status: cmp.Or(todo.Get("status").Str(), "pending"),
			})
		}
		in = in.Without("todos")
	case "TaskCreate", "TaskUpdate":
		t.Action = events.ChangeTask
	}
	if in.Len() > 0 {
		rest = append(rest, member{"tool_input", in.JSON()})
	}
	if out.Len() > 0 || out.Kind() == payload.String {
		rest = append(rest, member{"tool_response", out.JSON()})
	}
	return t, rest
}

// claudeTasks reads what a call of the task tools changed. TaskCreate's input
// has no id; its response has.
func claudeTasks(t *events.ToolCall, p payload.Value) []events.Task {
	in, out := p.Get("tool_input"), p.Get("tool_response")
	switch {
	case !out.Exists():
		return nil
	case t.Name == "TaskCreate":
		return []events.Task{{
			ID: anyID(out.Path("task", "id")), Subject: in.Get("subject").Str(),
			Detail: in.Get("description").Str(), Status: "pending",
		}}
	case t.Name == "TaskUpdate":
		return []events.Task{{
			ID: anyID(in.Get("taskId")), Subject: in.Get("subject").Str(),
			Detail: in.Get("description").Str(), Status: in.Get("status").Str(),
		}}
	}
	return nil
}

// anyID reads an id that is a string in some versions and a number in others.
func anyID(v payload.Value) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	return v.Str()
}

func paths(v payload.Value) []string {
	if s := v.Str(); s != "" {
		return []string{s}
	}
	return nil
}

func joinOutput(stdout, stderr string) string {
	if stdout != "" && stderr != "" {
		return strings.TrimRight(stdout, "\n") + "\n" + stderr
	}
	return stdout + stderr
}

// exitCode reads the exit code out of a failure's text, "Exit code 3" and then
// the output; 0 when it has none, as for a refused call.
func exitCode(s string) int {
	rest, ok := strings.CutPrefix(s, "Exit code ")
	if !ok {
		return 0
	}
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(line)
	return n
}

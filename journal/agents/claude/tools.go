package claude

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/hooks"
	"journal/journal/payload"
)

// toolCall reads the tool call of a hook and what it changed in the task list.
// It gives what of the call's input and response stands in no event.
func toolCall(h *events.Hook, p *hooks.Taker) []hooks.Member {
	failed := h.Native == "PostToolUseFailure"
	t := &events.ToolCall{
		Name: p.From.Get("tool_name").Str(), Use: p.From.Get("tool_use_id").Str(),
		Action: events.OtherTool, Failed: failed,
	}
	h.Tool = t
	if failed {
		t.Error = p.Text("error")
	}
	in, out := hooks.Taker{From: p.From.Get("tool_input")}, hooks.Taker{From: p.From.Get("tool_response")}
	var inMore, outMore []hooks.Member
	edited := func(action events.Action, name string) string {
		path := in.Text(name)
		if path != "" {
			t.Action, t.Paths = action, []string{path}
		}
		return path
	}
	switch t.Name {
	case "Bash":
		t.Action = events.RunCommand
		t.Command, t.About = in.Text("command"), in.Text("description")
		t.Output = joinOutput(out.Text("stdout"), out.Text("stderr"))
		t.Exit = exitCode(t.Error)
	case "Read":
		path := edited(events.ReadFile, "file_path")
		if file := (hooks.Taker{From: out.From.Get("file")}); file.From.Kind() == payload.Object {
			file.Echo("filePath", path)
			out.Drop("file")
			outMore = hooks.Left("file", file.Rest())
		}
	case "Write":
		out.Echo("filePath", edited(events.WriteFile, "file_path"))
		out.Echo("content", in.From.Get("content").Str())
	case "Edit", "MultiEdit":
		out.Echo("filePath", edited(events.EditFile, "file_path"))
	case "NotebookEdit":
		out.Echo("notebook_path", edited(events.EditFile, "notebook_path"))
		out.Echo("new_source", in.From.Get("new_source").Str())
	case "TodoWrite":
		if todos := in.From.Get("todos"); !failed && todos.Kind() == payload.Array {
			t.Action = events.WriteTodos
			in.Drop("todos")
			t.Todos, inMore = todosOf(todos)
		}
	case "TaskCreate", "TaskUpdate":
		if !failed {
			h.Tasks = tasksOf(t.Name, &in, &out)
		}
		if h.Tasks != nil || h.Kind == events.ToolStart {
			t.Action = events.ChangeTask
		}
	}
	t.Millis, _ = p.From.Get("duration_ms").Int()
	if h.Kind == events.ToolStart { // its event has name and id
		p.Text("tool_name")
		p.Text("tool_use_id")
		return nil
	}
	switch {
	case failed, t.Action == events.RunCommand, t.Action == events.OtherTool:
		p.Number("duration_ms")
		fallthrough
	case len(t.Paths) > 0:
		p.Text("tool_name")
		p.Text("tool_use_id")
	}
	p.Drop("tool_input", "tool_response")
	return append(
		hooks.Left("tool_input", in.Rest(), inMore...),
		hooks.Left("tool_response", out.Rest(), outMore...)...,
	)
}

// todosOf reads a todo list, and gives what else its items say, item by
// item.
func todosOf(list payload.Value) (todos []events.Todo, more []hooks.Member) {
	todos = []events.Todo{} // an empty list is a list
	var rests [][]byte
	said := false
	for v := range list.Items() {
		item := hooks.Taker{From: v}
		todos = append(todos, events.Todo{Text: item.Text("content"), Status: cmp.Or(item.Text("status"), "pending")})
		rest := item.Rest()
		said = said || rest.Kind() != payload.Object || rest.Len() > 0
		rests = append(rests, rest.JSON())
	}
	if said {
		more = []hooks.Member{{Name: "todos", Value: slices.Concat([]byte("["), bytes.Join(rests, []byte(",")), []byte("]"))}}
	}
	return todos, more
}

// tasksOf reads what a call of the task tools changed; nil when that cannot
// be said. TaskCreate's input has no id; its response has.
func tasksOf(tool string, in, out *hooks.Taker) []events.Task {
	if done, ok := out.From.Get("success").Bool(); ok && !done {
		return nil
	}
	task := events.Task{ID: anyID(in.From.Get("taskId")), Status: in.From.Get("status").Str()}
	if tool == "TaskCreate" {
		task = events.Task{ID: anyID(out.From.Path("task", "id")), Status: "pending"}
	}
	if task.ID == "" || !out.From.Exists() {
		return nil
	}
	task.Subject, task.Detail = in.Text("subject"), in.Text("description")
	if tool == "TaskUpdate" {
		in.Drop("taskId")
		in.Text("status")
	}
	return []events.Task{task}
}

// anyID reads an id that is a string in some versions and a number in others.
func anyID(v payload.Value) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	return v.Str()
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
	n, err := strconv.Atoi(line)
	if err != nil {
		return 0
	}
	return n
}

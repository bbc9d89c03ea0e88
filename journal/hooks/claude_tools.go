package hooks

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/payload"
)

// claudeTool reads the tool call of a hook and what it changed in the task list.
// It gives what of the call's input and response stands in no event.
func claudeTool(h *events.Hook, p *taker) []member {
	failed := h.Native == "PostToolUseFailure"
	t := &events.ToolCall{
		Name: p.from.Get("tool_name").Str(), Use: p.from.Get("tool_use_id").Str(),
		Action: events.OtherTool, Failed: failed,
	}
	h.Tool = t
	if failed {
		t.Error = p.text("error")
	}
	in, out := taker{from: p.from.Get("tool_input")}, taker{from: p.from.Get("tool_response")}
	var inMore, outMore []member
	edited := func(action events.Action, name string) string {
		path := in.text(name)
		if path != "" {
			t.Action, t.Paths = action, []string{path}
		}
		return path
	}
	switch t.Name {
	case "Bash":
		t.Action = events.RunCommand
		t.Command, t.About = in.text("command"), in.text("description")
		t.Output = joinOutput(out.text("stdout"), out.text("stderr"))
		t.Exit = exitCode(t.Error)
	case "Read":
		path := edited(events.ReadFile, "file_path")
		if file := (taker{from: out.from.Get("file")}); file.from.Kind() == payload.Object {
			file.echo("filePath", path)
			out.drop("file")
			outMore = left("file", file.rest())
		}
	case "Write":
		out.echo("filePath", edited(events.WriteFile, "file_path"))
		out.echo("content", in.from.Get("content").Str())
	case "Edit", "MultiEdit":
		out.echo("filePath", edited(events.EditFile, "file_path"))
	case "NotebookEdit":
		out.echo("notebook_path", edited(events.EditFile, "notebook_path"))
		out.echo("new_source", in.from.Get("new_source").Str())
	case "TodoWrite":
		if todos := in.from.Get("todos"); !failed && todos.Kind() == payload.Array {
			t.Action = events.WriteTodos
			in.drop("todos")
			t.Todos, inMore = claudeTodos(todos)
		}
	case "TaskCreate", "TaskUpdate":
		if !failed {
			h.Tasks = claudeTasks(t.Name, &in, &out)
		}
		if h.Tasks != nil || h.Kind == events.ToolStart {
			t.Action = events.ChangeTask
		}
	}
	t.Millis, _ = p.from.Get("duration_ms").Int()
	if h.Kind == events.ToolStart { // its event has name and id
		p.text("tool_name")
		p.text("tool_use_id")
		return nil
	}
	switch {
	case failed, t.Action == events.RunCommand, t.Action == events.OtherTool:
		p.number("duration_ms")
		fallthrough
	case len(t.Paths) > 0:
		p.text("tool_name")
		p.text("tool_use_id")
	}
	p.drop("tool_input", "tool_response")
	return append(
		left("tool_input", in.rest(), inMore...),
		left("tool_response", out.rest(), outMore...)...,
	)
}

// claudeTodos reads a todo list, and gives what else its items say, item by
// item.
func claudeTodos(list payload.Value) (todos []events.Todo, more []member) {
	todos = []events.Todo{} // an empty list is a list
	var rests [][]byte
	said := false
	for v := range list.Items() {
		item := taker{from: v}
		todos = append(todos, events.Todo{Text: item.text("content"), Status: cmp.Or(item.text("status"), "pending")})
		rest := item.rest()
		said = said || rest.Kind() != payload.Object || rest.Len() > 0
		rests = append(rests, rest.JSON())
	}
	if said {
		more = []member{{"todos", slices.Concat([]byte("["), bytes.Join(rests, []byte(",")), []byte("]"))}}
	}
	return todos, more
}

// claudeTasks reads what a call of the task tools changed; nil when that cannot
// be said. TaskCreate's input has no id; its response has.
func claudeTasks(tool string, in, out *taker) []events.Task {
	if done, ok := out.from.Get("success").Bool(); ok && !done {
		return nil
	}
	task := events.Task{ID: anyID(in.from.Get("taskId")), Status: in.from.Get("status").Str()}
	if tool == "TaskCreate" {
		task = events.Task{ID: anyID(out.from.Path("task", "id")), Status: "pending"}
	}
	if task.ID == "" || !out.from.Exists() {
		return nil
	}
	task.Subject, task.Detail = in.text("subject"), in.text("description")
	if tool == "TaskUpdate" {
		in.drop("taskId")
		in.text("status")
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

package opencode

import (
	"cmp"
	"path/filepath"
	"strings"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents"
	"journal/journal/redact"
)

// refusals begin what the client tells the model of a call that the person, or a rule
// of theirs, did not allow.
var refusals = []string{"The user rejected permission to use this specific tool call", "The user has specified a rule which prevents you from using"}

// saidBy stands before the person's words about it.
const saidBy = "with the following feedback: "

// toolCall reads a tool call that ended, or a todo list that changed. It gives what of
// the call's arguments and metadata stands in no event.
func toolCall(h *events.Hook, p *agents.Taker, output *failure.Scanner) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool").Str(), Use: p.Text("callID"), Action: events.OtherTool}
	h.Tool = t
	if todos := p.From.Get("todos"); h.Native == "todo.updated" {
		p.Drop("todos")
		t.Name, t.Action, t.Todos = "todowrite", events.WriteTodos, []events.Todo{}
		for v := range todos.Items() {
			t.Todos = append(t.Todos, events.Todo{Text: v.Get("content").Str(), Status: cmp.Or(v.Get("status").Str(), "pending")})
		}
		return nil
	}
	in, meta := agents.Taker{From: p.From.Get("args")}, agents.Taker{From: p.From.Get("metadata")}
	ended(t, h.Native, p)
	switch t.Name {
	case "bash":
		if t.Void || failure.Calls(in.From.Get("command").Str(), "journal", "journal-hook") {
			break // it ran nothing, or told the journal something
		}
		t.Action, t.Command = events.RunCommand, in.Text("command")
		if t.Refused {
			break
		}
		t.About, t.Output = in.Text("description"), p.Text("output")
		if exit := meta.Number("exit"); exit != 0 {
			t.Failed, t.Exit = true, int(exit)
			t.Error, t.Output = t.Output, ""
		} else if !t.Failed {
			t.Mark = redact.Text(output.Mark(t.Command))
		}
	case "read":
		fileOf(h, events.ReadFile, &in)
		p.Drop("output") // the file
	case "write":
		fileOf(h, events.WriteFile, &in)
		in.Drop("content")
	case "edit", "multiedit", "patch":
		fileOf(h, events.EditFile, &in)
		agents.Replaces(t, in.From, "oldString", "newString")
	case "grep":
		t.Query = in.From.Get("pattern").Str()
	case "task":
		if lane := meta.From.Get("sessionId").Str(); lane != "" && !t.Failed {
			t.Action, t.Task, t.Lane = events.RunAgent, in.Text("prompt"), lane
		}
	}
	if t.Action != events.RunAgent {
		p.Text("tool")
	}
	p.Drop("args", "metadata")
	return append(agents.Left("args", in.Rest()), agents.Left("metadata", meta.Rest())...)
}

// fileOf reads which file a call was about. The model names it from the project's
// directory, or whole.
func fileOf(h *events.Hook, action events.Action, in *agents.Taker) {
	path := in.Text("filePath")
	if path == "" {
		return
	}
	if !filepath.IsAbs(path) && h.Cwd != "" {
		path = filepath.Join(h.Cwd, path)
	}
	h.Tool.Action, h.Tool.Paths = action, []string{path}
}

// ended says how a call ended. One that threw is told by its error alone.
func ended(t *events.ToolCall, native string, p *agents.Taker) {
	if native != "tool.error" {
		return
	}
	t.Failed, t.Error = true, p.Text("error")
	began, _ := p.From.Path("time", "start").Int()
	end, _ := p.From.Path("time", "end").Int()
	if t.Millis = max(0, end-began); began > 0 {
		p.Drop("time")
	}
	if t.Error == "Tool execution aborted" {
		t.Void = true
	}
	for _, begin := range refusals {
		if strings.HasPrefix(t.Error, begin) {
			t.Refused = true
			_, t.Words, _ = strings.Cut(t.Error, saidBy)
		}
	}
}

package opencode

import (
	"cmp"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/redact"
)

// refusals begin what the client tells the model about a call that the person, or the person's rule, did not allow.
var refusals = []string{"The user rejected permission to use this specific tool call", "The user has specified a rule which prevents you from using"}

// Aborted begins what it says about a call that the person stopped.
const Aborted = "Tool execution aborted"

// saidBy precedes the person's words about it.
const saidBy = "with the following feedback: "

// toolCall reads a tool call that ended, or a changed todo list. It returns the parts of the call's arguments and
// metadata that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
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
		if agents.TellsJournal(in.From.Get("command")) {
			break // it reported something to the journal
		}
		t.Action, t.Command = events.RunCommand, in.Text("command")
		if t.Refused {
			break
		}
		t.About, t.Output = in.Text("description"), p.Text("output")
		if exit := meta.Number("exit"); exit != 0 {
			agents.Failed(t, int(exit))
		} else if !t.Failed {
			t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		}
	case "read":
		agents.File(h, events.ReadFile, in.Text("filePath"))
		p.Drop("output") // the file
	case "write":
		agents.File(h, events.WriteFile, in.Text("filePath"))
		in.Drop("content")
	case "edit", "multiedit", "patch":
		agents.File(h, events.EditFile, in.Text("filePath"))
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

// ended sets how a call ended. A call that threw has only its error.
func ended(t *events.ToolCall, native string, p *agents.Payload) {
	if native != "tool.error" {
		return
	}
	t.Failed, t.Error = true, p.Text("error")
	began, _ := p.From.Path("time", "start").Int()
	end, _ := p.From.Path("time", "end").Int()
	if t.Millis = max(0, end-began); began > 0 {
		p.Drop("time")
	}
	t.Void = t.Name != "bash" && strings.HasPrefix(t.Error, Aborted) // an aborted command matters: it was started
	for _, begin := range refusals {
		if strings.HasPrefix(t.Error, begin) {
			t.Refused = true
			_, t.Words, _ = strings.Cut(t.Error, saidBy)
		}
	}
}

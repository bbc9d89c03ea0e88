package qwen

import (
	"cmp"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// toolCall reads the tool call of a hook. It returns the parts of the call's input and response that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.Text("tool_name"), Action: events.OtherTool}
	hookID := p.Text("tool_use_id")
	t.Use = cmp.Or(p.Text("tool_call_id"), hookID) // chats have the tool_call_id too
	h.Tool = t
	if h.Kind == events.ToolStart { // the event of a start has only name and id
		return nil
	}
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_response")}
	if t.Failed = h.Native == "PostToolUseFailure"; t.Failed {
		t.Error = p.Text("error")
		t.Refused = denied(t.Error)
		t.Aborted, _ = p.From.Get("is_interrupt").Bool()
		p.Drop("is_interrupt")
	}
	t.Millis = p.Number("duration_ms")
	switch t.Name {
	case "run_shell_command":
		command(t, &in, &out, p)
	case "read_file", "write_file", "edit", "notebook_edit":
		agents.SetFile(h.Tool, h.Cwd, fileActions[t.Name], &in)
		in.Drop("content")
		out.Drop("llmContent", "returnDisplay") // content of the file
	case "grep_search", "glob":
		t.Query = in.From.Get("pattern").Str()
	case "todo_write":
		if todos := in.From.Get("todos"); !t.Failed && todos.Kind() == payload.Array {
			agents.SetTodos(t, todos, "content")
			in.Drop("todos")
			out.Drop("llmContent", "returnDisplay") // repeats the list
		}
	}
	if !t.Failed {
		readResponse(t, &in, &out)
	}
	p.Drop("tool_input", "tool_response")
	return append(agents.RestMember("tool_input", in.Rest()), agents.RestMember("tool_response", out.Rest())...)
}

// fileActions maps the tools for one file to what they do.
var fileActions = map[string]events.Action{"read_file": events.ReadFile, "write_file": events.WriteFile, "edit": events.EditFile, "notebook_edit": events.EditFile}

// command reads the call of a command.
func command(t *events.ToolCall, in, out *agents.Members, p *agents.Payload) {
	if agents.IsJournalCommand(in.From.Get("command")) {
		return
	}
	t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
	out.Drop("returnDisplay") // repeats the output
	text := out.Text("llmContent")
	switch {
	case t.Refused:
	case t.Aborted:
		t.Aborted, t.Error = false, "interrupted by the person"
	case t.Failed:
		if output, exit := agents.ShellText(t.Error); exit != 0 {
			t.Error, t.Exit = output, exit
		}
	case strings.HasPrefix(text, backgroundShell):
		id, _, _ := strings.Cut(strings.TrimPrefix(text, backgroundShell), "\n")
		t.Background = cmp.Or(strings.TrimSpace(id), t.Use)
	default:
		t.Output, t.Exit = agents.ShellText(text)
		if t.Exit != 0 {
			agents.SetExit(t, t.Exit)
			break
		}
		_, _ = p.Output[0].Write([]byte("\n" + t.Output)) // the scanner has read its first line only after the label "Output: "
		t.Mark = redact.Text(p.Output[0].Mark(t.Command))
	}
}

// backgroundShell is the beginning of the text that the client shows the model about a command that continues in the background.
const backgroundShell = "Background shell started.\nid: "

// readResponse reads the response to a call that did not fail: the person's answers, the plan that the person approved, or the task and
// the report of a subagent.
func readResponse(t *events.ToolCall, in, out *agents.Members) {
	text, display := out.From.Get("llmContent").Str(), out.From.Get("returnDisplay")
	switch t.Name {
	case "ask_user_question":
		questions := in.From.Get("questions")
		text, answered := strings.CutPrefix(cmp.Or(display.Get("text").Str(), text), "User has provided the following answers:\n\n")
		if !answered {
			return
		}
		agents.SetAnswers(t, questions, func(_ int, q payload.Value) string { return answerTo(text, q, questions) })
		out.Drop("llmContent", "returnDisplay")
	case "exit_plan_mode":
		if strings.HasPrefix(text, "User approved.") {
			t.Action, t.Plan = events.OfferPlan, in.Text("plan")
			out.Drop("llmContent", "returnDisplay")
		}
	case "agent":
		name := display.Get("subagentName").Str()
		if name == "" || t.Use == "" {
			return
		}
		t.Action, t.Task, t.About = events.RunAgent, in.Text("prompt"), in.Text("description")
		t.Lane = name + "-" + t.Use // the agent_id in the subagent's hooks
		if display.Get("status").Str() == "background" {
			t.Background = t.Lane
		} else {
			t.Report = text
		}
		out.Drop("llmContent", "returnDisplay")
	case "send_message":
		lane := in.From.Get("task_id").Str()
		if lane == "" || !strings.Contains(text, goesOn) {
			return // to a teammate, or to a subagent that works
		}
		t.Action, t.Task, t.About, t.Lane, t.Background = events.RunAgent, in.Text("message"), in.Text("summary"), lane, lane
		in.Drop("task_id")
		out.Drop("llmContent", "returnDisplay")
	}
}

// goesOn is in the text that the client shows the model about a message with which an ended subagent goes on in the background.
const goesOn = " with your message as the "

// answerTo returns the answer to question in the text for the model, "" if there is none. all lists the questions of the call. The text
// names questions by their headers: "**Storage**: SQLite".
func answerTo(text string, question, all payload.Value) string {
	_, rest, ok := strings.Cut("\n"+text, mark(question))
	if !ok {
		return ""
	}
	end := len(rest)
	for q := range all.Items() {
		if i := strings.Index(rest, mark(q)); i >= 0 && i < end {
			end = i
		}
	}
	return rest[:end]
}

// mark returns the beginning of the line with the answer to a question.
func mark(question payload.Value) string { return "\n**" + question.Get("header").Str() + "**: " }

// denied reports whether a text for the model is the client's message that the person refused the call.
func denied(message string) bool { return strings.Contains(message, "User did not allow tool call") }

package gemini

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// toolCall reads the tool call of a hook. It returns the parts of the call's input and response that no event has. Calls have no ids
// in this client's hooks.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool_name").Str(), Action: events.OtherTool}
	h.Tool = t
	p.DropText("tool_name")
	if h.Kind == events.ToolStart { // the event of a start has only the name
		return nil
	}
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_response")}
	if e := out.From.Get("error"); e.Kind() == payload.Object || e.Str() != "" {
		t.Failed, t.Error = true, cmp.Or(e.Get("message").Str(), e.Str())
		t.Refused = denied(t.Error)
		out.Drop("error", "returnDisplay")
		out.DropRepeated("llmContent", t.Error)
	}
	switch t.Name {
	case "run_shell_command":
		if agents.IsJournalCommand(in.From.Get("command")) {
			break
		}
		t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
		output, exit := agents.ShellText(out.Text("llmContent"))
		out.Drop("returnDisplay") // repeats the output
		t.Output = output
		if exit != 0 {
			t.Failed, t.Exit = true, exit
			t.Error, t.Output = cmp.Or(t.Error, output), ""
		} else if !t.Failed {
			_, _ = p.Output[0].Write([]byte("\n" + output)) // the scanner has read its first line only after the label "Output: "
			t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		}
	case "read_file", "write_file", "replace", "edit":
		dir := h.Cwd // an import may not know it, but the response has the absolute path
		if whole, given := out.From.Path("returnDisplay", "filePath").Str(), in.From.Get("file_path").Str(); strings.HasSuffix(whole, "/"+given) {
			dir = strings.TrimSuffix(whole, "/"+given)
		}
		agents.SetFile(h.Tool, dir, fileActions[t.Name], &in)
		in.Drop("content")
		out.Drop("llmContent", "returnDisplay") // content of the file
	case "search_file_content", "grep_search":
		t.Query = in.From.Get("pattern").Str()
	case "write_todos":
		if todos := in.From.Get("todos"); !t.Failed && todos.Kind() == payload.Array {
			agents.SetTodos(t, todos, "description", "content")
			in.Drop("todos")
			out.Drop("llmContent", "returnDisplay") // repeats the list
		}
	}
	if !t.Failed {
		readAnswers(t, &in, &out, p.Env)
	}
	p.Drop("tool_input", "tool_response")
	return append(agents.RestMember("tool_input", in.Rest()), agents.RestMember("tool_response", out.Rest())...)
}

// fileActions maps the tools for one file to what they do.
var fileActions = map[string]events.Action{"read_file": events.ReadFile, "write_file": events.WriteFile, "replace": events.EditFile, "edit": events.EditFile}

// Parts of the text that the client shows the model when the person approved its plan: the beginning, and the words before the path
// of the plan's file.
const (
	planApproved = "Plan approved."
	planStored   = "The approved implementation plan is stored at: "
)

// readAnswers reads the response to a call that did not fail: the person's answers, with the indexes of the questions as keys, or the
// plan that the person approved, of which the client names only the file.
func readAnswers(t *events.ToolCall, in, out *agents.Members, env agents.Env) {
	text := out.From.Get("llmContent").Str()
	switch t.Name {
	case "ask_user":
		var all struct {
			Answers map[string]string `json:"answers"`
		}
		if json.Unmarshal([]byte(text), &all) != nil {
			return // nobody answered
		}
		agents.SetAnswers(t, in.From.Get("questions"), func(i int, _ payload.Value) string { return all.Answers[strconv.Itoa(i)] })
		if len(t.Answers) == len(all.Answers) {
			out.Drop("llmContent", "returnDisplay")
		}
	case "exit_plan_mode":
		if !strings.HasPrefix(strings.TrimSpace(text), planApproved) {
			return
		}
		_, rest, _ := strings.Cut(text, planStored)
		file, _, _ := strings.Cut(rest, "\n")
		t.File = cmp.Or(strings.TrimSpace(file), in.From.Get("plan_path").Str(), in.From.Get("plan_filename").Str())
		t.Plan = cmp.Or(in.From.Get("plan").Str(), agents.PlanIn(t.File, env))
		t.Action = events.OfferPlan
		out.Drop("llmContent", "returnDisplay")
	}
}

// denied reports whether a text for the model is the client's message that the person refused the call.
func denied(message string) bool { return strings.HasSuffix(message, "User denied execution.") }

package opencode

import (
	"cmp"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// refusals lists beginnings of the error of a call that the person, or a rule of the person, did not allow.
var refusals = []string{"The user rejected permission to use this specific tool call", "The user has specified a rule which prevents you from using"}

// Aborted is the beginning of the error of a call that the person stopped.
const Aborted = "Tool execution aborted"

// feedbackMark precedes the person's words in the error of a refused call.
const feedbackMark = "with the following feedback: "

// toolCall reads a tool call that ended, or a changed list of todos. It returns the parts of the call's arguments and metadata that no
// event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool").Str(), Use: p.Text("callID"), Action: events.OtherTool}
	h.Tool = t
	if h.Native == "todo.updated" {
		p.Drop("todos")
		t.Name = "todowrite"
		agents.SetTodos(t, p.From.Get("todos"), "content")
		return nil
	}
	in, meta := agents.Members{From: p.From.Get("args")}, agents.Members{From: p.From.Get("metadata")}
	setFailure(t, h.Native, p)
	switch t.Name {
	case "bash":
		if agents.IsJournalCommand(in.From.Get("command")) {
			break
		}
		t.Action, t.Command = events.RunCommand, in.Text("command")
		if t.Refused {
			break
		}
		t.About, t.Output = in.Text("description"), p.Text("output")
		if exit := meta.Number("exit"); exit != 0 {
			agents.SetExit(t, int(exit))
		} else if !t.Failed {
			t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		}
	case "read":
		agents.SetFile(h.Tool, h.Cwd, events.ReadFile, &in)
		p.Drop("output") // content of the file
	case "write":
		agents.SetFile(h.Tool, h.Cwd, events.WriteFile, &in)
		in.Drop("content")
	case "edit", "multiedit", "patch":
		agents.SetFile(h.Tool, h.Cwd, events.EditFile, &in)
	case "grep", "glob":
		t.Query = in.From.Get("pattern").Str()
	case "invalid": // the client puts it in place of a call of an unknown tool, or with wrong arguments
		t.Failed, t.Aborted = true, false
		t.Error = strings.TrimPrefix(in.Text("tool")+": "+cmp.Or(in.Text("error"), p.Text("output")), ": ")
	case "task":
		if lane := meta.From.Get("sessionId").Str(); lane != "" && !t.Failed {
			t.Action, t.Task, t.Lane = events.RunAgent, in.Text("prompt"), lane
		}
	}
	if !t.Failed {
		readAnswers(t, &in, &meta, p)
	}
	if t.Action != events.RunAgent {
		p.DropText("tool")
	}
	p.Drop("args", "metadata")
	return append(agents.RestMember("args", in.Rest()), agents.RestMember("metadata", meta.Rest())...)
}

// PlanApproved is the beginning of the text for the model when the person approved its plan.
const PlanApproved = "User approved switching to build agent"

// readAnswers reads the person's answers, or the plan that the person approved. The metadata has one list of texts for each question.
// If it has none, the answers come from the text for the model.
func readAnswers(t *events.ToolCall, in, meta *agents.Members, p *agents.Payload) {
	text := p.From.Get("output").Str()
	switch t.Name {
	case "question":
		questions := in.From.Get("questions")
		answers := slices.Collect(meta.From.Get("answers").Items())
		agents.SetAnswers(t, questions, func(i int, q payload.Value) string {
			if i < len(answers) {
				answer, _ := agents.Chosen(answers[i])
				return answer
			}
			answer := agents.AnswerIn(text, q.Get("question").Str(), questions)
			if answer == unanswered {
				return ""
			}
			return answer
		})
		if t.Answers != nil {
			meta.Drop("answers")
			p.Drop("output")
		}
	case "plan_exit":
		if !strings.HasPrefix(text, PlanApproved) {
			return
		}
		t.Plan = cmp.Or(in.From.Get("plan").Str(), meta.From.Get("plan").Str())
		t.File = cmp.Or(in.From.Get("path").Str(), meta.From.Get("path").Str())
		if t.Plan == "" {
			t.Plan = agents.PlanIn(t.File, p.Env)
		}
		if cmp.Or(t.Plan, t.File) != "" {
			t.Action = events.OfferPlan
		}
	}
}

// unanswered marks a question without an answer in the text for the model.
const unanswered = "Unanswered"

// setFailure records that a call failed, and that the person refused or stopped it. native is the name of the hook.
func setFailure(t *events.ToolCall, native string, p *agents.Payload) {
	if native != "tool.error" {
		return
	}
	t.Failed, t.Error = true, p.Text("error")
	began, _ := p.From.Path("time", "start").Int()
	end, _ := p.From.Path("time", "end").Int()
	t.Millis = max(0, end-began)
	if began > 0 {
		p.Drop("time")
	}
	t.Aborted = t.Name != "bash" && strings.HasPrefix(t.Error, Aborted) // an aborted command may have had an effect
	for _, begin := range refusals {
		if strings.HasPrefix(t.Error, begin) {
			t.Refused = true
			_, t.Words, _ = strings.Cut(t.Error, feedbackMark)
		}
	}
}

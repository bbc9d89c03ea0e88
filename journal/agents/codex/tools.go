package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// toolCall reads the tool call of a hook. It returns the parts of the call's input and response that no event has. The
// client reports no exit code, and nothing at all about a call that was denied or could not start.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool_name").Str(), Use: p.Text("tool_use_id"), Action: events.OtherTool}
	h.Tool = t
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_response")}
	if h.Kind == events.ToolStart { // its event has name and id
		p.Text("tool_name")
		return nil
	}
	response := out.From.Str()
	answered := false // the event has the response
	switch t.Name {
	case "Bash":
		if agents.IsJournalCommand(in.From.Get("command")) {
			break // it reported something to the journal
		}
		t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
		t.Output, answered = response, true
		t.Mark = redact.Text(p.Output[0].MarkWithoutCode(t.Command))
	case "apply_patch":
		exit, text, known := patched(response)
		if t.Failed, t.Exit = known && exit != 0, exit; t.Failed {
			t.Error, answered = text, true
			break
		}
		patch := in.From.Get("command").Str()
		if t.Action, t.Paths = pathsOf(patch, h.Cwd); t.Action == events.OtherTool {
			break
		}
		t.Replaced = replaced(patch, h.Cwd)
		answered = known
	case "update_plan":
		t.Action = events.WriteTodos
		for step := range in.From.Get("plan").Items() {
			if text := step.Get("step").Str(); text != "" {
				t.Todos = append(t.Todos, events.Todo{Text: text, Status: cmp.Or(step.Get("status").Str(), "pending")})
			}
		}
		in.Drop("plan")
		answered = response == "Plan updated"
	case proposedPlan:
		t.Action, t.Plan = events.OfferPlan, in.Text("plan")
	case "request_user_input":
		answered = answersOf(t, in.From.Get("questions"), out.From)
	case "spawn_agent":
		var result struct {
			Agent string `json:"agent_id"`
		}
		if json.Unmarshal([]byte(response), &result) == nil && result.Agent != "" && in.From.Get("message").Str() != "" {
			t.Action, t.Task, t.Lane, t.Background = events.RunAgent, in.Text("message"), result.Agent, result.Agent
		}
	}
	if t.Action != events.RunAgent { // its event has no name of the tool
		p.Text("tool_name")
	}
	p.Drop("tool_input", "tool_response")
	members := agents.RestMember("tool_input", in.Rest())
	if !answered {
		members = append(members, agents.RestMember("tool_response", out.Rest())...)
	}
	return members
}

// proposedPlan is the tag around a plan in the agent's words, and stands for the call that approved it: the client has
// none.
const proposedPlan = "proposed_plan"

// noteMark begins what the person wrote to a question, among the chosen answers.
const noteMark = "user_note: "

// answersOf reads what the person chose or wrote: the response names the answers by the questions' ids. It reports
// whether the event has all of the response.
func answersOf(t *events.ToolCall, questions, response payload.Value) bool {
	b := response.JSON()
	if s := response.Str(); s != "" {
		b = []byte(s)
	}
	var all struct {
		Answers map[string]struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if json.Unmarshal(b, &all) != nil {
		return false // nobody answered
	}
	agents.SetAnswers(t, questions, func(_ int, q payload.Value) string {
		var chosen, notes []string
		for _, answer := range all.Answers[q.Get("id").Str()].Answers {
			note, ok := strings.CutPrefix(answer, noteMark)
			switch {
			case !ok && answer != "":
				chosen = append(chosen, answer)
			case ok && strings.TrimSpace(note) != "":
				notes = append(notes, note)
			}
		}
		if len(chosen) == 0 || len(notes) == 0 {
			return strings.Join(append(chosen, notes...), ", ")
		}
		return strings.Join(chosen, ", ") + " (" + strings.Join(notes, ", ") + ")"
	})
	return len(t.Answers) > 0 && len(t.Answers) == len(all.Answers)
}

// patched reads the client's report of a patch: "Exit code: 0", lines about the run, "Output:", and the output.
func patched(response string) (exit int, output string, ok bool) {
	rest, ok := strings.CutPrefix(response, "Exit code: ")
	if !ok {
		return 0, response, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	exit, err := strconv.Atoi(line)
	_, output, _ = strings.Cut(rest, "\nOutput:\n")
	return exit, output, err == nil
}

// The lines of a patch that name a file.
const (
	adds, updates, deletes, moves = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
)

// pathsOf lists the files that a patch leaves changed, in order, below cwd, and the action on them: a write if all are
// new, else an edit. Deleted files are not listed.
func pathsOf(patch, cwd string) (action events.Action, paths []string) {
	action = events.WriteFile
	put := func(path string) {
		if path = below(cwd, path); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if path, ok := strings.CutPrefix(line, adds); ok {
			put(path)
		} else if path, ok := strings.CutPrefix(line, updates); ok {
			action = events.EditFile
			put(path)
		} else if path, ok := strings.CutPrefix(line, moves); ok && len(paths) > 0 {
			paths = paths[:len(paths)-1]
			put(path)
		} else if strings.HasPrefix(line, deletes) {
			action = events.EditFile
		}
	}
	if paths == nil {
		return events.OtherTool, nil
	}
	return action, paths
}

func below(cwd, path string) string { return agents.Below(cwd, strings.TrimSpace(path)) }

// replaced lists what a patch replaced in updated files, one entry per hunk.
func replaced(patch, cwd string) (all []events.Replaced) {
	var r events.Replaced
	take := func() {
		if r.Old != r.New {
			all = append(all, r)
		}
		r.Old, r.New = "", ""
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "*** "):
			take()
			r.Path = ""
			if path, ok := strings.CutPrefix(line, updates); ok {
				r.Path = below(cwd, path)
			}
		case r.Path == "":
		case strings.HasPrefix(line, "@@"):
			take()
		case strings.HasPrefix(line, "-"):
			r.Old += line[1:]
		case strings.HasPrefix(line, "+"):
			r.New += line[1:]
		default:
			r.Old += strings.TrimPrefix(line, " ")
			r.New += strings.TrimPrefix(line, " ")
		}
	}
	take()
	return all
}

package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// toolCall reads the tool call of a hook. It returns the parts of the call's input and response that no event has. This client's hooks do
// not report the exit code of a command, nor a call that was denied or could not start.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool_name").Str(), Use: p.Text("tool_use_id"), Action: events.OtherTool}
	h.Tool = t
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_response")}
	if h.Kind == events.ToolStart { // the event of a start has only name and id
		p.DropText("tool_name")
		return nil
	}
	response := out.From.Str()
	answered := false // the event has the response
	switch t.Name {
	case "Bash":
		answered = shellCall(h, p, &in, response)
	case "apply_patch":
		exit, text, known := patchResult(response)
		t.Failed, t.Exit = known && exit != 0, exit
		if t.Failed {
			t.Error, answered = text, true
			break
		}
		patch := in.From.Get("command").Str()
		t.Action, t.Paths, t.Replaced = changesOf(patch, h.Cwd)
		answered = known && t.Paths != nil
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
	if t.Action != events.RunAgent { // the event of a subagent has no tool's name, so the name stays in the rest
		p.DropText("tool_name")
	}
	p.Drop("tool_input", "tool_response")
	members := agents.RestMember("tool_input", in.Rest())
	if !answered {
		members = append(members, agents.RestMember("tool_response", out.Rest())...)
	}
	return members
}

// shellCall reads the call of a command. It returns true if the event has the response.
func shellCall(h *events.Hook, p *agents.Payload, in *agents.Members, response string) (answered bool) {
	t, command := h.Tool, in.From.Get("command")
	if agents.IsJournalCommand(command) {
		return false
	}
	line := command.Str()
	if command.Kind() == payload.Array {
		line = commandOf(command.JSON())
	}
	if patch, dir := patchIn(line, h.Cwd); patch != "" && strings.HasPrefix(response, patched) {
		t.Action, t.Paths, t.Replaced = changesOf(patch, dir)
	}
	if t.Paths == nil {
		in.Drop("command")
		t.Action, t.Command, t.About, t.Output = events.RunCommand, line, in.Text("description"), response
		t.Mark = redact.Text(p.Output[0].MarkWithoutCode(t.Command))
	}
	return true
}

// proposedPlan is the tag around a plan in the agent's words. It is also the name that journal gives the tool in the step of an approved
// plan: the client has no tool for plans.
const proposedPlan = "proposed_plan"

// noteMark is the beginning of a text that the person wrote, in the list of the answers that the person chose.
const noteMark = "user_note: "

// answersOf reads the person's answers from a response, which has them by the ids of the questions. The result is true if the event has
// all of them.
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

// patchResult parses the client's report of a patch: "Exit code: 0", lines about the run, "Output:", and the output. ok is false if the
// response is not such a report.
func patchResult(response string) (exit int, output string, ok bool) {
	rest, ok := strings.CutPrefix(response, "Exit code: ")
	if !ok {
		return 0, response, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	exit, err := strconv.Atoi(line)
	_, output, _ = strings.Cut(rest, "\nOutput:\n")
	return exit, output, err == nil
}

// patched begins the output of a patch that changed files.
const patched = "Success. Updated the following files:"

// patchCommand matches a command that only applies a patch, perhaps in another directory. Some models apply patches in the shell, where
// the client intercepts them.
var patchCommand = text.Pattern(`(?s)^\s*(?:cd ("[^"]+"|'[^']+'|\S+) && )?apply_?patch\s.*?(\*\*\* Begin Patch\n.*\n\*\*\* End Patch)\s*\S*\s*$`)

// patchIn returns the patch that a command applies, and the directory of relative paths in it. The patch is "" if the command does
// something else. cwd is the directory of the command.
func patchIn(command, cwd string) (patch, dir string) {
	found := patchCommand().FindStringSubmatch(command)
	if found == nil {
		return "", cwd
	}
	if to := strings.Trim(found[1], `"'`); to != "" {
		cwd = agents.Resolve(cwd, to)
	}
	return found[2], cwd
}

// Beginnings of the lines of a patch that name a file.
const (
	addMark    = "*** Add File: "
	updateMark = "*** Update File: "
	deleteMark = "*** Delete File: "
	moveMark   = "*** Move to: "
)

// changesOf returns the files that a patch adds or changes, in order, a moved file by its new path, and the texts that the patch replaced
// in updated files, one entry for each hunk that changes the text. cwd is the directory of relative paths. The action is WriteFile if the
// patch only adds files, OtherTool if it adds and changes none, else EditFile.
func changesOf(patch, cwd string) (action events.Action, paths []string, replaced []events.Replaced) {
	action = events.WriteFile
	var r events.Replaced // the current hunk; its path is "" outside of updated files
	endHunk := func() {
		if r.Old != r.New {
			replaced = append(replaced, r)
		}
		r.Old, r.New = "", ""
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "*** "):
			endHunk()
			mark, path, _ := strings.Cut(line, ": ")
			path = agents.Resolve(cwd, strings.TrimSpace(path))
			switch mark += ": "; {
			case mark == updateMark:
				action, r.Path = events.EditFile, path
			case mark == moveMark && r.Path != "":
				paths = slices.DeleteFunc(paths, func(p string) bool { return p == r.Path })
				r.Path = path
			case mark == deleteMark:
				action = events.EditFile
				fallthrough
			default:
				r.Path = ""
			}
			if (r.Path != "" || mark == addMark) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		case r.Path == "":
		case strings.HasPrefix(line, "@@"):
			endHunk()
		case strings.HasPrefix(line, "-"):
			r.Old += line[1:]
		case strings.HasPrefix(line, "+"):
			r.New += line[1:]
		default:
			r.Old += strings.TrimPrefix(line, " ")
			r.New += strings.TrimPrefix(line, " ")
		}
	}
	endHunk()
	if paths == nil {
		action = events.OtherTool
	}
	return action, paths, replaced
}

package claude

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"journal/journal/agents"
	"journal/journal/agents/transcript"
)

// user handles a row in the person's name. It may have several results of tools, and texts of the person or of the client.
func (r *reader) user(t *thread, row row) {
	parts := partsOf(messageFields.read(row.message).content)
	results := 0
	for _, p := range parts {
		if p.kind == "tool_result" {
			results++
		}
	}
	var texts []string
	for _, p := range parts {
		switch p.kind {
		case "tool_result":
			r.result(t, row, p, results == 1)
		case "text":
			texts = append(texts, p.text)
		}
	}
	if row.meta {
		return
	}
	if i := slices.IndexFunc(texts, func(text string) bool { return begins(text, []string{interruption}) }); i >= 0 {
		if !t.answer.done {
			t.answer = lastAnswer{} // no hook reports the end of such a turn
		}
		r.interrupt(t, row, texts[i])
	}
	if t.lane == "" {
		r.shell(t, row, strings.Join(texts, "\n"))
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return hookPrompt(text) == "" })
	switch text := strings.Join(texts, "\n"); {
	case strings.HasPrefix(strings.TrimSpace(text), "<command-name>"):
		r.command(t, row, text)
	case text != "":
		r.queue.delivered(text)
		if results > 0 { // the person wrote it when approving a call
			row.within = true
			r.reportQueued(t, row, text, "")
			return
		}
		r.prompt(t, row, hookPrompt(text))
	}
}

// hookPrompt returns the prompt that a hook would report for a text in the person's name. It returns notices and slash commands
// unchanged, and "" for other texts that nobody typed.
func hookPrompt(text string) string {
	typed, person := asTyped(text)
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "<command-name>"), isNotice(text):
		return text
	case !person:
		return ""
	}
	return typed
}

// prompt reports a prompt of the main lane, and returns the step as addHookStep does. It ignores prompts of subagents: the call in the
// main lane reports the task.
func (r *reader) prompt(t *thread, row row, text string) *transcript.Step {
	if t.lane != "" || strings.TrimSpace(text) == "" {
		return nil
	}
	if row.prompt == "" || row.prompt != t.turn {
		r.endTurn(t)
		t.turn = row.prompt
	}
	byMachine := row.machine() || agents.ByMachine(text)
	if !isNotice(text) && !byMachine { // other prompts may arrive while a command runs
		r.reportKilled(t)
		r.begin(t)
		r.addPrompt(t, row, text)
	}
	r.Words = r.Words.Asked(row.uuid, t.turn)
	s := r.addHookStep(t, row, "UserPromptSubmit", "", map[string]any{"prompt": text})
	if s != nil && byMachine {
		s.Report.Hook.Machine, s.Sure = true, false
	}
	return s
}

// command handles a slash command. Of the client's own commands hooks report only the effect on the session. Newer clients write these
// in rows of their own, not in the person's name.
func (r *reader) command(t *thread, row row, text string) {
	if t.lane != "" {
		return
	}
	typed, _ := asTyped(text)
	switch name, words, _ := strings.Cut(typed, " "); name {
	case "/goal":
		if words == "" || slices.Contains(goalEnds, words) {
			return
		}
		if s := r.prompt(t, row, typed); s != nil {
			s.Sure = false
		}
	case "/clear":
		if r.began && r.start.uuid != "" {
			r.source = "clear" // in the first rows of the new session's file
		}
	case "/exit", "/quit":
		r.endTurn(t)
		r.addHookStep(t, row, "SessionEnd", "", map[string]any{"reason": "prompt_input_exit"})
		r.start, r.source = row.head(), "resume" // the start of the resumed session, if any row follows
	default:
		if row.kind == "user" { // a command that the person defined becomes a prompt
			r.begin(t)
			r.addPrompt(t, row, typed)
		}
	}
}

// goalEnds lists the words after /goal that end a goal. Other words are the goal, which the client sends to the model.
var goalEnds = []string{"clear", "stop", "off", "reset", "none", "cancel"}

// lostCall is the beginning of the result that a client writes when it resumes a session, for a call that ran when the client was killed.
const lostCall = "[Tool call interrupted: the session ended"

// reportKilled reports the commands of a thread that have no result as failed. It is called after another prompt of the person or a new
// start of the client: the client was killed while the commands ran. A nil thread means all threads.
func (r *reader) reportKilled(t *thread) {
	for _, c := range r.uses.TakeAll() {
		if t != nil && c.thread != t {
			r.uses.Put(c.id, c)
			continue
		}
		r.reportKilledCall(c)
	}
}

// reportKilledCall reports a call as failed if it is a command: the client was killed while the command ran. The id of the step derives
// from the call's row.
func (r *reader) reportKilledCall(c call) {
	if !c.runs() {
		return
	}
	members := c.members()
	members["tool_response"] = map[string]bool{"interrupted": true}
	if s := r.addStep(c.thread, c.row, "PostToolUse", c.id, members); s != nil {
		s.Sure, s.Unhooked, s.Report.Hook.Tool.Error = false, true, "interrupted: the client ended while it ran"
	}
}

// result reports a tool call with its result p, a part of a row. alone is set if the row has no other result: then the row's
// toolUseResult is that of the call.
func (r *reader) result(t *thread, row row, p part, alone bool) {
	call, known := r.uses.Take(p.use)
	if !known {
		return
	}
	if p.failed && strings.HasPrefix(resultText(p), lostCall) {
		r.reportKilledCall(call)
		return
	}
	r.keepResult(t, call, p)
	members := call.members()
	if p.failed {
		text := resultText(p)
		inner, unhooked := strings.CutPrefix(text, "<tool_use_error>") // the call did not run
		if unhooked {
			text = strings.TrimSuffix(inner, "</tool_use_error>")
		}
		unhooked = unhooked && !isVoid(text)
		members["error"] = text
		_, refused := refusalOf(text)
		refused = refused && (row.beforeRun || row.denied == "permission-rule") // an editor's dialog is such a rule
		if row.denied != "" && !refused {
			// A rule or a check of the client stopped the call, or the person interrupted it.
			members["is_interrupt"] = true
			unhooked = unhooked || row.denied == "user-rejected" && call.runs()
		}
		if s := r.addHookStep(t, row, "PostToolUseFailure", p.use, members); s != nil {
			s.Unhooked = unhooked
		}
		return
	}
	response := json.RawMessage(p.result)
	switch {
	case alone && len(row.result) > 0 && (call.name != "ExitPlanMode" || textIn(row.result, "plan") != ""):
		response = row.result
	case call.name == "ExitPlanMode", call.name == "AskUserQuestion", call.runs(), len(response) == 0:
		response, _ = json.Marshal(resultText(p)) // the text for the model; strings always encode
	}
	members["tool_response"] = response
	if isShell(call.name) && response[0] == '"' { // as in some rows and old clients
		members["tool_response"] = map[string]any{"stdout": response}
	}
	r.addHookStep(t, row, "PostToolUse", p.use, members)
}

// members returns the members of a hook's payload about the call.
func (c call) members() map[string]any {
	return map[string]any{"tool_name": c.name, "tool_use_id": c.id, "tool_input": json.RawMessage(cmp.Or(string(c.input), "{}"))}
}

package claude

import (
	"bytes"
	"slices"
	"strings"

	"journal/journal/agents"
	"journal/journal/agents/transcript"
)

// user handles a row in a person's name: tool results, what the person wrote, or what the client wrote for them. One
// row can have several of these.
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
			texts = append(texts, transcript.Unquote(p.text))
		}
	}
	if row.meta {
		return
	}
	if i := slices.IndexFunc(texts, func(text string) bool { return begins(text, []string{interruption}) }); i >= 0 {
		if !t.answer.done {
			t.answer = lastWords{} // no hook reports the end of such a turn
		}
		r.interrupt(t, row, texts[i])
	}
	if t.lane == "" {
		r.shell(t, row, strings.Join(texts, "\n"))
	}
	// Texts that the client added are not the person's.
	texts = slices.DeleteFunc(texts, func(text string) bool { return hookPrompt(text) == "" })
	switch text := strings.Join(texts, "\n"); {
	case strings.HasPrefix(strings.TrimSpace(text), "<command-name>"):
		r.command(t, row, text)
	case text != "":
		r.queue.arrives(text)
		if results > 0 { // said with the approval of a call
			row.within = true
			r.queued(t, row, text, "")
			return
		}
		r.prompt(t, row, hookPrompt(text))
	}
}

// hookPrompt returns what hooks would report as a prompt for a text in a person's name: what a person typed, and
// notices of ended tasks; empty for anything else that nobody typed.
func hookPrompt(text string) string {
	typed, person := Typed(text)
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "<command-name>"), IsNotice(text):
		return text
	case !person:
		return ""
	}
	return typed
}

// prompt reports a prompt. A subagent's first one is its task: no hook reports that, but the call that gave it does.
func (r *reader) prompt(t *thread, row row, text string) {
	if t.lane != "" || strings.TrimSpace(text) == "" {
		return
	}
	if len(row.prompt) == 0 || !bytes.Equal(row.prompt, t.turn) {
		r.endTurn(t)
		t.turn = bytes.Clone(row.prompt)
	}
	byMachine := row.machine() || agents.ByMachine(text)
	if !IsNotice(text) && !byMachine { // a task may end while a command runs
		r.cut(t)
		r.begin(t)
		r.branch(t, row, text)
	}
	r.Words = transcript.Words{Row: row.uuid, Turn: transcript.Unquote(t.turn)}
	if s := r.addHookStep(t, row, "UserPromptSubmit", "", member{"prompt", quote(text)}); s != nil && byMachine {
		s.Report.Hook.Machine, s.Sure = true, false
	}
}

// command handles a command of the client itself. Hooks do not report it as a prompt, only its effect on the session.
func (r *reader) command(t *thread, row row, text string) {
	if t.lane != "" {
		return
	}
	typed, _ := Typed(text)
	switch name, _, _ := strings.Cut(typed, " "); name {
	case "/clear":
		if r.began && r.start.uuid != "" {
			r.source = "clear" // the first rows of the new session's file
		}
	case "/exit", "/quit":
		r.endTurn(t)
		r.addHookStep(t, row, "SessionEnd", "", member{"reason", []byte(`"prompt_input_exit"`)})
		r.start, r.source = row.head(), "resume" // if anything follows
	default:
		r.begin(t)
		r.branch(t, row, typed) // one of the person's own goes to the model, and hooks report it
	}
}

// lostCall begins the result that a client resuming the session writes for a call that ran when the client was killed.
const lostCall = "[Tool call interrupted: the session ended"

// cut reports the commands of a thread without a result although the person has gone on: the client was killed while
// they ran. A nil thread means all threads.
func (r *reader) cut(t *thread) {
	for _, c := range r.uses.Rest() {
		if t != nil && c.of != t {
			r.uses.Put(c.id, c)
			continue
		}
		r.killed(c)
	}
}

// killed reports a command that ran when the client was killed, as a step of the call's own row.
func (r *reader) killed(c call) {
	if !c.runs() {
		return
	}
	s := r.addStep(c.of, c.row, "PostToolUse", c.id, member{"tool_name", c.name}, member{"tool_use_id", quote(c.id)}, member{"tool_input", c.input},
		member{"tool_response", []byte(`{"interrupted":true}`)})
	if s != nil {
		s.Sure, s.Unhooked, s.Report.Hook.Tool.Error = false, true, "interrupted: the client ended while it ran"
	}
}

// result reports a tool call with its result. The row's own record of the result is about one call.
func (r *reader) result(t *thread, row row, p part, alone bool) {
	call, known := r.uses.Take(p.use)
	if !known {
		return
	}
	if p.failed && strings.HasPrefix(resultText(p), lostCall) {
		r.killed(call)
		return
	}
	r.keepResult(t, call, p)
	in := call.input
	if len(in) == 0 {
		in = []byte("{}")
	}
	about := []member{{"tool_name", call.name}, {"tool_use_id", quote(p.use)}, {"tool_input", in}}
	if p.failed {
		text := resultText(p)
		inner, unhooked := strings.CutPrefix(text, "<tool_use_error>") // before it ran
		if unhooked {
			text = strings.TrimSuffix(inner, "</tool_use_error>")
		}
		unhooked = unhooked && !isVoid(text)
		about = append(about, member{"error", quote(text)})
		_, refused := refusalOf(text)
		refused = refused && (row.beforeRun || row.denied == "permission-rule") // the latter by the editor's dialog
		if row.denied != "" && !refused {
			// A rule or a check stopped it, or the person interrupted it; the person's words about a refused call are
			// in the text.
			about = append(about, member{"is_interrupt", []byte("true")})
			unhooked = unhooked || row.denied == "user-rejected" && call.runs()
		}
		if s := r.addHookStep(t, row, "PostToolUseFailure", p.use, about...); s != nil {
			s.Unhooked = unhooked
		}
		return
	}
	response := p.result
	switch name := string(call.name); {
	case alone && len(row.result) > 0 && (name != `"ExitPlanMode"` || len(get(row.result, "plan")) > len("null")):
		response = row.result
	case name == `"ExitPlanMode"`, name == `"AskUserQuestion"`, call.runs(), len(response) == 0:
		response = quote(resultText(p)) // what the model was shown
	}
	if response[0] == '"' && isShell(transcript.Unquote(call.name)) { // as in some rows and old clients
		response = append(append([]byte(`{"stdout":`), response...), '}')
	}
	r.addHookStep(t, row, "PostToolUse", p.use, append(about, member{"tool_response", response})...)
}

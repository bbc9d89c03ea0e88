package transcript

import (
	"bytes"
	"strings"

	"journal/journal/transcript/jsonl"
)

// callsKept bounds the tool calls whose results are due. A result follows its call
// within an answer; a call that was interrupted has none.
const callsKept = 512

// calls are the tool calls without a result yet, oldest first.
type calls struct {
	byID  map[string]part
	order []string
}

func (c *calls) put(p part) {
	if c.byID == nil {
		c.byID = map[string]part{}
	}
	if len(c.order) == callsKept {
		delete(c.byID, c.order[0])
		c.order = c.order[1:]
	}
	// The row's memory is reused by the next one.
	p.name, p.input = bytes.Clone(p.name), bytes.Clone(p.input)
	c.byID[p.id] = p
	c.order = append(c.order, p.id)
}

func (c *calls) take(id string) (part, bool) {
	p, ok := c.byID[id]
	delete(c.byID, id)
	return p, ok
}

// user takes a row in a person's name: results of tools, what the person wrote, or
// what the client wrote for them. One row can be several of these.
func (r *Reader) user(t *thread, one row) {
	parts := partsOf(messageOf(one.message).content)
	results, texts := 0, 0
	for _, p := range parts {
		switch p.kind {
		case "tool_result":
			results++
		case "text":
			texts++
		}
	}
	for _, p := range parts {
		if p.kind == "tool_result" {
			r.result(t, one, p, results == 1)
		}
	}
	if one.meta || texts == 0 {
		return
	}
	said := textJSON(parts)
	text := strings.TrimSpace(jsonl.Unquote(said))
	switch {
	case strings.HasPrefix(text, "[Request interrupted by user"):
		if !t.answer.done {
			t.answer = answer{} // no hook tells the end of such a turn
		}
	case strings.HasPrefix(text, "<command-name>"):
		r.command(t, one, text)
	case strings.HasPrefix(text, "<command-message>"):
		if prompt := slashCommand(text); prompt != "" {
			r.prompt(t, one, quote(prompt))
		}
	case nobodys(text):
	default:
		r.prompt(t, one, said)
	}
}

// prompt tells a prompt. The first of a subagent is its task: hooks do not tell it,
// the call that gave it does.
func (r *Reader) prompt(t *thread, one row, said []byte) {
	if t.lane != "" || len(said) <= 2 {
		return
	}
	if len(one.prompt) == 0 || !bytes.Equal(one.prompt, t.turn) {
		r.endTurn(t)
		t.turn = bytes.Clone(one.prompt)
	}
	r.say(t, one, "UserPromptSubmit", "", member{"prompt", said})
}

// command takes a command of the client itself. Hooks tell it as no prompt; what it
// does to the session they do tell.
func (r *Reader) command(t *thread, one row, text string) {
	if t.lane != "" {
		return
	}
	switch tag(text, "command-name") {
	case "/clear":
		if r.began && r.start.uuid != "" {
			r.source = "clear" // the first rows of the new session's file
		}
	case "/exit", "/quit":
		r.endTurn(t)
		r.say(t, one, "SessionEnd", "", member{"reason", []byte(`"prompt_input_exit"`)})
		r.start, r.source = one.head(), "resume" // if anything follows
	}
}

// slashCommand gives what the person typed for a command that is a prompt: custom
// commands and skills, which name their message first.
func slashCommand(text string) string {
	name := tag(text, "command-name")
	if !strings.HasPrefix(name, "/") {
		return ""
	}
	return strings.TrimSpace(name + " " + tag(text, "command-args"))
}

func tag(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	value, _, closed := strings.Cut(rest, "</"+name+">")
	if !ok || !closed {
		return ""
	}
	return strings.TrimSpace(value)
}

// nobodys says whether nobody typed a text: shell commands of the person, which are
// no prompts, and the output of commands (docs/CLIENTS.md §3, §4).
func nobodys(text string) bool {
	for _, begin := range []string{"<local-command-", "<bash-", "Caveat: The messages below"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return text == ""
}

// result tells a tool call with what came of it. The row's own record of the result
// is of one call.
func (r *Reader) result(t *thread, one row, p part, alone bool) {
	call, known := r.uses.take(p.use)
	if !known {
		return
	}
	in := call.input
	if len(in) == 0 {
		in = []byte("{}")
	}
	about := []member{{"tool_name", call.name}, {"tool_use_id", quote(p.use)}, {"tool_input", in}}
	if p.failed {
		text := saidOf(p)
		if inner := tag(text, "tool_use_error"); inner != "" {
			text = inner
		}
		r.say(t, one, "PostToolUseFailure", p.use, append(about, member{"error", quote(text)})...)
		return
	}
	response := p.said
	if alone && len(one.result) > 0 {
		response = one.result
	}
	if len(response) == 0 {
		response = []byte(`""`)
	}
	if response[0] == '"' && string(call.name) == `"Bash"` { // as some rows and old clients have it
		response = append(append([]byte(`{"stdout":`), response...), '}')
	}
	r.say(t, one, "PostToolUse", p.use, append(about, member{"tool_response", response})...)
}

// attachment takes a prompt that was typed while a turn ran. The other attachments
// are the client's, and of our recovery text the owner makes the receipt
// (ADR-0010 rule 4).
func (r *Reader) attachment(t *thread, one row) {
	if jsonl.Unquote(get(one.attachment, "type")) != "queued_command" {
		return
	}
	said := get(one.attachment, "prompt")
	if len(said) > 0 && said[0] == '[' {
		said = textJSON(partsOf(said))
	}
	if len(said) > 0 && said[0] == '"' && !nobodys(strings.TrimSpace(jsonl.Unquote(said))) {
		one.prompt = t.turn
		r.prompt(t, one, said)
	}
}

package claude

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// thread holds the state of one lane of a session: the main lane, or a subagent.
type thread struct {
	lane   string // the subagent, "" for the main lane
	kind   string // type of a subagent
	turn   string // prompt_id of the running turn
	answer lastAnswer
	// counted is the id of the newest message whose usage was reported. The rows of one answer repeat the usage (docs/CLIENTS.md §10).
	counted string
	called  string // id of the newest message with calls
	due     []byte // metadata of a compaction whose summary was not read yet, JSON; nil if there is no such compaction
	ended   bool   // the end of the subagent was reported
	aside   bool   // the client started the subagent for itself: nothing of it is reported
}

// lastAnswer holds the newest words of the model since the newest prompt or tool call.
type lastAnswer struct {
	row  row    // the newest row with the words
	id   string // id of the message
	text string // the words, "" if there are none
	done bool   // the message ends the turn
}

// thread returns the thread of a row. For the first row of a lane it adds the thread, and reports the start of a subagent. Clients before
// 2.0 store rows of subagents among those of the main lane, without the subagent's name: then the uuid of the first row of the chain is the
// lane.
func (r *reader) thread(row row) *thread {
	lane := ""
	if row.sidechain {
		lane = row.agent
		if lane == "" {
			lane = cmp.Or(r.chains[row.parent], row.uuid)
			r.chains[row.uuid] = lane
		}
	}
	t := r.threads[lane]
	if t == nil {
		t = &thread{lane: lane}
		r.threads[lane] = t
		r.order = append(r.order, t)
		if t.aside = row.aside(); lane != "" && !t.aside {
			r.startSubagent(t, row)
		}
	}
	return t
}

// asides lists beginnings of the names of subagents that the client starts for itself: to summarise the conversation, to suggest a prompt,
// and to answer a question beside the work. Their transcripts repeat the rows of the conversation.
var asides = []string{"acompact-", "aprompt_suggestion-", "aside_question-"}

// aside reports whether the first row of a thread is that of a subagent that the client started for itself. Clients of 2.0 also start some
// to warm up.
func (r row) aside() bool {
	return r.sidechain && (begins(r.agent, asides) || textOf(partsOf(messageFields.read(r.message).content)) == "Warmup")
}

// startSubagent reports the start of a subagent. Without a known type the type is "unknown": an empty one would mean the summariser of a
// compaction (docs/CLIENTS.md §3).
func (r *reader) startSubagent(t *thread, row row) {
	task := textOf(partsOf(messageFields.read(row.message).content))
	t.kind = cmp.Or(r.types[sha256.Sum256([]byte(task))], "unknown")
	r.addHookStep(t, row, "SubagentStart", "", map[string]any{"agent_type": t.kind})
}

// endSubagent reports the end of a subagent with its newest words.
func (r *reader) endSubagent(t *thread) {
	if t.answer.text == "" || t.ended {
		return
	}
	t.ended = true
	r.addHookStep(t, t.answer.row, "SubagentStop", "", map[string]any{"agent_type": t.kind, "last_assistant_message": t.answer.text})
}

// endTurn reports the end of the main lane's turn with the model's newest words.
func (r *reader) endTurn(t *thread) {
	if t.lane != "" || t.answer.text == "" {
		return
	}
	a := t.answer
	t.answer = lastAnswer{}
	r.addHookStep(t, a.row, "Stop", "", map[string]any{"last_assistant_message": a.text})
}

// boundary handles the row that begins a compacted context. It reports the compaction, but not its summary.
func (r *reader) boundary(t *thread, row row) {
	r.endTurn(t)
	r.Compactions++
	t.due = bytes.Clone(row.compact)
	if t.due == nil {
		t.due = []byte("{}")
	}
	if tokens := number(get(row.compact, "preTokens")); tokens > 0 {
		r.sample(t, row, tokens, "", "before")
	}
	r.addHookStep(t, row, "PreCompact", "", map[string]any{"trigger": textIn(row.compact, "trigger")})
	r.addHookStep(t, row, "SessionStart", "compact", map[string]any{"source": "compact"})
}

// reportSummary reports the summary of a compaction.
func (r *reader) reportSummary(t *thread, row row) {
	if t.due == nil { // clients before 2.0 write no boundary
		r.boundary(t, row)
	}
	r.addHookStep(t, row, "PostCompact", "", map[string]any{
		"trigger": textIn(t.due, "trigger"), "compact_summary": textOf(partsOf(messageFields.read(row.message).content)),
		"compact_metadata": json.RawMessage(t.due), // such as the kept rows and the size of the context: it stays in the rest
	})
	t.due = nil
}

// assistant handles a message of the model.
func (r *reader) assistant(t *thread, row row) {
	m := messageFields.read(row.message)
	parts := partsOf(m.content)
	if row.apiError {
		t.answer = lastAnswer{}
		r.addHookStep(t, row, "StopFailure", "", map[string]any{"error": cmp.Or(row.apiKind, "unknown"), "error_details": textOf(parts)})
		return
	}
	if m.model == syntheticModel {
		return // the client wrote it
	}
	if m.tokens() > 0 && t.lane == "" && m.id != t.counted {
		t.counted = m.id
		r.sample(t, row, m.tokens(), m.model, "usage")
	}
	for _, p := range parts {
		switch {
		case p.kind == "tool_use" && p.id != "":
			t.answer = lastAnswer{} // words before a call are no answer
			input := bytes.Clone(p.input)
			r.uses.Put(p.id, call{p.id, p.name, input, t, m.id, row.head()})
			t.called = m.id
			if task, kind := textIn(input, "prompt"), textIn(input, "subagent_type"); task != "" && kind != "" {
				r.types[sha256.Sum256([]byte(task))] = kind
			}
		case p.kind == "text" && t.answer.id == m.id && m.id != "" && t.answer.text != "":
			t.answer.row, t.answer.text = row.head(), joined(t.answer.text, "\n", p.text)
		case p.kind == "text":
			t.answer = lastAnswer{row: row.head(), id: m.id, text: p.text}
		}
	}
	t.answer.done = t.answer.text != "" && m.stop == "end_turn"
	r.keepWords(t, row, m, parts)
}

// joined adds a text of a message to before, the earlier texts of the message, which are separated by between. Some clients write growing
// snapshots of one answer. So a text that begins with before, or with the newest text in before, replaces these texts. A text with which
// before begins is ignored.
func joined(before, between, text string) string {
	from := strings.LastIndex(before, between)
	newest := before[max(from, 0):]
	if from >= 0 {
		newest = newest[len(between):]
	}
	switch {
	case strings.HasPrefix(text, before):
		return text
	case strings.HasPrefix(before, text):
		return before
	case newest != "" && strings.HasPrefix(text, newest):
		return before[:len(before)-len(newest)] + text
	}
	return before + between + text
}

// syntheticModel is the model of messages that the client itself wrote.
const syntheticModel = "<synthetic>"

// keepWords records the words, the reasoning and the calls of a message of the main lane in r.Words. It joins the texts of one message,
// unless a call separates them.
func (r *reader) keepWords(t *thread, row row, m message, parts []part) {
	for _, p := range parts {
		text := strings.TrimSpace(p.text)
		switch {
		case t.lane != "":
		case p.kind == "tool_use":
			r.lastMessage = ""
			r.Words.Called(p.name, p.id)
		case p.kind == "thinking" && r.Watching:
			r.Words.Think(transcript.Unquote(p.reasoning))
		case p.kind != "text" || text == "":
		case r.lastMessage == m.id && m.id != "":
			r.Words.Row, r.Words.Text, r.Words.Thought = row.uuid, joined(r.Words.Text, "\n\n", text), ""
		default:
			r.lastMessage = m.id
			r.Words = r.Words.Next(row.uuid, t.turn, text)
		}
	}
}

// described describes the call on one line: by its command, or by the tool and the target.
func (c call) described() string {
	if c.runs() {
		return textIn(c.input, "command")
	}
	line := c.name
	for _, member := range []string{"file_path", "pattern", "description", "query", "url", "title"} {
		line = strings.TrimSpace(line + " " + textIn(c.input, member))
	}
	return line
}

// withoutResult lists the tools whose results are not kept in transcript.Words, because other events have them.
var withoutResult = []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "TodoWrite", "Task", "Agent", "Skill", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion"}

// keepResult records the result of the main lane's newest call in r.Words, for a watcher.
func (r *reader) keepResult(t *thread, c call, p part) {
	if t.lane != "" || !r.Watching {
		return
	}
	result := ""
	if !p.failed && !slices.Contains(withoutResult, c.name) && !strings.HasPrefix(c.name, "Task") {
		result = resultText(p)
		if s, ok := spilled(result); ok {
			result = s.Preview + "\n…"
		}
	}
	r.Words.Return(c.described(), result, c.runs())
}

// call is a tool call that has no result yet.
type call struct {
	id, name string
	input    []byte // JSON
	thread   *thread
	message  string // id of the message with the call
	row      row    // the head of its row
}

// runs reports whether the call runs a command.
func (c call) runs() bool { return isShell(native(c.name)) }

// sample reports the size of the context. what is Step.What. A watcher reports none: hooks and the statusline do.
func (r *reader) sample(t *thread, row row, tokens int64, model, what string) {
	if r.Watching {
		return
	}
	r.begin(t)
	h := r.hook(t, events.UsageSample)
	h.Model, h.Client, h.Usage = model, row.version, &events.Usage{Tokens: tokens}
	r.Add(h, row.uuid, what)
}

// maxCleared bounds the number of tool calls in one event.
const maxCleared = 1000

// reportCleared reports that the client dropped results of tools from the context, which no hook reports.
func (r *reader) reportCleared(t *thread, boundary row) {
	r.begin(t)
	h := r.hook(t, events.ContextClear)
	h.Cleared = &events.ContextCleared{Before: number(get(boundary.cleared, "preTokens")), Freed: number(get(boundary.cleared, "tokensSaved"))}
	for id := range transcript.Items(get(boundary.cleared, "compactedToolIds")) {
		if len(h.Cleared.Uses) < maxCleared {
			h.Cleared.Uses = append(h.Cleared.Uses, redact.Text(transcript.Unquote(id)))
		}
	}
	r.Add(h, boundary.uuid, "cleared")
}

// subagentTypes holds the types of subagents by the digests of their tasks, as calls named them. It is not safe for concurrent use.
type subagentTypes map[[sha256.Size]byte]string

// maxOpen bounds the number of unfinished calls in Words.
const maxOpen = 10

// LastWords implements transcript.Watcher. The words have the unfinished calls in the newest message of the main lane: the client
// cut off what an earlier one called, as at a compaction.
func (r *reader) LastWords() (transcript.Words, bool) {
	words, ok := r.Reported.LastWords()
	for c := range r.uses.Each {
		if c.thread.lane != "" || c.name != "Task" && (strings.HasPrefix(c.name, "Task") || strings.HasPrefix(c.name, "Todo")) {
			continue // a call of a subagent, or about the agent's own lists
		}
		if c.message != c.thread.called {
			continue
		}
		words.Open = append(words.Open, transcript.Open{
			Call: c.described(),
			Ends: []string{agents.ToolKey(Name, c.id, "PostToolUse"), agents.ToolKey(Name, c.id, "PostToolUseFailure")},
		})
		if len(words.Open) == maxOpen {
			break
		}
	}
	return words, ok
}

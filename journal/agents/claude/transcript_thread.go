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

// thread is the main thread of a session, or one of its subagents.
type thread struct {
	lane   string
	kind   []byte // type of a subagent, JSON
	turn   []byte // prompt_id of the running turn, JSON
	answer lastWords
	// counted is the message whose usage was reported. One answer has several rows that repeat it (docs/CLIENTS.md
	// §10).
	counted string
	due     []byte // metadata of the compaction whose summary is due, JSON
	ended   bool
}

// lastWords are the newest words of the model, with nothing after them yet.
type lastWords struct {
	one  row
	id   string // of the message
	text string
	done bool // the message says that nothing follows
}

// thread returns the thread of a row. Clients before 2.0 stored unnamed rows of subagents among those of the main
// thread: there the first row of the chain serves as the name.
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
		if lane != "" {
			r.startSubagent(t, row)
		}
	}
	return t
}

// unknownType is the type of a subagent without a known one: an empty type would mean the summariser of a compaction
// (docs/CLIENTS.md §3).
var unknownType = []byte(`"unknown"`)

func (r *reader) startSubagent(t *thread, row row) {
	t.kind = unknownType
	if kind := r.tasks.kind(messageFields.read(row.message).content); kind != nil {
		t.kind = kind
	}
	r.addHookStep(t, row, "SubagentStart", "", member{"agent_type", t.kind})
}

func (r *reader) endSubagent(t *thread) {
	if t.answer.text == "" || t.ended {
		return
	}
	t.ended = true
	r.addHookStep(t, t.answer.one, "SubagentStop", "", member{"agent_type", t.kind}, member{"last_assistant_message", quote(t.answer.text)})
}

// endTurn reports the model's newest words as its answer. For a subagent this is known only at the end of the file.
func (r *reader) endTurn(t *thread) {
	if t.lane != "" || t.answer.text == "" {
		return
	}
	a := t.answer
	t.answer = lastWords{}
	r.addHookStep(t, a.one, "Stop", "", member{"last_assistant_message", quote(a.text)})
}

func (r *reader) boundary(t *thread, row row) {
	r.endTurn(t)
	r.Compactions++
	t.due = bytes.Clone(row.compact)
	if t.due == nil {
		t.due = []byte("{}")
	}
	trigger := member{"trigger", get(row.compact, "trigger")}
	if tokens := number(get(row.compact, "preTokens")); tokens > 0 {
		r.sample(t, row, tokens, "", "before")
	}
	r.addHookStep(t, row, "PreCompact", "", trigger)
	r.addHookStep(t, row, "SessionStart", "compact", member{"source", []byte(`"compact"`)})
}

func (r *reader) summarised(t *thread, row row) {
	if t.due == nil { // clients before 2.0 wrote no boundary
		r.boundary(t, row)
	}
	r.addHookStep(t, row, "PostCompact", "",
		member{"trigger", get(t.due, "trigger")},
		member{"compact_summary", textJSON(partsOf(messageFields.read(row.message).content))},
		// What the client kept, and the size of its context, stays beside the event.
		member{"compact_metadata", t.due})
	t.due = nil
}

func (r *reader) assistant(t *thread, row row) {
	m := messageFields.read(row.message)
	parts := partsOf(m.content)
	if row.apiError {
		t.answer = lastWords{}
		kind := row.trouble
		if len(kind) == 0 || kind[0] != '"' {
			kind = []byte(`"unknown"`)
		}
		r.addHookStep(t, row, "StopFailure", "", member{"error", kind}, member{"error_details", textJSON(parts)})
		return
	}
	if m.model == syntheticModel {
		return // the client's own words
	}
	if m.tokens() > 0 && t.lane == "" && m.id != t.counted {
		t.counted = m.id
		r.sample(t, row, m.tokens(), m.model, "usage")
	}
	for _, p := range parts {
		switch {
		case p.kind == "tool_use" && p.id != "":
			t.answer = lastWords{}                                      // words before a call are no answer
			p.name, p.input = bytes.Clone(p.name), bytes.Clone(p.input) // the row's memory is reused by the next one
			r.uses.Put(p.id, call{p, t, row.head()})
			r.tasks.note(get(p.input, "prompt"), get(p.input, "subagent_type"))
		case p.kind == "text" && t.answer.id == m.id && m.id != "" && t.answer.text != "":
			t.answer.one, t.answer.text = row.head(), joined(t.answer.text, "\n", transcript.Unquote(p.text))
		case p.kind == "text":
			t.answer = lastWords{one: row.head(), id: m.id, text: transcript.Unquote(p.text)}
		}
	}
	t.answer.done = t.answer.text != "" && m.stop == "end_turn"
	r.keepWords(t, row, m, parts)
}

// joined adds a text of a message to those before. Some writers append growing snapshots of one answer: a text that
// begins with those before, or with the newest of them, replaces it, and one that they begin with adds nothing new.
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

// syntheticModel writes words that are no model's.
const syntheticModel = "<synthetic>"

// keepWords keeps the newest words of the main thread. It joins the texts of one message, unless a call separates them.
func (r *reader) keepWords(t *thread, row row, m message, parts []part) {
	for _, p := range parts {
		text := strings.TrimSpace(transcript.Unquote(p.text))
		switch {
		case t.lane != "":
		case p.kind == "tool_use":
			r.saying = ""
			r.Words.Called(transcript.Unquote(p.name))
		case p.kind == "thinking" && r.Watching:
			r.Words.Think(transcript.Unquote(p.reasoning))
		case p.kind != "text" || text == "":
		case r.saying == m.id && m.id != "":
			r.Words.Row, r.Words.Text, r.Words.Thought = row.uuid, joined(r.Words.Text, "\n\n", text), ""
		default:
			r.saying = m.id
			r.Words = r.Words.Then(row.uuid, transcript.Unquote(t.turn), text)
		}
	}
}

// described returns the call on one line: its command, or the tool and its target.
func (c call) described(name string) string {
	line := transcript.Unquote(get(c.input, "command"))
	if !c.runs() {
		line = name
		for _, about := range []string{"file_path", "pattern", "description", "query", "url", "title"} {
			line = strings.TrimSpace(line + " " + transcript.Unquote(get(c.input, about)))
		}
	}
	return line
}

// silent lists the tools whose results stand elsewhere.
var silent = []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "TodoWrite", "Task", "Agent", "Skill", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion"}

// keepResult keeps what the newest call of the main thread returned, for a watcher: an import has no use for it.
func (r *reader) keepResult(t *thread, c call, p part) {
	if t.lane != "" || !r.Watching {
		return
	}
	name, result := transcript.Unquote(c.name), ""
	if !p.failed && !slices.Contains(silent, name) && !strings.HasPrefix(name, "Task") {
		result = resultText(p)
	}
	r.Words.Return(c.described(name), result, c.runs())
}

// call is a tool call without a result so far.
type call struct {
	part
	of  *thread
	row row
}

// runs reports whether the call runs a command.
func (c call) runs() bool { return isShell(native(transcript.Unquote(c.name))) }

// sample reports how full the context is.
func (r *reader) sample(t *thread, row row, tokens int64, model, what string) {
	if r.Watching {
		return
	}
	r.begin(t)
	h := r.hook(events.UsageSample, r.when(row))
	h.Lane, h.Turn, h.Model, h.Client, h.Usage = t.lane, transcript.Unquote(t.turn), model, row.version, &events.Usage{Tokens: tokens}
	r.Add(h, row.uuid, what)
}

// maxCleared bounds the tool calls in one clearing.
const maxCleared = 1000

// cleared reports that the client dropped results of tools from the context. No hook reports it.
func (r *reader) cleared(t *thread, boundary row) {
	r.begin(t)
	h := r.hook(events.ContextClear, r.when(boundary))
	h.Lane, h.Turn = t.lane, transcript.Unquote(t.turn)
	h.Cleared = &events.ContextCleared{Before: number(get(boundary.cleared, "preTokens")), Freed: number(get(boundary.cleared, "tokensSaved"))}
	for id := range transcript.Items(get(boundary.cleared, "compactedToolIds")) {
		if len(h.Cleared.Uses) < maxCleared {
			h.Cleared.Uses = append(h.Cleared.Uses, redact.Text(transcript.Unquote(id)))
		}
	}
	r.Add(h, boundary.uuid, "cleared")
}

func quote(s string) []byte {
	b, _ := json.Marshal(s) // strings always encode
	return b
}

// textJSON joins the texts of a message, as JSON.
func textJSON(parts []part) []byte {
	if len(parts) == 1 && parts[0].kind == "text" {
		return parts[0].text
	}
	return quote(textOf(parts))
}

// Tasks maps the tasks given to subagents to their types. The zero value is empty. It is not safe for concurrent use.
type Tasks struct{ kinds map[[sha256.Size]byte][]byte }

// note records a call; both arguments are JSON texts.
func (t *Tasks) note(task, kind []byte) {
	if len(task) < 3 || len(kind) < 3 || kind[0] != '"' {
		return
	}
	if t.kinds == nil {
		t.kinds = map[[sha256.Size]byte][]byte{}
	}
	t.kinds[sha256.Sum256([]byte(transcript.Unquote(task)))] = bytes.Clone(kind)
}

// kind returns the type of the subagent that begins with a task, nil if no call is known.
func (t *Tasks) kind(task []byte) []byte {
	return t.kinds[sha256.Sum256([]byte(textOf(partsOf(task))))]
}

// maxBegun bounds the number of unfinished calls.
const maxBegun = 10

// Said returns the agent's last words, and the newest unfinished calls of the main thread: no hook reports them.
func (r *reader) Said() (transcript.Words, bool) {
	words, ok := r.Reported.Said()
	for c := range r.uses.Each {
		name := transcript.Unquote(c.name)
		if c.of.lane != "" || name != "Task" && (strings.HasPrefix(name, "Task") || strings.HasPrefix(name, "Todo")) {
			continue // a subagent's, or a call for the agent's own lists
		}
		words.Open = append(words.Open, transcript.Open{
			Call: c.described(name),
			Ends: []string{agents.ToolKey(Name, c.id, "PostToolUse"), agents.ToolKey(Name, c.id, "PostToolUseFailure")},
		})
		if len(words.Open) == maxBegun {
			break
		}
	}
	return words, ok
}

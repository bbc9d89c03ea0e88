package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// turn holds the state of the running turn.
type turn struct {
	id, cwd, model string
	known          bool // its start was read
	prompted       bool // it had a prompt
	attributed     bool // the client reports what began it, as it does for a prompt
}

// trigger returns what made a turn compact the context: if the turn does nothing else, the person asked for it. Clients
// before 0.169 do not say.
func (t turn) trigger(numbered bool) string {
	switch {
	case t.prompted, t.attributed:
		return "auto"
	case t.known && numbered:
		return "manual"
	}
	return ""
}

// event handles a row about the turn.
func (r *reader) event(row row) {
	p := row.Payload
	switch p.Type {
	case "task_started":
		r.cut()
		r.turn = turn{id: p.Turn, cwd: r.turn.cwd, model: r.turn.model, known: true, attributed: isObject(p.Attribution)}
		r.usage.window = max(p.Window, r.usage.window)
		r.usage.summing = false
	case "user_message":
		r.prompt(row, p.Message)
	case "agent_message":
		r.speak(row, p.Message)
	case "agent_reasoning":
		if r.lane == "" {
			r.Words.Think(p.Text)
		}
	case "item_completed":
		r.completed(row)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if !r.known.Has(p.Item.ID) { // the conversation has the others
			r.completed(row)
		}
	case "token_count":
		r.sample(row)
	case "task_complete":
		r.usage.summing = false
		if p.Answer == "" {
			return // it compacted, or ran the person's own command
		}
		name := "Stop"
		if r.lane != "" {
			name = "SubagentStop"
		}
		r.addHookStep(row, name, payloadMembers{"last_assistant_message": p.Answer})
	case "thread_rolled_back":
		r.rollBack(row)
	case "turn_aborted":
		r.usage.summing = false
		if p.Reason == "interrupted" {
			r.interrupted(row)
		}
	}
}

// interrupted reports that the person stopped the model, with its last words, which the hook lacks.
func (r *reader) interrupted(row row) {
	words := redact.Text(r.Words.Text)
	if s := r.addHookStep(row, "Interrupt", nil); s != nil {
		s.Report.Hook.Said = words
	}
	h := r.hook(events.TurnInterrupt)
	if r.Watching && words != "" {
		h.Said = words
		r.step(h, row.id, "Interrupt") // as an import names it
	}
}

// prompt reports the person's prompt, or for a subagent, its parent's.
func (r *reader) prompt(row row, text string) {
	r.turn.prompted = true
	r.Words = transcript.Words{Row: row.id, Turn: r.turn.id}
	if strings.TrimSpace(text) == "" {
		return
	}
	r.begin(row)
	if r.lane == "" && (r.turn.id == "" || r.turn.id != r.newest) {
		r.newest = r.turn.id
		id := transcript.Step{Row: r.uniqueID(row.id), What: "UserPromptSubmit"}.IDs(1)[0]
		r.branches.Add(transcript.Prompt{ID: id, Turn: r.turn.id, Words: transcript.WordsOf(text), At: r.At.UnixNano(), Place: r.Place("")})
	}
	r.addHookStep(row, "UserPromptSubmit", payloadMembers{"prompt": text})
	if strings.TrimSpace(text) == implementPlan && r.plan != "" && r.lane == "" {
		r.begin(row)
		r.addStep(row, "plan", "PostToolUse", payloadMembers{"tool_name": proposedPlan, "tool_input": payloadMembers{"plan": r.plan}})
		r.plan = ""
	}
}

// rollBack reports that the person took back the newest turns.
func (r *reader) rollBack(row row) {
	if first, back := r.branches.Drop(row.Payload.Turns); back {
		r.newest = ""
		r.Rewound(r.hook(events.Rewind), r.uniqueID(row.id), transcript.Rewind{First: first})
	}
}

// implementPlan is the prompt that the client writes when the person approves the plan that the agent proposed. No hook
// and no call tells of the plan.
const implementPlan = "Implement the plan."

// speak keeps the agent's newest words.
func (r *reader) speak(row row, text string) {
	text = strings.TrimSpace(text)
	if _, rest, ok := strings.Cut(text, "<"+proposedPlan+">"); ok {
		plan, _, _ := strings.Cut(rest, "</"+proposedPlan+">")
		r.plan = strings.TrimSpace(plan)
	}
	if text != "" && r.lane == "" {
		r.Words = r.Words.Then(row.id, r.turn.id, text)
	}
}

// completed handles a row about something that ended in the turn.
func (r *reader) completed(row row) {
	switch it := row.Payload.Item; it.Type {
	case "UserMessage":
		r.prompt(row, it.Content.Text)
	case "AgentMessage":
		r.speak(row, it.Content.Text)
	case "Plan":
		r.plan = it.Text
	case "CommandExecution":
		r.executed(row, it)
	case "FileChange":
		r.changed(row, it)
	case "McpToolCall", "DynamicToolCall", "CollabAgentToolCall":
		r.called(row, it)
	}
}

// The client passes the summary to the next context after words of its own.
const summaryPrefix = "Another language model started to solve this problem"

// compacted reports a compaction: the hooks around it, in the order in which imports look for them, and the summary,
// which these hooks lack.
func (r *reader) compacted(row row) {
	r.Compactions++
	r.usage.fell()
	text := row.Payload.Message
	if strings.HasPrefix(text, summaryPrefix) {
		_, text, _ = strings.Cut(text, "\n")
	}
	text = redact.Text(failure.Plain(text))
	trigger := r.turn.trigger(row.Ordinal != nil)
	if r.Watching {
		h := r.hook(events.CompactSummary)
		if text != "" && r.turn.known {
			h.Text, h.Trigger = text, trigger
			r.step(h, row.id, "PostCompact") // as an import names it
		}
		return
	}
	words := payloadMembers{}
	if trigger != "" {
		words["trigger"] = trigger
	}
	r.addHookStep(row, "PreCompact", words)
	if r.lane == "" { // a subagent's compaction has no start
		r.addHookStep(row, "SessionStart", payloadMembers{"source": "compact", "model": r.turn.model})
	}
	if s := r.addHookStep(row, "PostCompact", words); s != nil {
		s.Report.Hook.Text = text
	}
}

// usage holds the reported fill of the context.
type usage struct {
	window  int64
	newest  int  // percent of the newest reported sample
	any     bool // there was a sample since the newest compaction
	summing bool // the model was asked for a summary: its request is not the session's
}

// samplePoints is the change of usage, in points of the window, from which it is reported again.
const samplePoints = 5

func (u *usage) fell() { u.any, u.summing = false, false }

// sample reports how full the context is, if that has changed.
func (r *reader) sample(row row) {
	u, info := &r.usage, row.Payload.Info
	if info.Window > 0 {
		u.window = info.Window
	}
	tokens := info.Last.Total
	if tokens <= 0 || u.window <= 0 || u.summing {
		return
	}
	percent := int(min(100, (tokens*100+u.window/2)/u.window))
	if u.any && max(percent-u.newest, u.newest-percent) < samplePoints {
		return
	}
	u.newest, u.any = percent, true
	r.begin(row)
	h := r.hook(events.UsageSample)
	h.Model, h.Usage = redact.Text(r.turn.model), &events.Usage{Percent: percent, Tokens: tokens, Window: u.window}
	r.step(h, row.id, "usage")
}

func isObject(b json.RawMessage) bool { return len(b) > 0 && b[0] == '{' }

// counted is a row that names the lane, turn and model of what follows, or the usage of a request.
type counted struct {
	At      time.Time `json:"timestamp"`
	Type    string    `json:"type"`
	Payload struct {
		ID     string `json:"id"`               // of the thread
		Parent string `json:"parent_thread_id"` // of a subagent
		Turn   string `json:"turn_id"`
		Model  string `json:"model"`
		Info   struct {
			All  used `json:"total_token_usage"`
			Last used `json:"last_token_usage"`
		} `json:"info"`
	} `json:"payload"`
}

type used struct {
	Input      int64 `json:"input_tokens"` // includes what caches held and what was put there
	CacheRead  int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// minus returns what was used before o was.
func (u used) minus(o used) used {
	return used{u.Input - o.Input, u.CacheRead - o.CacheRead, u.CacheWrite - o.CacheWrite, u.Output - o.Output}
}

// requests reads what the requests of a rollout used. A count is repeated if nothing was requested: its sum is then the
// same. Counts of one answer that grows have the same input and the same sum before them.
func requests() func([]byte) []transcript.Request {
	var lane, turn, model string
	var sum, last used
	return func(b []byte) []transcript.Request {
		var r counted
		if !transcript.Mentions(b, `"turn_context"`, `"token_count"`, `"session_meta"`, `"task_started"`) || json.Unmarshal(b, &r) != nil {
			return nil
		}
		p := r.Payload
		if r.Type == "session_meta" && p.Parent != "" && lane == "" {
			lane = p.ID
		}
		turn, model = cmp.Or(p.Turn, turn), cmp.Or(p.Model, model)
		u := p.Info.Last
		if u == (used{}) || p.Info.All == sum && (sum != (used{}) || u == last) {
			return nil
		}
		sum, last = p.Info.All, u
		var place any = turn
		if turn == "" || sum == (used{}) {
			place = r.At.UnixNano()
		}
		id := fmt.Sprint(place, " before ", sum.minus(u), u.Input)
		return []transcript.Request{{ID: id, Copy: fmt.Sprint(place, sum), Lane: lane, Turn: turn, At: r.At, Model: model, Tokens: events.Tokens{
			Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
		}}}
	}
}

package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
)

// turn holds the state of the running turn, whose id is Reported.Turn.
type turn struct {
	model      string
	known      bool // the start of the turn was read
	prompted   bool // a prompt of the turn was read
	attributed bool // the client attributes the turn to a prompt
}

// trigger returns the trigger of a compaction in the turn, "" if unknown. If no prompt began the turn, the person asked for the
// compaction. Only rows with an ordinal show that a turn has no prompt; numbered is set if the row has one. Clients before 0.169 write
// none.
func (t turn) trigger(numbered bool) string {
	switch {
	case t.prompted, t.attributed:
		return "auto"
	case t.known && numbered:
		return "manual"
	}
	return ""
}

// event handles an event_msg row.
func (r *reader) event(row row) {
	p := row.Payload
	switch p.Type {
	case "task_started":
		r.endTurn()
		r.reportKilled()
		r.Turn, r.turn = p.Turn, turn{model: r.turn.model, known: true, attributed: isObject(p.Attribution)}
		r.usage.window = max(p.Window, r.usage.window)
		r.usage.summarizing = false
	case "user_message":
		r.prompt(row, p.Message)
	case "agent_message":
		r.speak(row, p.Message)
	case "agent_reasoning":
		if r.Lane == "" {
			r.Words.Think(p.Text)
		}
	case "item_completed", "sub_agent_activity":
		r.item(row)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if !r.known.Has(p.Item.ID) { // output handles the ends of calls of the conversation
			r.item(row)
		}
	case "token_count":
		r.sample(row)
	case "task_complete":
		r.usage.summarizing, r.unended = false, unended{}
		if p.Answer != "" { // else the turn compacted, or ran the person's own command
			r.stop(row, p.Answer)
		}
		r.failTurn(row)
	case "thread_rolled_back":
		r.rollBack(row)
	case "thread_goal_updated":
		r.goal(row)
	case "thread_name_updated":
		r.reportName(p.ThreadName, row.id)
	case "turn_aborted":
		r.usage.summarizing, r.unended = false, unended{}
		if p.Reason == "interrupted" {
			r.interrupt(row)
		}
	}
}

// stop reports the end of a turn, with the agent's last words.
func (r *reader) stop(row row, words string) {
	name := "Stop"
	if r.Lane != "" {
		name = "SubagentStop"
	}
	r.addHookStep(row, name, payloadMembers{"last_assistant_message": words})
}

// failTurn reports that the model could not answer, if the row about the end of a turn says so. No hook reports it.
func (r *reader) failTurn(row row) {
	var fault struct {
		Message string `json:"message"`
		Kind    string `json:"codex_error_info"`
	}
	_ = json.Unmarshal(row.Payload.Error, &fault) // Kind stays empty if it is an object
	if fault.Message == "" {
		return
	}
	r.begin(row)
	h := r.Hook(events.TurnFail)
	h.Reason, h.Text = redact.Text(cmp.Or(fault.Kind, "unknown")), redact.Text(fault.Message)
	r.step(h, row.id, "failed")
}

// unended holds the agent's newest words in a turn of a client that writes no rows about starts and ends of turns, and the row with the
// words. The zero value has no words.
type unended struct {
	row   row
	words string
}

// endTurn reports the end of a turn that no row reports, if the agent spoke in it.
func (r *reader) endTurn() {
	last, now := r.unended, r.At
	r.unended = unended{}
	if last.words != "" {
		r.At = last.row.at
		r.stop(last.row, last.words)
		r.At = now
	}
}

// End implements transcript.Parser.
func (r *reader) End() {
	r.endTurn()
	r.reportNamed()
}

// reportName reports the name of the session, if it is a new one. row is the id of the row with it, "" if none has it.
func (r *reader) reportName(name, row string) {
	name = redact.Text(strings.TrimSpace(name))
	if name == "" || name == r.name || r.Lane != "" || !r.began {
		return
	}
	r.name = name
	h := r.Hook(events.Title)
	h.Text = name
	if row != "" {
		row = r.uniqueID(row)
	}
	r.Add(h, row, "named "+name)
}

// namesFile is the client's list of the names of sessions, in its folder. Apps and some clients write names only there. namesBytes
// bounds the part at its end that is read, in bytes: that takes 0.7 ms.
const (
	namesFile  = "session_index.jsonl"
	namesBytes = 256 << 10
)

// reportNamed reports the session's newest name in namesFile.
func (r *reader) reportNamed() {
	home, ok := clientHome(r.path)
	if !ok || r.meta.ID == "" {
		return
	}
	list, _, _ := disk.ReadEnd(filepath.Join(home, namesFile), namesBytes) // empty if it cannot be read
	name := ""
	for line := range bytes.Lines(list) {
		var named struct {
			ID   string `json:"id"`
			Name string `json:"thread_name"`
		}
		if bytes.Contains(line, []byte(r.meta.ID)) && json.Unmarshal(line, &named) == nil && named.ID == r.meta.ID {
			name = cmp.Or(named.Name, name)
		}
	}
	r.reportName(name, "")
}

// interrupt reports that the person stopped the model. The step has the model's last words, which the hook does not have.
func (r *reader) interrupt(row row) {
	words := redact.Text(r.Words.Text)
	if s := r.addHookStep(row, "Interrupt", nil); s != nil {
		s.Report.Hook.Said = words
	}
	if r.Watching && words != "" {
		h := r.Hook(events.TurnInterrupt)
		h.Said = words
		r.step(h, row.id, "Interrupt") // the step has the id that an import of the row derives
	}
}

// prompt reports a prompt of the person, or the task of a subagent.
func (r *reader) prompt(row row, text string) {
	r.endTurn()
	r.turn.prompted = true
	r.Words = r.Words.Asked(row.id, r.Turn)
	if strings.TrimSpace(text) == "" {
		return
	}
	r.begin(row)
	if r.Lane == "" && (r.Turn == "" || r.Turn != r.newest) {
		r.newest = r.Turn
		r.branches.Add(r.Prompt(r.uniqueID(row.id), "UserPromptSubmit", text))
	}
	if s := r.addHookStep(row, "UserPromptSubmit", payloadMembers{"prompt": text}); s != nil && r.meta.Source.Own {
		s.Report.Hook.Machine, s.Sure = true, false
	}
	if strings.TrimSpace(text) == implementPlan && r.plan != "" && r.Lane == "" {
		r.begin(row)
		r.addStep(row, "plan", "PostToolUse", payloadMembers{"tool_name": proposedPlan, "tool_input": payloadMembers{"plan": r.plan}})
		r.plan = ""
	}
}

// goal reports a new goal that the person set as a prompt. The client sends it to the model, but calls no hook.
func (r *reader) goal(row row) {
	objective := strings.TrimSpace(row.Payload.Goal.Objective)
	byModel := cmp.Or(row.Payload.GoalTurn, row.Payload.Turn) != ""
	if byModel || objective == "" || objective == r.objective || r.Lane != "" {
		return
	}
	r.objective = objective
	r.endTurn()
	r.Words = transcript.Words{Row: row.id}
	r.begin(row)
	if s := r.addStep(row, "UserPromptSubmit", "UserPromptSubmit", payloadMembers{"prompt": "/goal " + objective}); s != nil {
		s.Sure = false
	}
}

// rollBack reports that the person took back the newest turns.
func (r *reader) rollBack(row row) {
	if first, back := r.branches.Drop(row.Payload.Turns); back {
		r.newest = ""
		r.AddRewind(r.Hook(events.Rewind), r.uniqueID(row.id), transcript.Rewind{First: first})
	}
}

// implementPlan is the prompt that the client writes when the person approves the plan that the agent proposed. Neither a hook nor a call
// has the plan.
const implementPlan = "Implement the plan."

// speak records the agent's newest words, and a plan in them.
func (r *reader) speak(row row, text string) {
	text = strings.TrimSpace(text)
	if _, rest, ok := strings.Cut(text, "<"+proposedPlan+">"); ok {
		plan, _, _ := strings.Cut(rest, "</"+proposedPlan+">")
		r.plan = strings.TrimSpace(plan)
	}
	if text != "" && r.Lane == "" {
		r.Words = r.Words.Next(row.id, r.Turn, text)
	}
	if text != "" && !r.turn.known {
		r.unended = unended{row.head(r.At), text}
	}
}

// item handles the item in a row.
func (r *reader) item(row row) {
	switch item := row.Payload.Item; item.Type {
	case "UserMessage":
		r.prompt(row, item.Content.Text)
	case "AgentMessage":
		r.speak(row, item.Content.Text)
	case "Plan":
		r.plan = item.Text
	case "CommandExecution":
		r.commandItem(row, item)
	case "FileChange":
		r.patchItem(row, item)
	case "SubAgentActivity":
		r.spawned(row, item)
	case "McpToolCall", "DynamicToolCall", "CollabAgentToolCall":
		r.toolItem(row, item)
	}
}

// summaryPrefix is the beginning of the sentence that the client writes before the summary of a compaction.
const summaryPrefix = "Another language model started to solve this problem"

// compacted reports a compaction: the hooks around it, in the order of transcript.Fact, and the summary, which these hooks do not have.
func (r *reader) compacted(row row) {
	r.endTurn()
	r.Compactions++
	r.usage.sampled, r.usage.summarizing = false, false
	text := row.Payload.Message
	if strings.HasPrefix(text, summaryPrefix) {
		_, text, _ = strings.Cut(text, "\n")
	}
	text = redact.Text(failure.Plain(text))
	trigger := r.turn.trigger(row.Ordinal != nil)
	if r.Watching {
		h := r.Hook(events.CompactSummary)
		if text != "" && r.turn.known {
			h.Text, h.Trigger = text, trigger
			r.step(h, row.id, "PostCompact") // the step has the id that an import of the row derives
		}
		return
	}
	members := payloadMembers{}
	if trigger != "" {
		members["trigger"] = trigger
	}
	r.addHookStep(row, "PreCompact", members)
	if r.Lane == "" { // no SessionStart follows a subagent's compaction
		r.addHookStep(row, "SessionStart", payloadMembers{"source": "compact", "model": r.turn.model})
	}
	if s := r.addHookStep(row, "PostCompact", members); s != nil {
		s.Report.Hook.Text = text
	}
}

// usage holds the state of the samples of the context's usage.
type usage struct {
	window      int64 // the context window in tokens, 0 if unknown
	newest      int   // percentage in the newest reported sample
	sampled     bool  // a sample was reported since the newest compaction
	summarizing bool  // the running request asks for the summary of a compaction: its usage is not that of the context
}

// samplePoints is the smallest change of the percentage, in percentage points, at which sample reports it again.
const samplePoints = 5

// sample reports the usage of the context if it changed by at least samplePoints, or if there was none since the newest compaction.
func (r *reader) sample(row row) {
	u, info := &r.usage, row.Payload.Info
	if info.Window > 0 {
		u.window = info.Window
	}
	tokens := info.Last.Total
	if tokens <= 0 || u.window <= 0 || u.summarizing {
		return
	}
	percent := int(min(100, (tokens*100+u.window/2)/u.window))
	if u.sampled && max(percent-u.newest, u.newest-percent) < samplePoints {
		return
	}
	u.newest, u.sampled = percent, true
	r.begin(row)
	h := r.Hook(events.UsageSample)
	h.Model, h.Usage = redact.Text(r.turn.model), &events.Usage{Percent: percent, Tokens: tokens, Window: u.window}
	r.step(h, row.id, "usage")
}

// isObject reports whether a JSON value is an object.
func isObject(b json.RawMessage) bool { return len(b) > 0 && b[0] == '{' }

// usageRow has the members of a row that requests reads: the lane, turn and model of later requests, or the usage of a request.
type usageRow struct {
	At      transcript.Time `json:"timestamp"`
	Type    string          `json:"type"`
	Payload struct {
		ID     string `json:"id"`               // the thread
		Parent string `json:"parent_thread_id"` // the thread that started a subagent
		Turn   string `json:"turn_id"`
		Model  string `json:"model"`
		Info   struct {
			Sum  used `json:"total_token_usage"` // of all requests so far
			Last used `json:"last_token_usage"`
		} `json:"info"`
	} `json:"payload"`
}

// used holds the tokens of a request, or of all requests so far.
type used struct {
	Input      int64 `json:"input_tokens"` // including CacheRead and CacheWrite
	CacheRead  int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// minus returns u without the tokens of o.
func (u used) minus(o used) used {
	return used{u.Input - o.Input, u.CacheRead - o.CacheRead, u.CacheWrite - o.CacheWrite, u.Output - o.Output}
}

// requests implements transcript.Format.Requests. A row with the same sum as the previous one repeats a request; if rows have no sum,
// so does a row with the same usage. The rows of one growing answer have the same input, and the same sum of the requests before: they
// are one request.
func requests() func([]byte) []transcript.Request {
	var lane, turn, model string
	var sum, last used
	return func(b []byte) []transcript.Request {
		var r usageRow
		if !transcript.Mentions(b, `"turn_context"`, `"token_count"`, `"session_meta"`, `"task_started"`) || transcript.Unmarshal(b, &r) != nil {
			return nil
		}
		p := r.Payload
		if r.Type == "session_meta" && p.Parent != "" && lane == "" {
			lane = p.ID
		}
		turn, model = cmp.Or(p.Turn, turn), cmp.Or(p.Model, model)
		u := p.Info.Last
		if u == (used{}) { // some clients write only the sum
			u = p.Info.Sum.minus(sum)
		}
		repeated := p.Info.Sum == sum && (sum != (used{}) || u == last)
		if repeated || u.Input <= 0 && u.Output <= 0 {
			return nil
		}
		sum, last = p.Info.Sum, u
		var place any = turn
		if turn == "" || sum == (used{}) {
			place = r.At.UnixNano()
		}
		id := fmt.Sprint(place, " before ", sum.minus(u), u.Input)
		return []transcript.Request{{ID: id, Copy: fmt.Sprint(place, sum), Lane: lane, Turn: turn, At: r.At.Time, Model: model, Tokens: events.Tokens{
			Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
		}}}
	}
}

package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// addCall records the ended call of an item, and reports whether it did: calls of the conversation are known already. In Code Mode a
// script of the agent makes calls that are not in the conversation, and no hook reports them.
func (r *reader) addCall(item item, tool string) bool {
	if item.ID == "" || item.Status == "in_progress" || r.known.Has(item.ID) {
		return false
	}
	r.known.Put(item.ID, true)
	r.Words.Called(tool, item.ID)
	return true
}

// patchItem handles the item of an ended patch.
func (r *reader) patchItem(row row, item item) {
	if item.Status == "declined" {
		r.decline(item.ID)
	}
	if len(item.Changes) > 0 && r.addCall(item, "apply_patch") {
		r.addUnhooked(row, item, call{tool: "apply_patch", input: payloadMembers{"command": patchOf(item.Changes)}}, "Exit code: 0\nOutput:\n"+item.Stdout)
	}
}

// patchOf returns changes in the form of the patches that the model writes.
func patchOf(changes map[string]change) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		switch c := changes[path]; c.Type {
		case "add":
			b.WriteString(addMark + path + "\n")
			for line := range strings.Lines(c.Content) {
				b.WriteString("+" + line)
			}
		case "delete":
			b.WriteString(deleteMark + path)
		default:
			b.WriteString(updateMark + path + "\n")
			if c.To != "" {
				b.WriteString(moveMark + c.To + "\n")
			}
			b.WriteString(c.Diff)
		}
		if s := b.String(); !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// toolItem handles the item of an ended call that is neither a command nor a patch.
func (r *reader) toolItem(row row, item item) {
	fault := item.fault()
	if c, ok := r.findCall(item); ok {
		c.fault = fault
		r.calls.Put(c.use, c)
		return
	}
	if item.Tool == "" || !r.addCall(item, item.Tool) {
		return
	}
	c := call{tool: item.Namespace + item.Tool, input: item.Arguments}
	output := resultText(cmp.Or(string(item.Result), string(item.Items)))
	switch item.Type {
	case "McpToolCall":
		c.tool = "mcp__" + item.Server + "__" + item.Tool
	case "CollabAgentToolCall":
		c.input = payloadMembers{"message": item.Prompt}
		if item.Tool == "spawn_agent" && len(item.Receivers) == 1 {
			b, _ := json.Marshal(map[string]string{"agent_id": item.Receivers[0]}) // strings always encode
			output = string(b)
		}
	}
	r.addUnhooked(row, item, c, output)
}

// findCall returns the call of the conversation whose end an item reports. It returns false if there is none. Items of MCP servers
// have other ids than the model's calls, so findCall compares their tools and arguments.
func (r *reader) findCall(item item) (call, bool) {
	if c, ok := r.calls.Get(item.ID); ok || item.Type != "McpToolCall" {
		return c, ok
	}
	for c := range r.calls.Each {
		arguments, ok := c.input.(json.RawMessage)
		if ok && c.fault == "" && strings.HasSuffix(c.tool, item.Tool) && bytes.Equal(compact(arguments), compact(item.Arguments)) {
			return c, true
		}
	}
	return call{}, false
}

// encrypted begins a task that the model's provider encrypted.
const encrypted = "gAAAA"

// spawned reports the task of a subagent that has started. Neither the call that started it nor a hook names the subagent. If the task is
// encrypted, the subagent's name stands in its place.
func (r *reader) spawned(row row, item item) {
	if item.Kind != "started" || item.Thread == "" {
		return
	}
	var in struct {
		Message string `json:"message"`
	}
	if c, ok := r.calls.Get(item.ID); ok {
		arguments, _ := c.input.(json.RawMessage)
		_ = json.Unmarshal(arguments, &in) // stays empty for other arguments
	}
	name := redact.Text(item.Path[strings.LastIndexByte(item.Path, '/')+1:])
	task := redact.Text(in.Message)
	if task == "" || strings.HasPrefix(task, encrypted) {
		task = name
	}
	r.begin(row)
	h := r.Hook(events.ToolEnd)
	h.Tool = &events.ToolCall{Name: "spawn_agent", Action: events.RunAgent, Lane: item.Thread, Background: item.Thread, Task: task, About: name}
	r.step(h, row.id, "task")
}

// compact returns JSON without white space between its parts.
func compact(b json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return b
	}
	return out.Bytes()
}

// fault returns the error of the item's call, "" if the call did not fail.
func (i item) fault() string {
	var result struct {
		IsError bool `json:"isError"`
		Snake   bool `json:"is_error"`
	}
	_ = json.Unmarshal(i.Result, &result) // fields stay empty if the result is missing, or a text
	if i.Status != "failed" && (i.Success == nil || *i.Success) && i.Error == "" && !result.IsError && !result.Snake {
		return ""
	}
	return cmp.Or(string(i.Error), i.Stderr, resultText(string(i.Result)), resultText(string(i.Items)), i.Status, "failed")
}

// resultText returns the texts in the JSON of a tool's result, or the JSON itself if it has no texts.
func resultText(b string) string {
	var result struct {
		Content content `json:"content"`
	}
	if json.Unmarshal([]byte(b), &result) == nil && result.Content.Text != "" {
		return result.Content.Text
	}
	var parts content
	if json.Unmarshal([]byte(b), &parts) == nil && parts.Text != "" {
		return parts.Text
	}
	return b
}

// addUnhooked adds the step of the end of a call that no hook reports.
func (r *reader) addUnhooked(row row, item item, c call, output string) {
	c.use = item.ID
	s := r.addResult(row, c, "PostToolUse", output)
	if s == nil {
		return
	}
	s.Sure, s.Report.Hook.Tool.Millis = false, item.millis()
	fail(s, item, item.fault())
}

// fail records the failure of an item in its step: the person declined the call, or the call has an error. fault is the text of its error.
func fail(s *transcript.Step, item item, fault string) {
	t := s.Report.Hook.Tool
	if item.Status != "declined" && item.Status != "failed" && item.fault() == "" {
		return
	}
	t.Failed, t.Refused = true, item.Status == "declined"
	t.Exit, t.Error, t.Output, t.Mark, t.Replaced = 0, redact.Text(failure.CleanOutput(fault)), "", "", nil
}

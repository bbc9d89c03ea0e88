package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"journal/events/shell/failure"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// isNewCall reports whether an item is the end of a call that is not in the conversation, and records that call: in Code Mode a script
// of the agent calls tools, which no hook reports.
func (r *reader) isNewCall(it completed, tool string) bool {
	if it.ID == "" || it.Status == "in_progress" || r.known.Has(it.ID) {
		return false
	}
	r.known.Put(it.ID, true)
	r.Words.Called(tool)
	return true
}

// changed handles the item of a patch.
func (r *reader) changed(row row, it completed) {
	if it.Status == "declined" {
		r.decline(it.ID)
	}
	if len(it.Changes) > 0 && r.isNewCall(it, "apply_patch") {
		r.unhooked(row, it, call{tool: "apply_patch", input: payloadMembers{"command": patchOf(it.Changes)}}, "Exit code: 0\nOutput:\n"+it.Stdout)
	}
}

// patchOf returns the changes in the form of a patch by the model.
func patchOf(changes map[string]change) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		switch c := changes[path]; c.Type {
		case "add":
			b.WriteString(adds + path + "\n")
			for line := range strings.Lines(c.Content) {
				b.WriteString("+" + line)
			}
		case "delete":
			b.WriteString(deletes + path)
		default:
			b.WriteString(updates + path + "\n")
			if c.To != "" {
				b.WriteString(moves + c.To + "\n")
			}
			b.WriteString(c.Diff)
		}
		if s := b.String(); !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// called handles the item of another call.
func (r *reader) called(row row, it completed) {
	fault := it.fault()
	if c, ok := r.takeCall(it); ok {
		c.fault = fault
		r.calls.Put(c.use, c)
		return
	}
	if it.Tool == "" || !r.isNewCall(it, it.Tool) {
		return
	}
	c := call{tool: it.Namespace + it.Tool, input: it.Arguments}
	output := resultText(cmp.Or(string(it.Result), string(it.Items)))
	switch it.Type {
	case "McpToolCall":
		c.tool = "mcp__" + it.Server + "__" + it.Tool
	case "CollabAgentToolCall":
		c.input = payloadMembers{"message": it.Prompt}
		if it.Tool == "spawn_agent" && len(it.Receivers) == 1 {
			b, _ := json.Marshal(map[string]string{"agent_id": it.Receivers[0]}) // strings always encode
			output = string(b)
		}
	}
	r.unhooked(row, it, c, output)
}

// takeCall removes the call of the conversation whose end an item reports, and returns it. Items of MCP servers have other ids than the
// model's calls: there the tool and the arguments decide.
func (r *reader) takeCall(it completed) (call, bool) {
	if c, ok := r.calls.Take(it.ID); ok || it.Type != "McpToolCall" {
		return c, ok
	}
	for c := range r.calls.Each {
		arguments, ok := c.input.(json.RawMessage)
		if ok && c.fault == "" && strings.HasSuffix(c.tool, it.Tool) && bytes.Equal(compact(arguments), compact(it.Arguments)) {
			return r.calls.Take(c.use)
		}
	}
	return call{}, false
}

// compact returns JSON without white space between its parts.
func compact(b json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return b
	}
	return out.Bytes()
}

// fault returns the error of a call, "" if it did not fail.
func (c completed) fault() string {
	var result struct {
		IsError bool `json:"isError"`
		Snake   bool `json:"is_error"`
	}
	_ = json.Unmarshal(c.Result, &result) // the result may be missing, or a text
	if c.Status != "failed" && (c.Success == nil || *c.Success) && c.Error == "" && !result.IsError && !result.Snake {
		return ""
	}
	return cmp.Or(string(c.Error), c.Stderr, resultText(string(c.Result)), resultText(string(c.Items)), c.Status, "failed")
}

// resultText returns the texts in the JSON of a tool's result, or the JSON if it has none.
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

// unhooked reports the end of a call that no hook reports.
func (r *reader) unhooked(row row, it completed, c call, output string) {
	c.use = it.ID
	s := r.result(row, c, "PostToolUse", output)
	if s == nil {
		return
	}
	s.Sure, s.Report.Hook.Tool.Millis = false, it.millis()
	fail(s, it, it.fault())
}

// fail records the failure of an item in its step: the person declined it, or it has an error. fault is the error.
func fail(s *transcript.Step, it completed, fault string) {
	t := s.Report.Hook.Tool
	if it.Status != "declined" && it.Status != "failed" && it.fault() == "" {
		return
	}
	t.Failed, t.Refused = true, it.Status == "declined"
	t.Exit, t.Error, t.Output, t.Mark, t.Replaced = 0, redact.Text(failure.CleanOutput(fault)), "", "", nil
}

package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"journal/journal/agents"
	"journal/journal/agents/transcript"
)

// about are members of a hook's payload.
type about map[string]any

// begin tells the beginning of the session, or of the subagent, before anything else is
// told of it.
func (r *reader) begin(one row) {
	if r.began {
		return
	}
	r.began = true
	one.id = "0"
	if r.lane != "" {
		r.say(one, "SubagentStart", nil)
		return
	}
	source := "startup"
	if r.meta.Forked != "" {
		source = "fork"
	}
	start := about{"source": source, "model": r.turn.model}
	if path := absolute(r.path); path != "" {
		start["transcript_path"] = path
	}
	r.say(one, "SessionStart", start)
}

// say makes the step of a hook from the payload that the client would have given it.
func (r *reader) say(one row, hook string, members about) {
	if r.watching {
		return // a hook told it
	}
	r.begin(one)
	r.tell(one, hook, hook, members)
}

// tell makes a step, what of its row it is.
func (r *reader) tell(one row, what, hook string, members about) {
	doc := about{"hook_event_name": hook, "session_id": r.Session(), "cwd": r.turn.cwd}
	if hook != "SessionStart" {
		doc["turn_id"] = cmp.Or(one.Payload.Turn, r.turn.id)
	}
	if r.lane != "" {
		doc["agent_id"], doc["agent_type"] = r.lane, cmp.Or(r.meta.Role, "default")
	}
	for name, v := range members {
		doc[name] = v
	}
	b, err := json.Marshal(doc)
	if err != nil {
		r.broken(err)
		return
	}
	env := agents.Env{Now: r.at, Past: true, Getenv: func(string) string { return "" }}
	s := transcript.Step{Report: Dialect.Read(bytes.NewReader(b), env), Row: r.named(one.id), What: what}
	if broken := s.Report.Hook.Broken; broken != "" {
		r.broken(errors.New(broken))
		return
	}
	s.Report.Owed, s.Report.Wait = "", 0
	switch members["tool_name"] { // of the others' results nothing says whether they failed, which no hook tells
	case nil:
		s.Sure = hook == "UserPromptSubmit" && r.lane == ""
	case shell, "apply_patch", "spawn_agent":
		s.Sure = true
	}
	r.pending = append(r.pending, s)
}

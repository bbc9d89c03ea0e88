package codex

import (
	"cmp"

	"journal/journal/agents"
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
	if r.Watching {
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
	env := agents.Env{Now: r.At, Getenv: func(string) string { return "" }}
	s := r.Payload(Dialect, doc, env, r.named(one.id), what)
	if s == nil {
		return
	}
	switch members["tool_name"] { // of the others' results nothing says whether they failed, which no hook tells
	case nil:
		s.Sure = hook == "UserPromptSubmit" && r.lane == ""
	case shell, "apply_patch", "spawn_agent":
		s.Sure = true
	}
}

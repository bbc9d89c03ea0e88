package claude

import (
	"bytes"
	"errors"

	"journal/journal/agents/transcript"
)

// member is a member of a hook's payload, its value as JSON. One without a value is
// left out.
type member struct {
	name  string
	value []byte
}

// begin tells the beginning of the session before anything else is told of it.
func (r *Reader) begin(t *thread) {
	if r.start.kind == "" || t.lane != "" || r.watching {
		return
	}
	one := r.start
	r.start = row{}
	what := ""
	if r.source == "resume" {
		what = "resume"
	}
	r.tell(&thread{}, one, "SessionStart", what, member{"source", quote(r.source)})
}

// say makes the step of a hook from the payload that the client would have given
// it. detail tells steps with the same hook of one row apart.
func (r *Reader) say(t *thread, one row, hook, detail string, about ...member) {
	if r.watching && !one.within && hook != "PostToolUseFailure" {
		return // a failed call may be one that was refused
	}
	r.begin(t)
	r.tell(t, one, hook, detail, about...)
}

func (r *Reader) tell(t *thread, one row, hook, detail string, about ...member) {
	b := append(r.payload[:0], `{"hook_event_name":"`...)
	b = append(append(b, hook...), `","session_id":`...)
	b = append(b, quote(r.session)...)
	put := func(m member) {
		if len(m.value) > 0 {
			b = append(append(append(append(b, `,"`...), m.name...), `":`...), m.value...)
		}
	}
	cwd := one.cwd
	if len(cwd) == 0 {
		cwd = quote(r.root)
	}
	put(member{"cwd", cwd})
	if len(one.prompt) > 0 && one.prompt[0] == '"' {
		put(member{"prompt_id", one.prompt})
	} else if hook != "SessionStart" || detail == "compact" {
		put(member{"prompt_id", t.turn})
	}
	if t.lane != "" {
		put(member{"agent_id", quote(t.lane)})
	}
	for _, m := range about {
		put(m)
	}
	b = append(b, '}')
	r.payload = b

	env := r.env
	env.Now = r.when(one)
	s := transcript.Step{Report: Dialect.Read(bytes.NewReader(b), env), Row: one.uuid, What: hook}
	if detail != "" {
		s.What += " " + detail
	}
	// Old clients call no hook for a prompt that is typed while a turn runs.
	s.Sure = hook == "PostToolUse" || hook == "UserPromptSubmit" && !s.Report.Hook.Machine && !one.within
	if s.Report.Hook.Broken != "" {
		// The payload is ours: what is broken in it is the row.
		r.broken(errors.New(s.Report.Hook.Broken))
		return
	}
	s.Report.Owed, s.Report.Wait = "", 0
	r.pending = append(r.pending, s)
}

package claude

import (
	"io"
	"strconv"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// readUsage takes the input of the client's statusline (docs/CLIENTS.md §9).
// Before the first answer of a session the percentage is null: there is no
// sample then. Right after a compaction it is zero: that is one.
func readUsage(r io.Reader, env agents.Env) agents.Report {
	p, err := payload.Read(r, payload.Limits{})
	p = p.Clean(redact.Named)
	context := p.Get("context_window")
	h := events.Hook{
		Agent: Name, Native: "statusline", Kind: events.UsageSample,
		Session: p.Get("session_id").Str(),
		Turn:    p.Get("prompt_id").Str(),
		At:      env.Now.UnixNano(),
		Model:   p.Path("model", "id").Str(),
		Client:  Version(p.Get("version").Str()),
		Cwd:     p.Get("cwd").Str(),
	}
	h.Root = agents.Root(p.Path("workspace", "project_dir").Str(), h.Cwd)
	h.PID, _ = strconv.Atoi(env.Getenv(pidVar))
	if err != nil {
		h.Broken = err.Error()
		return agents.Report{Hook: h}
	}
	if percent, ok := context.Get("used_percentage").Float(); ok {
		u := events.Usage{Percent: int(min(max(percent, 0), 100))}
		u.Tokens, _ = context.Get("total_input_tokens").Int()
		u.Window, _ = context.Get("context_window_size").Int()
		h.Usage = &u
	}
	return agents.Report{Hook: h, Key: agents.PayloadKey(Name, h.Native, p)}
}

package claude

import (
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire/frame"
)

// transcriptTail is the size of the end of a transcript that usageOf searches, in bytes. Rows have up to 63 KB (docs/CLIENTS.md §10), and
// only a few of them follow the newest answer.
const transcriptTail = 512 << 10

// usageOf returns the context usage, the model and the client's version of a session without a statusline. It reads them in the newest
// answer of the main lane since the last compaction, at the end of the transcript at path (S1.3, docs/CLIENTS.md §10). The usage has no
// window. It is nil if unknown, as at the start of a session, and for a session of the interactive client, which has a statusline. Only
// regular files are opened, so the call never waits for a pipe.
func usageOf(path string, env agents.Env) (u *events.Usage, model, client string) {
	if entry := env.Getenv(frame.ClaudeEntry); entry == "" || entry == "cli" { // the interactive client has a statusline
		return nil, "", ""
	}
	tail, whole, err := disk.ReadEnd(env.Path(path), transcriptTail)
	if err != nil {
		return nil, "", ""
	}
	for len(tail) > 0 {
		i := bytes.LastIndexByte(tail[:len(tail)-1], '\n')
		if i < 0 && !whole {
			break // the row begins before the tail
		}
		row := tail[i+1:]
		tail = tail[:i+1]
		if bytes.Contains(row, []byte(`"compact_boundary"`)) {
			break
		}
		if u, model, client := rowUsage(row); u != nil {
			return u, model, client
		}
	}
	return nil, "", ""
}

// rowUsage returns the usage, the model and the client's version in a row with an answer of the main lane. u is nil for other rows.
func rowUsage(b []byte) (u *events.Usage, model, client string) {
	row, m, ok := answerOf(b)
	if !ok || row.sidechain {
		return nil, "", ""
	}
	return &events.Usage{Tokens: m.tokens()}, m.model, row.version
}

// maxVersion bounds the length of a version in bytes.
const maxVersion = 32

// plausibleVersion returns s if it may be a version of the client, else "".
func plausibleVersion(s string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	if s == "" || len(s) > maxVersion || s[0] < '0' || '9' < s[0] || strings.Trim(s, "0123456789.+-"+letters) != "" {
		return ""
	}
	return s
}

// readUsage implements agents.Dialect.Usage (docs/CLIENTS.md §9). Before the first answer of a session the percentage is null, so the
// report has no sample. After a compaction the percentage is zero, which is a sample.
func readUsage(r io.Reader, env agents.Env) agents.Report {
	p, err := payload.Read(r, payload.Limits{})
	p = p.Clean(redact.TextAt)
	context := p.Get("context_window")
	h := events.Hook{
		Agent: Name, Native: "statusline", Kind: events.UsageSample,
		Session: p.Get("session_id").Str(),
		Turn:    p.Get("prompt_id").Str(),
		At:      env.Now.UnixNano(),
		Model:   p.Path("model", "id").Str(),
		Client:  plausibleVersion(p.Get("version").Str()),
		Cwd:     p.Get("cwd").Str(),
	}
	h.Root = agents.Root(p.Path("workspace", "project_dir").Str(), h.Cwd)
	h.PID, _ = strconv.Atoi(env.Getenv(frame.ClaudePID))
	if err != nil {
		h.Broken = err.Error()
		return agents.Report{Hook: h}
	}
	if percent, ok := context.Get("used_percentage").Float(); ok {
		u := events.Usage{Percent: int(max(percent, 0))}
		u.Tokens, _ = context.Get("total_input_tokens").Int()
		u.Window, _ = context.Get("context_window_size").Int()
		impossible := u.Percent > 100 // the window is wrong
		if impossible {
			u.Percent, u.Window = 0, 0
		}
		if !impossible || u.Tokens > 0 {
			h.Usage = &u
		}
	}
	return agents.Report{Hook: h, Key: agents.PayloadKey(Name, h.Native, p)}
}

// answerOf returns a row with an answer of the model, and the answer's message. ok is false for other rows, and for an answer without its
// usage.
func answerOf(b []byte) (answer row, m message, ok bool) {
	if !bytes.Contains(b, []byte(`"usage"`)) || !transcript.Closed(b) {
		return row{}, message{}, false
	}
	answer = rowFields.read(b)
	m = messageFields.read(answer.message)
	return answer, m, answer.kind == "assistant" && m.counted
}

// requests implements transcript.Format.Requests. An answer may have several rows, of which the last one has the tokens of the whole
// output.
func requests() func([]byte) []transcript.Request {
	turns := map[string]string{} // by lane
	var newest time.Time         // of a row that has a time
	return func(b []byte) []transcript.Request {
		counted := transcript.Mentions(b, `"usage"`)
		if !counted && transcript.Mentions(b, `"tool_use_id"`) || !transcript.Closed(b) {
			return nil
		}
		row := rowFields.read(b)
		if row.at.IsZero() {
			row.at = newest
		}
		newest = row.at
		lane := row.agent
		switch {
		case row.kind == "user" && row.prompt != "":
			turns[lane] = row.prompt
		case row.kind == "user" && !row.meta && !counted:
			turns[lane] = row.uuid // clients before 2.1 do not name turns
		case row.kind == "assistant" && counted:
			if m := messageFields.read(row.message); m.model != syntheticModel {
				return requestsIn(row, m, turns[lane])
			}
		}
		return nil
	}
}

// requestsIn returns the requests that a row with an answer reports: the answer's own, and those to other models, such as an advisor,
// which the answer's usage does not include. With some gateways every answer has the same message id, so Request.ID also has the id of
// the request, or else the turn.
func requestsIn(row row, m message, turn string) []transcript.Request {
	id := row.uuid
	if m.id != "" {
		id = m.id + " " + row.request
	}
	copyID := id + " " + strconv.FormatInt(row.at.UnixNano(), 10)
	if row.request == "" {
		id += " " + turn
	}
	main := transcript.Request{ID: id, Copy: copyID, Lane: row.agent, Turn: turn, At: row.at, Model: m.model + m.used.fast, Tokens: m.used.tokens(), Price: row.price}
	all := []transcript.Request{main}
	for i, iteration := range m.used.iterations {
		if iteration.kind == "message" || iteration.kind == "" {
			continue
		}
		other := main
		other.Price = 0
		other.ID, other.Copy, other.Tokens = id+" "+strconv.Itoa(i), copyID+" "+strconv.Itoa(i), iteration.tokens()
		other.Model = cmp.Or(iteration.model, m.model)
		all = append(all, other)
	}
	return all
}

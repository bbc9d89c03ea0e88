package claude

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
)

// row is one line of a transcript of Claude Code, 1.0 to 2.1 (docs/CLIENTS.md §10). rowFields maps the members to the fields. A field
// is empty if the row has no such member.
type row struct {
	kind, subtype       string // kind is the member "type"
	version             string // version of the client
	uuid, parent        string
	rooted              bool   // parentUuid is null
	session, agent      string // agent is the subagent, "" in the main lane
	asked               string // requestSessionId: the session whose request the row answers
	request             string // requestId: the request to the model
	price               int64  // costUSD, in millionths of a US dollar: only clients before 1.0.9 compute it
	entry               string // entrypoint: the client's starter (see agents.Headless)
	cwd                 string
	prompt              string // promptId: the turn's id in hooks
	at                  time.Time
	source              string // promptSource: typed, system …
	origin              string // human, peer, task …; empty if unknown
	sidechain, meta     bool
	summary, apiError   bool
	title               string // customTitle or aiTitle: a title of the session
	message, result     []byte // JSON; result is the member toolUseResult
	compact, attachment []byte // JSON
	cleared             []byte // microcompactMetadata, JSON
	apiKind             string // error: the kind of an API error
	forked              string // forkedFrom: the session from which the row was copied
	operation           string // operation on the queue of prompts
	content             string // the prompt that the operation adds or removes, or a slash command
	delivered           bool   // deliveryId exists: an attachment reports the prompt that the operation removes
	denied              string // toolDenialKind: why a call did not end, such as user-rejected or permission-rule
	beforeRun           bool   // toolDenialBeforeRun: the call was denied before it ran
	fresh               bool   // no earlier row has the same uuid; set by the reader
	within              bool   // a prompt within a running turn, for which old clients call no hook; set by the reader
}

// head returns a copy with the fields that later steps use. Fields with JSON are left out: their memory is reused for the next row.
func (r row) head() row {
	return row{kind: r.kind, uuid: r.uuid, at: r.at, session: r.session, entry: r.entry, cwd: r.cwd, prompt: r.prompt}
}

// fields maps the names of an object's members to functions that set a field of a T from the JSON of the member.
type fields[T any] map[string]func(target *T, v []byte)

// read returns a T with the fields that an object has.
func (f fields[T]) read(object []byte) (value T) {
	for name, v := range transcript.Members(object) {
		if put := f[string(name)]; put != nil {
			put(&value, v)
		}
	}
	return value
}

// isTrue reports whether a JSON value is true. v is not empty.
func isTrue(v []byte) bool { return v[0] == 't' }

// rowFields reads a row.
var rowFields = fields[row]{
	"type":                 func(r *row, v []byte) { r.kind = transcript.Unquote(v) },
	"subtype":              func(r *row, v []byte) { r.subtype = transcript.Unquote(v) },
	"version":              func(r *row, v []byte) { r.version = plausibleVersion(transcript.Unquote(v)) },
	"uuid":                 func(r *row, v []byte) { r.uuid = transcript.Unquote(v) },
	"parentUuid":           func(r *row, v []byte) { r.parent, r.rooted = transcript.Unquote(v), string(v) == "null" },
	"sessionId":            func(r *row, v []byte) { r.session = transcript.Unquote(v) },
	"requestSessionId":     func(r *row, v []byte) { r.asked = transcript.Unquote(v) },
	"requestId":            func(r *row, v []byte) { r.request = transcript.Unquote(v) },
	"costUSD":              func(r *row, v []byte) { r.price = millionths(v) },
	"agentId":              func(r *row, v []byte) { r.agent = transcript.Unquote(v) },
	"promptSource":         func(r *row, v []byte) { r.source = transcript.Unquote(v) },
	"origin":               func(r *row, v []byte) { r.origin = textIn(v, "kind") },
	"entrypoint":           func(r *row, v []byte) { r.entry = transcript.Unquote(v) },
	"cwd":                  func(r *row, v []byte) { r.cwd = transcript.Unquote(v) },
	"promptId":             func(r *row, v []byte) { r.prompt = transcript.Unquote(v) },
	"timestamp":            func(r *row, v []byte) { r.at = transcript.TimeOf(transcript.Unquote(v)) },
	"isSidechain":          func(r *row, v []byte) { r.sidechain = isTrue(v) },
	"isMeta":               func(r *row, v []byte) { r.meta = isTrue(v) },
	"isCompactSummary":     func(r *row, v []byte) { r.summary = isTrue(v) },
	"isApiErrorMessage":    func(r *row, v []byte) { r.apiError = isTrue(v) },
	"customTitle":          func(r *row, v []byte) { r.title = transcript.Unquote(v) },
	"aiTitle":              func(r *row, v []byte) { r.title = transcript.Unquote(v) },
	"message":              func(r *row, v []byte) { r.message = v },
	"toolUseResult":        func(r *row, v []byte) { r.result = v },
	"compactMetadata":      func(r *row, v []byte) { r.compact = v },
	"microcompactMetadata": func(r *row, v []byte) { r.cleared = v },
	"attachment":           func(r *row, v []byte) { r.attachment = v },
	"error":                func(r *row, v []byte) { r.apiKind = transcript.Unquote(v) },
	"operation":            func(r *row, v []byte) { r.operation = transcript.Unquote(v) },
	"content":              func(r *row, v []byte) { r.content = transcript.Unquote(v) },
	"deliveryId":           func(r *row, _ []byte) { r.delivered = true },
	"toolDenialKind":       func(r *row, v []byte) { r.denied = transcript.Unquote(v) },
	"toolDenialBeforeRun":  func(r *row, v []byte) { r.beforeRun = isTrue(v) },
	"forkedFrom":           func(r *row, v []byte) { r.forked = textIn(v, "sessionId") },
}

// message is a message of a person, the model or a tool.
type message struct {
	id, model, stop string
	content         []byte // JSON: a text, or parts
	counted         bool   // the message has the usage of the request
	used            used
}

// messageFields reads a message.
var messageFields = fields[message]{
	"id":          func(m *message, v []byte) { m.id = transcript.Unquote(v) },
	"model":       func(m *message, v []byte) { m.model = transcript.Unquote(v) },
	"stop_reason": func(m *message, v []byte) { m.stop = transcript.Unquote(v) },
	"content":     func(m *message, v []byte) { m.content = v },
	"usage": func(m *message, v []byte) {
		m.counted, m.used = v[0] == '{', usageFields.read(v)
	},
}

// tokens returns the size of the context of the message's request in tokens, 0 if unknown.
func (m message) tokens() int64 { return m.used.input + m.used.cacheWrite + m.used.cacheRead }

// used holds the tokens of a request, or of one iteration of it.
type used struct {
	kind, model                          string // of an iteration only
	input, cacheRead, cacheWrite, output int64
	cacheWriteHour                       int64  // the part of cacheWrite that is cached for an hour
	fast                                 string // fastMode if the request has the price of that mode, else ""
	iterations                           []used
}

// tokens returns the counts as an event has them.
func (u used) tokens() events.Tokens {
	return events.Tokens{Input: u.input, CacheRead: u.cacheRead, CacheWrite: u.cacheWrite, CacheWriteHour: min(u.cacheWriteHour, u.cacheWrite), Output: u.output}
}

// usageFields reads the usage of a request, or of an iteration.
var usageFields = fields[used]{
	"type":                        func(u *used, v []byte) { u.kind = transcript.Unquote(v) },
	"model":                       func(u *used, v []byte) { u.model = transcript.Unquote(v) },
	"input_tokens":                func(u *used, v []byte) { u.input = number(v) },
	"cache_read_input_tokens":     func(u *used, v []byte) { u.cacheRead = number(v) },
	"cache_creation_input_tokens": func(u *used, v []byte) { u.cacheWrite = number(v) },
	"cache_creation":              func(u *used, v []byte) { u.cacheWriteHour = number(get(v, "ephemeral_1h_input_tokens")) },
	"output_tokens":               func(u *used, v []byte) { u.output = number(v) },
	"speed": func(u *used, v []byte) {
		if transcript.Unquote(v) == "fast" {
			u.fast = fastMode
		}
	},
}

// fastMode stands behind the model of a request in fast mode, which has another price.
const fastMode = "-fast"

// init adds the iterations to usageFields, which also reads them: the initialisation of a variable cannot name the variable.
func init() {
	usageFields["iterations"] = func(u *used, v []byte) {
		for iteration := range transcript.Items(v) {
			u.iterations = append(u.iterations, usageFields.read(iteration))
		}
	}
}

// part is one part of a message.
type part struct {
	kind, id, use string // id is that of a call, use the id of the call of a result
	name          string // the tool of a call
	input, result []byte // JSON; of a call, and the content of a tool's result
	text          string
	reasoning     []byte // JSON
	failed        bool
}

// partFields reads a part.
var partFields = fields[part]{
	"type":        func(p *part, v []byte) { p.kind = transcript.Unquote(v) },
	"id":          func(p *part, v []byte) { p.id = transcript.Unquote(v) },
	"tool_use_id": func(p *part, v []byte) { p.use = transcript.Unquote(v) },
	"name":        func(p *part, v []byte) { p.name = transcript.Unquote(v) },
	"input":       func(p *part, v []byte) { p.input = v },
	"text":        func(p *part, v []byte) { p.text = transcript.Unquote(v) },
	"thinking":    func(p *part, v []byte) { p.reasoning = v },
	"content":     func(p *part, v []byte) { p.result = v },
	"is_error":    func(p *part, v []byte) { p.failed = isTrue(v) },
}

// partsOf returns the parts of a message, from the JSON of its content. A content that is a string is one part.
func partsOf(content []byte) (parts []part) {
	if len(content) > 0 && content[0] == '"' {
		return []part{{kind: "text", text: transcript.Unquote(content)}}
	}
	for item := range transcript.Items(content) {
		parts = append(parts, partFields.read(item))
	}
	return parts
}

// textOf joins the texts of a message.
func textOf(parts []part) string {
	var texts []string
	for _, p := range parts {
		if p.kind == "text" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n")
}

// resultText returns the text of a tool result.
func resultText(p part) string { return textOf(partsOf(p.result)) }

// get returns the JSON of a member of an object, nil if there is none.
func get(object []byte, name string) []byte {
	for n, v := range transcript.Members(object) {
		if string(n) == name {
			return v
		}
	}
	return nil
}

// textIn returns the text of a member of an object, "" if there is none.
func textIn(object []byte, name string) string { return transcript.Unquote(get(object, name)) }

// number returns the whole part of a JSON number, and 0 for any other value, a negative number and one that no int64 has. Some gateways
// write 12.0.
func number(v []byte) int64 {
	whole, _, _ := bytes.Cut(bytes.TrimSpace(v), []byte("."))
	n, err := strconv.ParseInt(string(whole), 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// millionths returns a JSON number of dollars in millionths, 0 for a value that is no price of a request.
func millionths(v []byte) int64 {
	dollars, err := strconv.ParseFloat(string(v), 64)
	if err == nil && 0 <= dollars && dollars <= 1e6 { // false for NaN
		return int64(math.Round(dollars * 1e6))
	}
	return 0
}

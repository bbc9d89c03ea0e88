package claude

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"journal/journal/agents/transcript"
)

// row is one line of a transcript of Claude Code, 1.0 to 2.1 (docs/CLIENTS.md §10).
// Fields that are JSON are empty when the row has no such member.
type row struct {
	kind, subtype       string
	version             string // of the client
	uuid, parent        string
	session, agent      string
	asked               string // session that asked for an answer
	cwd                 []byte // JSON
	prompt              []byte // promptId, JSON
	at                  time.Time
	sidechain, meta     bool
	summary, apiError   bool
	message, result     []byte // JSON
	compact, attachment []byte // JSON
	trouble             []byte // error, JSON
	forked              []byte // forkedFrom, JSON
	operation           string // on the queue of prompts
	content             []byte // of the operation, JSON
	delivered           bool   // an attachment tells what the operation takes out
	denied              string // why a call did not end: user-rejected, or a rule's or a check's doing
	beforeRun           bool   // it was denied before it ran
	within              bool   // a prompt in it was said while a turn ran, and no hook tells it
}

// head gives what a later step needs of a row. The row itself is valid until the
// next is read.
func (r row) head() row {
	return row{
		kind: r.kind, uuid: r.uuid, at: r.at, session: r.session,
		cwd: bytes.Clone(r.cwd), prompt: bytes.Clone(r.prompt),
	}
}

func (r *row) read(b []byte) {
	*r = row{}
	for name, v := range transcript.Members(b) {
		switch string(name) {
		case "type":
			r.kind = transcript.Unquote(v)
		case "subtype":
			r.subtype = transcript.Unquote(v)
		case "version":
			r.version = Version(transcript.Unquote(v))
		case "uuid":
			r.uuid = transcript.Unquote(v)
		case "parentUuid":
			r.parent = transcript.Unquote(v)
		case "sessionId":
			r.session = transcript.Unquote(v)
		case "requestSessionId":
			r.asked = transcript.Unquote(v)
		case "agentId":
			r.agent = transcript.Unquote(v)
		case "cwd":
			r.cwd = v
		case "promptId":
			r.prompt = v
		case "timestamp":
			r.at, _ = time.Parse(time.RFC3339Nano, transcript.Unquote(v))
		case "isSidechain":
			r.sidechain = v[0] == 't'
		case "isMeta":
			r.meta = v[0] == 't'
		case "isCompactSummary":
			r.summary = v[0] == 't'
		case "isApiErrorMessage":
			r.apiError = v[0] == 't'
		case "message":
			r.message = v
		case "toolUseResult":
			r.result = v
		case "compactMetadata":
			r.compact = v
		case "attachment":
			r.attachment = v
		case "error":
			r.trouble = v
		case "operation":
			r.operation = transcript.Unquote(v)
		case "content":
			r.content = v
		case "deliveryId":
			r.delivered = true
		case "toolDenialKind":
			r.denied = transcript.Unquote(v)
		case "toolDenialBeforeRun":
			r.beforeRun = v[0] == 't'
		case "forkedFrom":
			r.forked = v
		}
	}
}

// message is what a person, the model or a tool said.
type message struct {
	id, model, stop string
	content         []byte // JSON: a text, or parts
	tokens          int64  // size of the request's context, 0 unknown
}

func messageOf(v []byte) (m message) {
	for name, v := range transcript.Members(v) {
		switch string(name) {
		case "id":
			m.id = transcript.Unquote(v)
		case "model":
			m.model = transcript.Unquote(v)
		case "stop_reason":
			m.stop = transcript.Unquote(v)
		case "content":
			m.content = v
		case "usage":
			for name, v := range transcript.Members(v) {
				switch string(name) {
				case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
					m.tokens += number(v)
				}
			}
		}
	}
	return m
}

// part is one part of a message. A message that is a text has one.
type part struct {
	kind, id, use string
	name, input   []byte // JSON
	text, said    []byte // JSON; said is the content of a tool's result
	failed        bool
}

func partsOf(content []byte) (parts []part) {
	if len(content) > 0 && content[0] == '"' {
		return []part{{kind: "text", text: content}}
	}
	for item := range transcript.Items(content) {
		var p part
		for name, v := range transcript.Members(item) {
			switch string(name) {
			case "type":
				p.kind = transcript.Unquote(v)
			case "id":
				p.id = transcript.Unquote(v)
			case "tool_use_id":
				p.use = transcript.Unquote(v)
			case "name":
				p.name = v
			case "input":
				p.input = v
			case "text":
				p.text = v
			case "content":
				p.said = v
			case "is_error":
				p.failed = v[0] == 't'
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// textOf joins the texts of a message.
func textOf(parts []part) string {
	var texts []string
	for _, p := range parts {
		if p.kind == "text" {
			texts = append(texts, transcript.Unquote(p.text))
		}
	}
	return strings.Join(texts, "\n")
}

// saidOf gives the text of a tool's result.
func saidOf(p part) string { return textOf(partsOf(p.said)) }

// get gives one member of an object, JSON.
func get(object []byte, name string) []byte {
	for n, v := range transcript.Members(object) {
		if string(n) == name {
			return v
		}
	}
	return nil
}

func number(v []byte) int64 {
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(v)), 10, 64) // no count otherwise
	return n
}

package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/events/shell/failure"
	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

var errNoObject = errors.New("payload is no object")

// brokenReport returns the report of a payload that could not be read to its end, or is not an object. broken is false for any other
// payload. h holds the known part of the hook, err is the error of reading.
func brokenReport(h events.Hook, p payload.Value, err error) (report Report, broken bool) {
	switch {
	case err == nil && p.Kind() == payload.Object:
		return Report{}, false
	case err == nil:
		err = errNoObject
	}
	h.Broken, h.Rest = err.Error(), p.JSON()
	if p.Kind() == payload.Object {
		h.Rest = object(p)
	}
	h.Rest = fit(h)
	// With the tool call's own key, a complete report of the same call would be an echo of this one.
	return Report{Hook: h, Key: PayloadKey(h.Agent, h.Native, p)}, true
}

// wholeReport returns the report of a complete payload. Its rest has the members that were not taken, and those in more.
func wholeReport(h events.Hook, p *Members, more ...Member) Report {
	cleanTexts(&h)
	r := Report{Key: PayloadKey(h.Agent, h.Native, p.From)}
	if h.Tool != nil && h.Tool.Use != "" {
		r.Key = ToolKey(h.Agent, h.Tool.Use, h.Native)
	}
	h.Rest = object(p.Rest(), more...)
	h.Rest = fit(h)
	r.Hook = h
	return r
}

// cleanTexts removes terminal sequences from a hook's text, its tool call, its tasks and its ended background tasks, and outdated states
// of progress from output and errors. It redacts a changed text again, because a secret may be recognisable only then.
func cleanTexts(h *events.Hook) {
	texts := []*string{&h.Text}
	if t := h.Tool; t != nil {
		texts = append(texts, &t.Command, &t.About, &t.Words, &t.Plan, &t.Task)
		for _, s := range []*string{&t.Output, &t.Error} {
			if p := failure.CleanOutput(*s); p != *s {
				*s = redact.Text(p)
			}
		}
		for i := range t.Todos {
			texts = append(texts, &t.Todos[i].Text)
		}
		for i := range t.Answers {
			texts = append(texts, &t.Answers[i].Question, &t.Answers[i].Answer)
		}
	}
	for i := range h.Tasks {
		texts = append(texts, &h.Tasks[i].Subject, &h.Tasks[i].Detail, &h.Tasks[i].Owner)
	}
	for i := range h.Ended {
		texts = append(texts, &h.Ended[i].Text)
	}
	for _, s := range texts {
		if p := failure.Plain(*s); p != *s {
			*s = redact.Text(p)
		}
	}
}

// Members reads members of an object, and records which members were taken. The others are the rest. A member of an unexpected kind
// stays in the rest, so that the new form of a member in a later client is kept.
type Members struct {
	From  payload.Value
	taken []string
}

// Text takes a member that is a string or null, and returns the string. It takes nothing for the name "".
func (m *Members) Text(name string) string {
	if name == "" {
		return ""
	}
	v := m.From.Get(name)
	if k := v.Kind(); k == payload.String || k == payload.Null {
		m.Drop(name)
	}
	return v.Str()
}

// Number takes a member that is a whole number, and returns it. A zero stays in the rest, because in events 0 means unknown.
func (m *Members) Number(name string) int64 {
	n, _ := m.From.Get(name).Int()
	if n != 0 {
		m.Drop(name)
	}
	return n
}

// Drop removes members from the rest.
func (m *Members) Drop(names ...string) { m.taken = append(m.taken, names...) }

// DropText removes members that are strings or null from the rest.
func (m *Members) DropText(names ...string) {
	for _, name := range names {
		m.Text(name)
	}
}

// DropRepeated removes a member from the rest if it is a string equal to known.
func (m *Members) DropRepeated(name, known string) {
	if v := m.From.Get(name); v.Kind() == payload.String && v.Str() == known {
		m.Drop(name)
	}
}

// Rest returns the object without the taken members.
func (m *Members) Rest() payload.Value { return m.From.Without(m.taken...) }

// Member is a member of a JSON object under construction.
type Member struct {
	Name  string
	Value []byte // JSON
}

// object returns the JSON of an object with the members of v and those in more, nil if there is none.
func object(v payload.Value, more ...Member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(name string, value []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(name) // strings always encode
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	for name, value := range v.Members() {
		put(name, value.JSON())
	}
	for _, m := range more {
		put(m.Name, m.Value)
	}
	b.WriteByte('}')
	if b.Len() == 2 {
		return nil
	}
	return b.Bytes()
}

// RestMember returns a value as a member called name. To an object it adds the members in more. It returns nil for an absent value
// and for an object without members.
func RestMember(name string, v payload.Value, more ...Member) []Member {
	switch v.Kind() {
	case payload.Absent:
		return nil
	case payload.Object:
		if value := object(v, more...); value != nil {
			return []Member{{name, value}}
		}
		return nil
	}
	return []Member{{name, v.JSON()}}
}

const (
	// restAtLeast is a size of the rest that always fits into an envelope, in bytes: the event beside the rest has at most 384 KiB of
	// texts and 10,000 items.
	restAtLeast = 64 << 10
	// aroundBody is reserved, in bytes, for the parts of an envelope other than body, session, lane, turn and rest.
	aroundBody = 8 << 10
)

// fit returns the rest of a hook, shortened to fit into an envelope beside the hook's first event. The texts of a payload are bounded
// before they are encoded, and the JSON of the rest may have six bytes for one byte of a text.
func fit(h events.Hook) []byte {
	if len(h.Rest) <= restAtLeast {
		return h.Rest
	}
	room := events.MaxBytes - aroundBody - len(h.Session) - len(h.Lane) - len(h.Turn)
	if env, err := events.Wrap(events.Recognise(h)[0], events.Meta{}); err == nil {
		room -= len(env.Body)
	}
	if room = max(room, restAtLeast); len(h.Rest) <= room {
		return h.Rest
	}
	// room/8 bytes of texts become at most six eighths of the room, and the syntax around room/64 items takes another eighth.
	short, _ := payload.Read(bytes.NewReader(h.Rest), payload.Limits{String: 1 << 10, Total: room / 8, Items: room / 64})
	return short.Clean(nil).JSON()
}

// ToolKey returns the occurrence key of a hook about a tool call. The call's id, use, is unique, so equal keys mean one fact.
func ToolKey(agent, use, native string) string {
	return events.ToolKey + digest(agent, use, native)
}

// PayloadKey returns the occurrence key of a hook that is not about a tool call with an id: a digest of its payload, with sorted
// members because the agent's order is not stable. Equal keys may mean two facts; the owner decides by the events between them.
func PayloadKey(agent, native string, p payload.Value) string {
	return events.PayloadKey + digest(agent, native, string(appendSorted(nil, p)))
}

// appendSorted appends a text for a digest: the JSON of v with the members of objects sorted by name, and a comma after each item.
func appendSorted(b []byte, v payload.Value) []byte {
	switch v.Kind() {
	case payload.Object:
		members := maps.Collect(v.Members())
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(members)) {
			key, _ := json.Marshal(name) // strings always encode
			b = append(append(b, key...), ':')
			b = append(appendSorted(b, members[name]), ',')
		}
		return append(b, '}')
	case payload.Array:
		b = append(b, '[')
		for item := range v.Items() {
			b = append(appendSorted(b, item), ',')
		}
		return append(b, ']')
	default:
		return append(b, v.JSON()...)
	}
}

// digest returns the first 16 hex digits of the digest of some words.
func digest(words ...string) string {
	return text.Digest(strings.Join(words, "\x02"))[:16]
}

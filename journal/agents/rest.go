package agents

import (
	"bytes"
	"encoding/json"

	"journal/events"
	"journal/journal/agents/payload"
)

// Taker reads texts out of an object and notes which members it took: what is
// left is the rest. A member of another kind than expected stays in the rest,
// so that a client's new shape of it is kept.
type Taker struct {
	From  payload.Value
	taken []string
}

// Text takes a member that is a string. Null says nothing and goes too.
func (t *Taker) Text(name string) string {
	v := t.From.Get(name)
	if k := v.Kind(); k == payload.String || k == payload.Null {
		t.Drop(name)
	}
	return v.Str()
}

// Number takes a member that is a whole number. Events leave a zero out, which
// then would mean unknown: that stays in the rest.
func (t *Taker) Number(name string) int64 {
	n, _ := t.From.Get(name).Int()
	if n != 0 {
		t.Drop(name)
	}
	return n
}

// Drop keeps members out of the rest.
func (t *Taker) Drop(names ...string) { t.taken = append(t.taken, names...) }

// Echo drops a member that only repeats a text known from elsewhere.
func (t *Taker) Echo(name, known string) {
	if v := t.From.Get(name); v.Kind() == payload.String && v.Str() == known {
		t.Drop(name)
	}
}

// Rest gives what was not taken.
func (t *Taker) Rest() payload.Value { return t.From.Without(t.taken...) }

// Member is a member of a JSON object under construction.
type Member struct {
	Name  string
	Value []byte // JSON
}

// Object gives the JSON of an object with more members, nil when it has none.
func Object(v payload.Value, more ...Member) []byte {
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

// Left gives what is left of a value, with more members, as a member called
// name; none when nothing is left of it.
func Left(name string, v payload.Value, more ...Member) []Member {
	switch v.Kind() {
	case payload.Absent:
		return nil
	case payload.Object:
		if value := Object(v, more...); value != nil {
			return []Member{{name, value}}
		}
		return nil
	}
	return []Member{{name, v.JSON()}}
}

const (
	// restAtLeast always has room beside an event of a dialect that keeps at
	// most 384 KiB of texts and 10,000 items.
	restAtLeast = 64 << 10
	// aroundBody is room for what an envelope holds besides its body, the
	// session, the lane, the turn and the rest.
	aroundBody = 8 << 10
)

// Fit gives the rest of a hook, shortened to what an envelope has room for beside
// the hook's first event, which carries it. The event's texts are bounded
// already, but JSON spells one byte with up to six.
func Fit(h events.Hook) []byte {
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
	// Six eighths for the texts, one for what stands around up to room/64 items.
	short, _ := payload.Read(bytes.NewReader(h.Rest), payload.Limits{String: 1 << 10, Total: room / 8, Items: room / 64})
	return short.Clean(nil).JSON()
}

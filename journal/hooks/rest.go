package hooks

import (
	"bytes"
	"encoding/json"

	"journal/events"
	"journal/journal/payload"
)

// taker reads texts out of an object and notes which members it took: what is
// left is the rest. A member of another kind than expected stays in the rest,
// so that a client's new shape of it is kept.
type taker struct {
	from  payload.Value
	taken []string
}

// text takes a member that is a string. Null says nothing and goes too.
func (t *taker) text(name string) string {
	v := t.from.Get(name)
	if k := v.Kind(); k == payload.String || k == payload.Null {
		t.drop(name)
	}
	return v.Str()
}

// number takes a member that is a whole number. Events leave a zero out, which
// then would mean unknown: that stays in the rest.
func (t *taker) number(name string) int64 {
	n, _ := t.from.Get(name).Int()
	if n != 0 {
		t.drop(name)
	}
	return n
}

// drop keeps members out of the rest.
func (t *taker) drop(names ...string) { t.taken = append(t.taken, names...) }

// echo drops a member that only repeats a text known from elsewhere.
func (t *taker) echo(name, known string) {
	if v := t.from.Get(name); v.Kind() == payload.String && v.Str() == known {
		t.drop(name)
	}
}

// rest gives what was not taken.
func (t *taker) rest() payload.Value { return t.from.Without(t.taken...) }

// member is a member of a JSON object under construction.
type member struct {
	name  string
	value []byte // JSON
}

// object gives the JSON of an object with more members, nil when it has none.
func object(v payload.Value, more ...member) []byte {
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
		put(m.name, m.value)
	}
	b.WriteByte('}')
	if b.Len() == 2 {
		return nil
	}
	return b.Bytes()
}

// left gives what is left of a value, with more members, as a member called
// name; none when nothing is left of it.
func left(name string, v payload.Value, more ...member) []member {
	switch v.Kind() {
	case payload.Absent:
		return nil
	case payload.Object:
		if value := object(v, more...); value != nil {
			return []member{{name, value}}
		}
		return nil
	}
	return []member{{name, v.JSON()}}
}

const (
	// restAtLeast always has room beside an event of a dialect that keeps at
	// most 384 KiB of texts and 10,000 items.
	restAtLeast = 64 << 10
	// aroundBody is room for what an envelope holds besides its body, the
	// session, the lane, the turn and the rest.
	aroundBody = 8 << 10
)

// fit shortens the rest of a hook to what an envelope has room for beside the
// hook's first event, which carries it (DECISIONS 3.4). Its texts are bounded
// already, but JSON spells one byte with up to six.
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
	// Six eighths for the texts, one for what stands around up to room/64 items.
	short, _ := payload.Read(bytes.NewReader(h.Rest), payload.Limits{String: 1 << 10, Total: room / 8, Items: room / 64})
	return short.Clean(nil).JSON()
}

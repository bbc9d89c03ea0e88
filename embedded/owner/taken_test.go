package owner_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Appenders may write the same types in JSON and in msgpack: those that are declared
// appendable. An agent's hooks tell of others too, and nobody of what is the owner's own to
// know.
func TestTypesOfAppenders(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	refused := func(typ events.Type, agent string) bool {
		t.Helper()
		e := events.Envelope{Meta: events.Meta{
			ID: events.NewID(), Version: 1, Type: typ, TypeVer: 1, At: 1, Agent: agent, Session: "s", Project: "p", Rules: int(redact.RuleSet),
		}, Body: events.Raw{0x80}}
		reply := h.o.Handle(context.Background(), request(t, e))
		if reply.Error != "" && !reply.Refused {
			t.Errorf("%s of %q: %s", typ, agent, reply.Error)
		}
		return reply.Refused
	}
	var appendable []events.Type
	for _, d := range events.Declared() {
		b, err := json.Marshal(wire.Foreign{Type: d.Name, Data: json.RawMessage(`{"no such field": 1}`)})
		if err != nil {
			t.Fatal(err)
		}
		var reply wire.Reply
		if err := json.Unmarshal(h.ask(wire.Append, b), &reply); err != nil || !reply.Refused {
			t.Fatalf("%s: reply %+v, %v", d.Name, reply, err)
		}
		inJSON := !strings.Contains(reply.Error, events.ErrNotAppendable.Error())
		if inMsgpack := !refused(d.Name, ""); inJSON != d.Appendable || inMsgpack != d.Appendable {
			t.Errorf("%s: appendable %v, in JSON %v, in msgpack %v", d.Name, d.Appendable, inJSON, inMsgpack)
		}
		if refused(d.Name, "claude") != events.Reserved(d.Name) {
			t.Errorf("%s of a hook: refused %v", d.Name, !events.Reserved(d.Name))
		}
		if d.Appendable {
			appendable = append(appendable, d.Name)
		}
	}
	if len(appendable) < 10 {
		t.Errorf("appendable are %v", appendable)
	}
	if refused("moon.landed", "") {
		t.Error("what a newer program may know is refused")
	}
}

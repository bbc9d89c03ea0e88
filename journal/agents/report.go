package agents

import (
	"errors"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

var errNoObject = errors.New("payload is no object")

// Broken gives the report of a payload that could not be read to its end, or is no
// object, and false for any other: h has what is known of the hook, err is the
// reader's.
func Broken(h events.Hook, p payload.Value, err error) (Report, bool) {
	if err == nil && p.Kind() != payload.Object {
		err = errNoObject
	}
	if err == nil {
		return Report{}, false
	}
	h.Broken, h.Rest = err.Error(), p.JSON()
	if p.Kind() == payload.Object {
		h.Rest = Object(p)
	}
	h.Rest = Fit(h)
	// Not a tool call's own key: the report of the same call that is whole would be an
	// echo of this one.
	return Report{Hook: h, Key: PayloadKey(h.Agent, h.Native, p)}, true
}

// Whole gives the report of a payload that was read: its texts without the sequences of
// terminals, its key, and the rest of it, which is what was not taken and more members.
func Whole(h events.Hook, p *Taker, more ...Member) Report {
	plain(&h)
	r := Report{Key: PayloadKey(h.Agent, h.Native, p.From)}
	if h.Tool != nil && h.Tool.Use != "" {
		r.Key = ToolKey(h.Agent, h.Tool.Use, h.Native)
	}
	h.Rest = Object(p.Rest(), more...)
	h.Rest = Fit(h)
	r.Hook = h
	return r
}

// plain takes the sequences of terminals out of what is said in a hook. What has none
// was redacted; of what has, a secret may be known only without them.
func plain(h *events.Hook) {
	texts := []*string{&h.Text}
	if t := h.Tool; t != nil {
		texts = append(texts, &t.Command, &t.About, &t.Output, &t.Error, &t.Words, &t.Plan, &t.Task)
		for i := range t.Todos {
			texts = append(texts, &t.Todos[i].Text)
		}
		for i := range t.Answers {
			texts = append(texts, &t.Answers[i].Question, &t.Answers[i].Answer)
		}
	}
	for i := range h.Tasks {
		texts = append(texts, &h.Tasks[i].Subject, &h.Tasks[i].Detail)
	}
	if h.Ended != nil {
		texts = append(texts, &h.Ended.Text)
	}
	for _, s := range texts {
		if p := failure.Plain(*s); p != *s {
			*s = redact.Text(p)
		}
	}
}

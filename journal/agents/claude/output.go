package claude

import (
	"cmp"
	"io"

	"journal/events"
	"journal/journal/outcome"
	"journal/journal/payload"
	"journal/journal/redact"
)

// output sees all output of a shell command while the payload is decoded: only its
// ends are kept, and what tells a failure may stand between them.
type output struct{ stdout, stderr outcome.Scanner }

func (o *output) tapped(l payload.Limits) payload.Limits {
	l.Taps = map[string]io.Writer{"tool_response.stdout": &o.stdout, "tool_response.stderr": &o.stderr}
	return l
}

// mark gives the line that shows that a command failed though its exit code does not.
func (o *output) mark(command string) string {
	return redact.Text(cmp.Or(o.stdout.Mark(command), o.stderr.Mark(command)))
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
		if p := outcome.Plain(*s); p != *s {
			*s = redact.Text(p)
		}
	}
}

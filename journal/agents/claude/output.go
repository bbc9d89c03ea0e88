package claude

import (
	"cmp"
	"io"

	"journal/events/shell/failure"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// output sees all output of a shell command while the payload is decoded: only its
// ends are kept, and what tells a failure may stand between them.
type output struct{ stdout, stderr failure.Scanner }

func (o *output) tapped(l payload.Limits) payload.Limits {
	l.Taps = map[string]io.Writer{"tool_response.stdout": &o.stdout, "tool_response.stderr": &o.stderr}
	return l
}

// mark gives the line that shows that a command failed though its exit code does not.
func (o *output) mark(command string) string {
	return redact.Text(cmp.Or(o.stdout.Mark(command), o.stderr.Mark(command)))
}

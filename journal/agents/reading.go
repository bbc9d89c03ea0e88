package agents

import (
	"io"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// Reading is how a dialect reads payloads that are one JSON object each.
type Reading struct {
	Limits payload.Limits
	// Output is the path of what a command printed: all of it is searched for marks of
	// failure, however little of it is kept.
	Output string
	// Hook takes what every payload tells: session, lane, directory, and the kind.
	Hook func(p *Taker, env Env) events.Hook
	// Meaning fills in what a hook is about, and takes from the payload what stands in
	// the hook's event. It gives the members that belong into the rest.
	Meaning func(h *events.Hook, p *Taker, output *failure.Scanner) []Member
	// Around takes what is known anyway of where the hook ran. Nil takes nothing.
	Around func(h events.Hook, p *Taker)
	// Owed says which answer a hook can take, and how long it may wait for it.
	Owed func(h events.Hook) (kind string, wait time.Duration)
}

// Read takes one payload. It never fails. The end of a session is quick: no client waits
// long for it.
func (d Reading) Read(r io.Reader, env Env) Report {
	var output failure.Scanner
	limits := d.Limits
	limits.Taps = map[string]io.Writer{d.Output: &output}
	p, err := payload.Read(r, limits)
	p = p.Clean(redact.Named)
	if other := Claiming(p); other != nil {
		return other.Taken(p, err, env)
	}
	top := Taker{From: p}
	h := d.Hook(&top, env)
	quick := h.Kind == events.SessionEnd
	if rep, broken := Broken(h, p, err); broken {
		rep.Quick = quick
		return rep
	}
	more := d.Meaning(&h, &top, &output)
	if d.Around != nil {
		d.Around(h, &top)
	}
	rep := Whole(h, &top, more...)
	rep.Quick = quick
	rep.Owed, rep.Wait = d.Owed(h)
	return rep
}

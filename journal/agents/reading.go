package agents

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/payload"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Names are the members of a payload that any hook may have; empty for none. The envelope has those of the first line,
// so they are taken; the others stay in the rest until somebody takes them.
type Names struct {
	Hook, Session, Lane, Turn                         string
	LaneType, Cwd, Source, Trigger, Model, Transcript string
}

// Payload is the payload of one hook while it is read.
type Payload struct {
	Members
	Env    Env
	Output [2]failure.Scanner // of Dialect.Outputs
}

// waits bounds how long an agent waits for an answer; for kinds that are missing here it does not wait.
var waits = map[string]time.Duration{
	wire.RecoveryText: 3 * time.Second, wire.StartText: 3 * time.Second, wire.StartOrDue: 3 * time.Second,
	wire.Guidance: 500 * time.Millisecond,
	wire.DueText:  150 * time.Millisecond, wire.PressureNotice: 150 * time.Millisecond, wire.StopAdvice: 150 * time.Millisecond,
}

// Read reads one payload. It never fails.
func (d *Dialect) Read(r io.Reader, env Env) Report {
	in := Payload{Env: env}
	limits := d.Limits
	limits.Taps = map[string]io.Writer{}
	for i, path := range d.Outputs {
		limits.Taps[path] = &in.Output[i]
	}
	p, err := payload.Read(r, limits)
	in.From = p.Clean(redact.TextAt)
	for _, other := range declared {
		if other != d && other.Claims != nil && other.Claims(in.From) {
			in.leave(other.Limits.Drop)
			return other.report(&in, err)
		}
	}
	rep := d.report(&in, err)
	if rep.Hook.Broken == "" {
		rep.Owed = d.owed(rep.Hook, env)
		rep.Wait = waits[rep.Owed]
	}
	return rep
}

// leave removes the members that another dialect than the reading one drops.
func (p *Payload) leave(drop func(path string) bool) {
	for name := range p.From.Members() {
		if drop != nil && drop(name) {
			p.From = p.From.Without(name)
		}
	}
}

// report returns the report of a bounded and redacted payload, for any dialect; err is the reader's.
func (d *Dialect) report(p *Payload, err error) Report {
	h := d.hook(p)
	quick := h.Kind == events.SessionEnd || slices.Contains(d.Quick, h.Kind) // no client waits long then
	rep, broken := Broken(h, p.From, err)
	if !broken {
		more := d.Meaning(&h, p)
		if d.Around != nil {
			d.Around(&h, p)
		}
		rep = Whole(h, &p.Members, more...)
	}
	rep.Quick = quick
	return rep
}

// TakeCwd takes the member "cwd" if the event has it, or if it equals the root.
func (p *Payload) TakeCwd(h *events.Hook) {
	command := h.Kind == events.ToolEnd && h.Tool.Action == events.RunCommand
	if command || h.Kind == events.SessionStart || h.Cwd == h.Root {
		p.Text("cwd")
	}
}

// hook takes what every payload has.
func (d *Dialect) hook(p *Payload) events.Hook {
	look := func(name string) string {
		if name == "" {
			return ""
		}
		return p.From.Get(name).Str()
	}
	take := func(name string) string {
		if name == "" {
			return ""
		}
		return p.Text(name)
	}
	n := d.Names
	h := events.Hook{
		Agent: d.Agent, At: p.Env.Now.UnixNano(), Native: cmp.Or(take(n.Hook), p.Env.Event),
		Session: take(n.Session), Lane: take(n.Lane), Turn: take(n.Turn),
		AgentType: look(n.LaneType), Cwd: look(n.Cwd), Source: look(n.Source), Trigger: look(n.Trigger),
		Model: look(n.Model), Transcript: look(n.Transcript),
	}
	h.Kind = cmp.Or(d.Kinds[h.Native], events.Other)
	if d.Place != nil {
		d.Place(&h, p)
	}
	h.Root = Root(cmp.Or(p.Env.Getenv(d.Vars.Project), h.Root), h.Cwd)
	return h
}

// Root returns the project's directory: dir if the agent gave it, else the nearest directory above cwd with a .git,
// else cwd.
func Root(dir, cwd string) string {
	if dir != "" {
		return filepath.Clean(dir)
	}
	if cwd == "" {
		return ""
	}
	for at := filepath.Clean(cwd); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(cwd)
		}
	}
}

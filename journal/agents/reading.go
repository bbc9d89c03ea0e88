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

// Names holds the names of the members that any payload of an agent may have, "" for a member that the agent does not have.
type Names struct {
	// The type or the envelope of an event has the following four. So they are removed from the rest, which are the members that are
	// stored beside the event.
	Hook, Session, Lane, Turn string
	// The following stay in the rest unless Dialect.Meaning or Dialect.DropRepeated removes them.
	LaneType, Cwd, Source, Trigger, Model, Transcript string
}

// Payload is the payload of one hook while it is read.
type Payload struct {
	Members
	Env    Env
	Output [2]failure.Scanner // one for each of Dialect.Outputs; each has read its whole output
}

// waits maps kinds of answers to the longest time that an agent waits for them. For other kinds see Report.Wait.
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
		if other != d && other.Sent != nil && other.Sent(in.From) {
			in.dropMembers(other.Limits.Drop)
			return other.report(&in, err)
		}
	}
	rep := d.report(&in, err)
	if rep.Hook.Broken == "" {
		rep.AnswerKind = d.answerKind(rep.Hook)
		rep.Wait = waits[rep.AnswerKind]
	}
	return rep
}

// dropMembers removes the top members that satisfy drop, which may be nil. The payload was read with the limits of another dialect.
func (p *Payload) dropMembers(drop func(path string) bool) {
	for name := range p.From.Members() {
		if drop != nil && drop(name) {
			p.From = p.From.Without(name)
		}
	}
}

// report returns the report of a payload that was read, cut and redacted. err is the error of reading it.
func (d *Dialect) report(p *Payload, err error) Report {
	h := d.hook(p)
	quick := h.Kind == events.SessionEnd || slices.Contains(d.Quick, h.Kind)
	rep, broken := brokenReport(h, p.From, err)
	if !broken {
		more := d.Meaning(&h, p)
		if d.DropRepeated != nil {
			d.DropRepeated(&h, p)
		}
		if h.Tool != nil {
			for i := range d.Outputs {
				h.Tool.Found = cmp.Or(h.Tool.Found, foundIn(h.Tool, &p.Output[i]))
			}
			for i, path := range h.Tool.Paths {
				h.Tool.Paths[i] = below(h.Root, path)
			}
			for i, r := range h.Tool.Replaced {
				h.Tool.Replaced[i].Path = below(h.Root, r.Path)
			}
		}
		rep = wholeReport(h, &p.Members, more...)
	}
	rep.Quick = quick
	return rep
}

// keptWhole is the length up to which the output of a command is kept whole, in bytes: the default of payload.Limits.String.
const keptWhole = 16 << 10

// foundIn returns the findings in the output of a failed command, each on a line. It returns "" for fewer than two findings, for an
// output that is short enough to be kept whole, and for a command that did not fail.
func foundIn(t *events.ToolCall, scanned *failure.Scanner) string {
	if t.Mark == "" && !t.Failed {
		return ""
	}
	output := scanned.Whole()
	if len(output) <= keptWhole {
		return ""
	}
	found := failure.Findings(t.Command, redact.Text(failure.Plain(output)))
	if len(found) < 2 {
		return ""
	}
	return failure.Listed(found)
}

// below returns the path of a file as it is spelled below root, or path if the file is not there. With a link on the way to the project, a
// client names the root by the link and a file by its real path, or the other way round.
func below(root, path string) string {
	local := func(dir, path string) (rel string, ok bool) {
		rel, err := filepath.Rel(dir, path)
		return rel, err == nil && filepath.IsLocal(rel)
	}
	if _, ok := local(root, path); ok || root == "" || !filepath.IsAbs(path) {
		return path
	}
	realRoot, err := filepath.EvalSymlinks(root)
	realDir, dirErr := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || dirErr != nil {
		return path
	}
	if rel, ok := local(realRoot, realDir); ok {
		return filepath.Join(root, rel, filepath.Base(path))
	}
	return path
}

// TakeCwd removes the member "cwd" from the rest if the event has the directory, or if the directory is the root.
func (p *Payload) TakeCwd(h *events.Hook) {
	command := h.Kind == events.ToolEnd && h.Tool.Action == events.RunCommand
	if command || h.Kind == events.SessionStart || h.Cwd == h.Root {
		p.DropText("cwd")
	}
}

// hook returns a hook with the fields that every payload may have.
func (d *Dialect) hook(p *Payload) events.Hook {
	text := func(name string) string {
		if name == "" {
			return ""
		}
		return p.From.Get(name).Str()
	}
	n := d.Names
	h := events.Hook{
		Agent: d.Agent, At: p.Env.Now.UnixNano(), Native: cmp.Or(p.Text(n.Hook), p.Env.Event),
		Session: p.Text(n.Session), Lane: p.Text(n.Lane), Turn: p.Text(n.Turn),
		AgentType: text(n.LaneType), Cwd: text(n.Cwd), Source: text(n.Source), Trigger: text(n.Trigger),
		Model: text(n.Model), Transcript: text(n.Transcript),
	}
	h.Kind = cmp.Or(d.Kinds[h.Native], events.Other)
	if d.Correct != nil {
		d.Correct(&h, p)
	}
	h.Root = Root(cmp.Or(p.Env.Getenv(d.Vars.Project), h.Root), h.Cwd)
	return h
}

// Root returns the project's directory. It is dir, which the agent named. If dir is "", it is the nearest directory with a .git, from
// cwd upwards, or cwd if there is none. It is "" if both are "".
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

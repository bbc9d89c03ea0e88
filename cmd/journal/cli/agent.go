package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"journal/journal"
	"journal/journal/agents"
)

// What an agent may be allowed to run without being asked is recording and reading of its
// own project. A rule of a client allows a verb with whatever follows it, so it is the
// verb that refuses the rest: called with the agent's own session variable it reads the
// project of that session, and takes only the flags that it names in offer.

// offered is the annotation of commands that journal install offers to allow. It holds the
// flags that an agent may give.
const offered = "offered to agents"

// Offer says that a command records or reads within one project, whatever its arguments,
// when only these flags are given, and those of TargetFlags as far as they stay in the
// project. A flag that writes a file, removes, or reads beyond it is none of them.
func Offer(c *cobra.Command, flags ...string) *cobra.Command {
	c.Annotations = map[string]string{offered: strings.Join(flags, " ")}
	return c
}

// OfferedVerbs lists the verbs with a command that is offered, sorted.
func OfferedVerbs(root *cobra.Command) (verbs []string) {
	for _, c := range root.Commands() {
		if isOffered(c) {
			verbs = append(verbs, c.Name())
		}
	}
	slices.Sort(verbs)
	return verbs
}

// Literal says that a command gives what was recorded word for word, to agents too. What
// others print for an agent has the tags broken up to which clients give a meaning.
func Literal(c *cobra.Command) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[literally] = "yes"
	return c
}

const literally = "word for word"

// IsLiteral says whether a command gives what was recorded word for word.
func IsLiteral(c *cobra.Command) bool { return c.Annotations[literally] != "" }

func isOffered(c *cobra.Command) bool {
	_, ok := c.Annotations[offered]
	return ok || slices.ContainsFunc(c.Commands(), isOffered)
}

// inAgent gives the session of the agent in whose shell this runs.
func (a *App) inAgent() (session string, ok bool) {
	_, session = agents.Around(a.Getenv)
	return session, session != ""
}

var errNotForAgents = errors.New("an agent may not")

// confine keeps an agent to what its rules mean, before a command runs.
func (a *App) confine(c *cobra.Command) error {
	verb := c
	for verb.HasParent() && verb.Parent().HasParent() {
		verb = verb.Parent()
	}
	_, agent := a.inAgent()
	for _, w := range []io.Writer{a.Out, a.Err} {
		if d, ok := w.(*display); ok {
			d.inert = (agent || a.Confined) && !IsLiteral(c)
		}
	}
	if !agent || !isOffered(verb) {
		return nil
	}
	a.Confined = true
	names, ok := c.Annotations[offered]
	if !ok {
		return NotForAgents("run " + c.CommandPath())
	}
	var refused error
	c.Flags().Visit(func(f *pflag.Flag) {
		ok := slices.Contains(strings.Fields(names), f.Name)
		switch f.Name {
		case "session", "lane": // what is found by it is looked at
			ok = true
		case "project":
			ok = a.ProjectKey(f.Value.String()) == a.ProjectKey("")
		}
		if !ok && refused == nil {
			refused = NotForAgents(fmt.Sprintf("give --%s to %s: it writes a file, or reaches beyond the agent's own project", f.Name, c.CommandPath()))
		}
	})
	return refused
}

// NotForAgents refuses an agent what it may not do.
func NotForAgents(what string) error {
	return WithHint(fmt.Errorf("%w %s", errNotForAgents, what), "ask the person to run it in a shell of their own")
}

// AsAgent is the same journal as an agent may use it, with nothing on its stdin.
func (a *App) AsAgent(out, err io.Writer) *App {
	return &App{
		Terminal: Terminal{Out: &display{to: out}, Err: &display{to: err}, Getenv: a.Getenv},
		Dir:      a.Dir, Pace: a.Pace, Confined: true,
	}
}

// Within says what a verb may read: the project of the agent's own session, else all of
// them, which is "".
func (a *App) Within(ctx context.Context, log *journal.Log) (project string, err error) {
	if !a.Confined {
		return "", nil
	}
	if a.At != nil {
		return a.ProjectKey(""), nil // mayReadTeam has looked
	}
	session, ok := a.inAgent()
	if !ok {
		return a.ProjectKey(""), nil
	}
	s, err := log.FindSession(ctx, session)
	switch {
	case errors.Is(err, journal.ErrNoSession) || err == nil && s.ID != session: // none of its hooks came yet
		return a.ProjectKey(""), nil
	case err != nil:
		return "", err
	}
	return s.Project, nil
}

// reaches refuses a session of another project to a confined agent; doing says what it may
// not do there.
func (a *App) reaches(ctx context.Context, log *journal.Log, s journal.Session, doing string) error {
	project, err := a.Within(ctx, log)
	if err == nil && project != "" && s.Project != project {
		return NotForAgents(doing + " session " + s.ID + " of another project")
	}
	return err
}

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

// An agent may be allowed to record in its own project, and to read it, without asking. A rule
// of a client allows a verb with any arguments, so the verb itself must refuse the rest: called
// with the agent's own session variable it reads only that session's project, and takes only
// the flags that it names in Offer.

// offered is the annotation of commands that journal install offers to allow. Its value is the
// flags that an agent may use.
const offered = "offered to agents"

// Offer declares that an agent may run a command with any arguments and these flags, because they keep it within one
// project. TargetFlags are checked separately. The flags
// must not include a flag that writes a file, removes something, or reads other projects.
func Offer(c *cobra.Command, flags ...string) *cobra.Command {
	return annotate(c, offered, strings.Join(flags, " "))
}

// OfferedVerbs lists the verbs with an offered command, sorted.
func OfferedVerbs(root *cobra.Command) (verbs []string) {
	for _, c := range root.Commands() {
		if isOffered(c) {
			verbs = append(verbs, c.Name())
		}
	}
	slices.Sort(verbs)
	return verbs
}

// Literal declares that a command prints what was recorded word for word, to agents too. In the
// output of others, tags that have a meaning for clients are broken up for an agent.
func Literal(c *cobra.Command) *cobra.Command { return annotate(c, literally, "yes") }

const literally = "word for word"

// annotate sets an annotation of a command, for the code that all verbs share.
func annotate(c *cobra.Command, key, value string) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[key] = value
	return c
}

// IsLiteral reports whether a command prints what was recorded word for word.
func IsLiteral(c *cobra.Command) bool { return c.Annotations[literally] != "" }

func isOffered(c *cobra.Command) bool {
	_, ok := c.Annotations[offered]
	return ok || slices.ContainsFunc(c.Commands(), isOffered)
}

// inAgent returns the session of the agent in whose shell this runs.
func (a *App) inAgent() (session string, ok bool) {
	_, session = agents.FromEnvironment(a.Getenv)
	return session, session != ""
}

var errNotForAgents = errors.New("an agent may not")

// confine restricts an agent to its own project, before a command runs.
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
		case "session", "lane": // checkReach checks the session that is found
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

// NotForAgents returns the error for what an agent may not do.
func NotForAgents(action string) error {
	return WithHint(fmt.Errorf("%w %s", errNotForAgents, action), "ask the person to run it in a shell of their own")
}

// AsAgent returns an App on the same journal that is confined like an agent, without stdin.
func (a *App) AsAgent(out, err io.Writer) *App {
	return &App{
		Terminal: Terminal{Out: &display{to: out}, Err: &display{to: err}, Getenv: a.Getenv},
		Dir:      a.Dir, Pace: a.Pace, Confined: true,
	}
}

// Within returns the project that a verb may read: for an agent that of its own session;
// "" means all projects.
func (a *App) Within(ctx context.Context, log *journal.Log) (project string, err error) {
	if !a.Confined {
		return "", nil
	}
	if a.Copy != nil {
		return a.ProjectKey(""), nil // mayReadTeam has checked it
	}
	session, ok := a.inAgent()
	if !ok {
		return a.ProjectKey(""), nil
	}
	s, err := SessionNamed(ctx, a, log, session)
	switch {
	case errors.Is(err, journal.ErrNoSession) || err == nil && s.ID != session: // none of its hooks has come yet
		return a.ProjectKey(""), nil
	case err != nil:
		return "", err
	}
	return s.Project, nil
}

// checkReach returns an error if a confined agent names a session of another project; doing names what
// it may not do there.
func (a *App) checkReach(ctx context.Context, log *journal.Log, s journal.Session, doing string) error {
	project, err := a.Within(ctx, log)
	if err == nil && project != "" && s.Project != project {
		return NotForAgents(doing + " session " + s.ID + " of another project")
	}
	return err
}

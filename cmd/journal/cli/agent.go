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

// A person may let an agent run some verbs without asking: those that AllowAgents declares. A permission rule of a client allows
// a verb with any arguments, so the verb itself must refuse what an agent may not do. If the environment has an agent's session
// variable, such a verb reads only the project of that session, and takes only the flags that AllowAgents names.

// agentFlags is the annotation of commands that agents may run. Its value is the flags that they may use.
const agentFlags = "flags for agents"

// AllowAgents declares that an agent may run a command with any arguments and with these flags. None of them may
// write a file, remove something, or read other projects. TargetFlags are checked separately.
func AllowAgents(c *cobra.Command, flags ...string) *cobra.Command {
	c.Annotations[agentFlags] = strings.Join(flags, " ")
	return c
}

// AgentVerbs lists the verbs that agents may run, or that have a subcommand that agents may run, sorted.
func AgentVerbs(root *cobra.Command) (verbs []string) {
	for _, c := range root.Commands() {
		if allowsAgents(c) {
			verbs = append(verbs, c.Name())
		}
	}
	slices.Sort(verbs)
	return verbs
}

// Literal declares that a command prints what was recorded word for word, also for agents. Other commands break up tags that
// have a meaning for clients if an agent runs them.
func Literal(c *cobra.Command) *cobra.Command {
	c.Annotations[literally] = "yes"
	return c
}

// literally is the annotation of commands that Literal declared.
const literally = "word for word"

// IsLiteral reports whether a command prints what was recorded word for word.
func IsLiteral(c *cobra.Command) bool { return c.Annotations[literally] != "" }

// allowsAgents reports whether agents may run a command or one of its subcommands.
func allowsAgents(c *cobra.Command) bool {
	_, ok := c.Annotations[agentFlags]
	return ok || slices.ContainsFunc(c.Commands(), allowsAgents)
}

// agentSession returns the session of the agent that runs this program; empty if no agent does.
func (a *App) agentSession() string {
	_, session := agents.FromEnvironment(a.Getenv)
	return session
}

// errNotForAgents is wrapped by every error of NotForAgents.
var errNotForAgents = errors.New("an agent may not")

// confine returns an error if an agent runs a command that it may not run with these flags. It sets Confined if an agent runs a verb
// of AgentVerbs, and sets display.inert of the outputs.
func (a *App) confine(c *cobra.Command) error {
	verb := c
	for verb.HasParent() && verb.Parent().HasParent() {
		verb = verb.Parent()
	}
	agent := a.agentSession() != ""
	for _, w := range []io.Writer{a.Out, a.Err} {
		if d, ok := w.(*display); ok {
			d.inert = (agent || a.Confined) && !IsLiteral(c)
		}
	}
	if !agent || !allowsAgents(verb) {
		return nil
	}
	a.Confined = true
	names, ok := c.Annotations[agentFlags]
	if !ok {
		return NotForAgents("run " + c.CommandPath())
	}
	var refused error
	c.Flags().Visit(func(f *pflag.Flag) {
		ok := slices.Contains(strings.Fields(names), f.Name)
		switch f.Name {
		case "session", "lane": // checkReach checks the session later, when it is found
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

// NotForAgents returns the error for an action, such as "resume a session", that an agent may not do.
func NotForAgents(action string) error {
	return WithHint(fmt.Errorf("%w %s", errNotForAgents, action), "ask the person to run it in a shell of their own")
}

// RefuseAgents returns the error of NotForAgents if an agent runs this program, or the App is confined; else nil.
func (a *App) RefuseAgents(action string) error {
	if a.agentSession() != "" || a.Confined {
		return NotForAgents(action)
	}
	return nil
}

// AsAgent returns an App on the same journal that is confined to the project as an agent is. It has no stdin.
func (a *App) AsAgent(out, err io.Writer) *App {
	return &App{
		Terminal: Terminal{Out: &display{to: out}, Err: &display{to: err}, Getenv: a.Getenv},
		Dir:      a.Dir, Pace: a.Pace, Confined: true,
	}
}

// ReadableProject returns the key of the only project that a confined verb may read: that of the agent's session or, if the log does
// not have the session, that of Root. "" means that the verb may read all projects.
func (a *App) ReadableProject(ctx context.Context, log *journal.Log) (project string, err error) {
	if !a.Confined {
		return "", nil
	}
	session := a.agentSession()
	if session == "" || a.Copy != nil { // the verbs of the team have checked that this is the project of the agent's session
		return a.ProjectKey(""), nil
	}
	s, err := SessionNamed(ctx, a, log, session)
	switch {
	case errors.Is(err, journal.ErrNoSession) || err == nil && s.ID != session: // none of the agent's hooks has been recorded yet
		return a.ProjectKey(""), nil
	case err != nil:
		return "", err
	}
	return s.Project, nil
}

// checkReach returns an error if a confined agent names a session of another project. verb is "read" or "record in".
func (a *App) checkReach(ctx context.Context, log *journal.Log, s journal.Session, verb string) error {
	project, err := a.ReadableProject(ctx, log)
	if err == nil && project != "" && s.Project != project {
		return NotForAgents(verb + " session " + s.ID + " of another project")
	}
	return err
}

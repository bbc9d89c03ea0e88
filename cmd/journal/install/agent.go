package install

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Scope says whose settings are edited.
type Scope string

const (
	User    Scope = "user"    // all projects of this person; the default
	Project Scope = "project" // one project, for everybody who has it
)

// Agent describes a coding agent whose settings list hooks as
// {"hooks":{EVENT:[{"hooks":[{"type":"command","command":…,"timeout":…}]}]}}.
// Every agent is declared once, in a file of its own, by register. The
// functions are safe for concurrent use.
type Agent struct {
	// Name is the agent's name in `journal hook NAME`.
	Name string

	// Title is the agent's name for people.
	Title string

	// Timeout is written into each entry, in the agent's own unit.
	Timeout int

	// StatusLine says that the settings have a "statusLine" command.
	StatusLine bool

	// Skills says that the agent reads skills/NAME/SKILL.md beside its settings.
	Skills bool

	// SettingsPath returns the file to edit. home is the person's home
	// directory, project the root of the project, getenv the environment.
	SettingsPath func(scope Scope, project, home string, getenv func(string) string) string

	// PolicyPath returns the file by which an administrator overrules the
	// settings on this system, or "" if there is none. It is only read.
	PolicyPath func() string

	// DetectVersion asks the installed agent for its version. It waits no
	// longer than 5 s. An error means that the version is not known.
	DetectVersion func(ctx context.Context) (string, error)

	// Events returns the events to install on a client of that version, in
	// the order in which they are written, and notes about what was left
	// out. A version that cannot be read, "" included, counts as unknown. all
	// asks for every event that is known and harmless.
	Events func(clientVersion string, all bool) (events, notes []string)
}

var agents = map[string]Agent{}

// register declares an agent. It panics on a second one of the same name.
func register(a Agent) Agent {
	if _, ok := agents[a.Name]; ok {
		panic("install: agent " + a.Name + " is declared twice")
	}
	agents[a.Name] = a
	return a
}

// Agents returns the names of the agents that can be installed into, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(agents)) }

// agentNamed finds a declared agent; "" is claude.
func agentNamed(name string) (Agent, error) {
	if name == "" {
		name = claude.Name
	}
	a, ok := agents[name]
	if !ok {
		return Agent{}, &Error{
			Err: fmt.Errorf("agent %q cannot be installed into", name),
			Try: "one of: " + strings.Join(Agents(), ", "),
		}
	}
	return a, nil
}

package install

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose settings are edited.
type Scope string

const (
	User    Scope = "user"    // all projects of this person; the default
	Project Scope = "project" // one project, for everybody who has it
)

// Location is where an agent is installed into.
type Location struct {
	Scope   Scope
	Project string // root of the project, in scope Project
	Home    string // home directory of the person, in scope User
	Getenv  func(string) string
}

// Agent is what an installation into one coding agent consists of: entries in its
// settings, files of ours, or both. It stands in the agent's package. The functions are safe
// for concurrent use.
type Agent struct {
	// Name is the agent's name in `journal hook NAME`.
	Name string

	// Dir is the directory of the agent's configuration.
	Dir func(at Location) string

	// DetectVersion asks the installed agent for its version. It waits no
	// longer than 30 s. An error means that the version is not known. Nil where it does not matter.
	DetectVersion func(ctx context.Context) (string, error)

	// Settings is nil for an agent that has no such list of hooks.
	Settings *Settings

	// Files are written whole, in this order.
	Files []File
}

// Settings are a JSON file in which an agent lists hooks as
// {"hooks":{EVENT:[{"hooks":[{"type":"command","command":…,"timeout":…}]}]}}.
type Settings struct {
	// File is its name in the agent's directory.
	File string

	// Comments says that the agent takes comments in it, and a comma behind a last item.
	Comments bool

	// Timeout is written into each entry, in the agent's own unit, but Timeouts for those events; and Name, where
	// the agent shows a name in place of the command.
	Timeout  int
	Timeouts map[string]int
	Name     string

	// StatusLine says that the settings have a "statusLine" command.
	StatusLine bool

	// Events returns the events to install on a client of that version, in
	// the order in which they are written, and notes about what was left
	// out and what a person has to do besides. A version that cannot be read, ""
	// included, counts as unknown. all asks for every event that is known and
	// harmless.
	Events func(clientVersion string, all bool) (events, notes []string)

	// Warning gives what a hook of that event prints so that the person reads a text, ""
	// for an event that reaches nobody. With it, lines are guarded: without the program
	// they do nothing, and whoever has a project's settings and not the program is told so
	// once a session. nil leaves them plain, for clients that trust a line by its digest.
	Warning func(event, text string) string

	// Allow are the keys, from the outside, of the list of rules by which the agent
	// makes calls without asking.
	Allow []string
	// Rules spells the rules for calls of a command with each of the verbs, and for what
	// else of ours asks. IsRule reads one, whose command ours judges, and SameRule says
	// whether two are about the same verb. nil where there are none.
	Rules    func(clientVersion, command string, verbs []string) []string
	IsRule   func(rule string, ours func(command string) bool) bool
	SameRule func(a, b string) bool

	// Plugins is the key of the object that says of each plugin, NAME@WHERE, whether it is
	// enabled; "" where there are none that could call journal.
	Plugins string

	// Off are the keys that keep the hooks of the settings from running when
	// they are true.
	Off []string

	// Policy is the file by which an administrator overrules the settings on this
	// system, "" if there is none. It is only read. PolicyOff are its keys that
	// keep the hooks from running.
	Policy    string
	PolicyOff []string
}

// File is a file of ours beside the settings of an agent: a skill, a plugin.
type File struct {
	// Path is its path below the agent's directory, with slashes.
	Path string

	// Text is what it holds; {{.}} stands for the command of journal, quoted for
	// the shell, {{hook}} for the words of the agent's hook, as a list in JSON, and
	// {{rules}} for Granted.
	Text string

	// Granted spells, for the file itself, the rules that the person granted; nil: nothing.
	Granted func(rules []string) string

	// Comment is what begins and ends a comment of one line in it.
	Comment [2]string

	// Skill says that it only tells the agent about journal: a person can leave it
	// out and the hooks work.
	Skill bool
}

var agents = map[string]*Agent{}

// Declare registers an agent, from the variables of its package. It panics on a
// second one of the same name.
func Declare(a Agent) *Agent {
	if agents[a.Name] != nil {
		panic("install: agent " + a.Name + " is declared twice")
	}
	agents[a.Name] = &a
	return &a
}

// Agents returns the names of the agents that can be installed into, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(agents)) }

// Found returns the agents that are on this machine, sorted: their program is on PATH, or
// they have a configuration of the person's, or of the project's in scope Project.
func Found(o Options) []string {
	return slices.DeleteFunc(Agents(), func(name string) bool {
		if _, err := exec.LookPath(name); err == nil {
			return false
		}
		fi, err := os.Stat(agents[name].Dir(Location{Scope: o.Scope, Project: o.Dir, Home: o.Home, Getenv: o.Getenv}))
		return err != nil || !fi.IsDir()
	})
}

func agentNamed(name string) (*Agent, error) {
	if a := agents[name]; a != nil {
		return a, nil
	}
	return nil, &Error{
		Err: fmt.Errorf("agent %q cannot be installed into", name),
		Try: "one of: " + strings.Join(Agents(), ", "),
	}
}

// file is where a file of the agent lies, in the system's own form.
func (t target) file(path string) string { return filepath.Join(t.dir, filepath.FromSlash(path)) }

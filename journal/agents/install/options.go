package install

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Options say what to install and where.
type Options struct {
	// Agent is one of [Agents].
	Agent string

	// Scope is [User] or [Project]; "" is User.
	Scope Scope

	// Dir is the root of the project; "" is the working directory. Only scope Project uses it.
	Dir string

	// Home is the home directory; "" is the current user's.
	Home string

	// Bin is the path of journal for the settings; "" is the absolute path of the running program. If journal-hook is
	// beside it, the settings get that path. It is quoted for the shell, so that nothing in it is expanded.
	Bin string

	// All selects every known and harmless event of the client, not only those that recovery needs. Each event costs
	// 25–45 ms of the client's time whenever it fires (docs/CLIENTS.md §7).
	All bool

	// ClientVersion is the version of the agent, such as "2.1.329"; "" asks the agent.
	ClientVersion string

	// Verbs lists the verbs of journal that an agent can be allowed: recording, and reading its own project.
	Verbs []string

	// Allow sets the rules for Verbs. Otherwise none is added; existing ones are kept up to date.
	Allow bool

	// NoSkill omits the files that only tell the agent about journal.
	NoSkill bool

	// NoStatusLine leaves the status line to the person, and restores it if an earlier installation has taken it.
	NoStatusLine bool

	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string

	// Keep is the directory for the bytes of settings from before the installation, which uninstalling restores; it is
	// created when needed. "" keeps none: uninstalling then removes what is ours and leaves the rest.
	Keep string

	// PolicyPath is the administrator's file, which may keep hooks from running; "" is the agent's default for this
	// system.
	PolicyPath string
}

// target is the resolved form of Options.
type target struct {
	wiring
	scope Scope
	keep  string // Options.Keep
	dir   string // the agent's configuration directory
	path  string // the file being edited, as the agent knows it
}

// resolve sets what the options leave open, except the events.
func (o Options) resolve() (target, error) {
	a, err := agentNamed(o.Agent)
	if err != nil {
		return target{}, err
	}
	t := target{wiring: wiring{agent: a}, scope: o.Scope, keep: o.Keep}
	if t.bin, err = o.bin(); err != nil {
		return target{}, err
	}
	t.small, t.verbs = smallBeside(t.bin), o.Verbs

	var home, dir string
	switch o.Scope {
	case "", User:
		t.scope = User
		if home = o.Home; home == "" {
			if home, err = os.UserHomeDir(); err != nil {
				return target{}, &Error{Err: fmt.Errorf("find the home directory: %w", err), Try: "set HOME"}
			}
		}
	case Project:
		if dir, err = filepath.Abs(o.Dir); err != nil {
			return target{}, fmt.Errorf("find the project: %w", err)
		}
	default:
		return target{}, &Error{Err: fmt.Errorf("scope %q does not exist", o.Scope), Try: "--scope user or --scope project"}
	}
	getenv := o.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	t.shared = t.scope == Project
	t.dir = filepath.Clean(a.Dir(Location{t.scope, dir, home, getenv}))
	return t, nil
}

// bin returns the path for the settings.
func (o Options) bin() (string, error) {
	bin := o.Bin
	if bin == "" {
		var err error
		if bin, err = os.Executable(); err != nil {
			return "", &Error{Err: fmt.Errorf("find the running program: %w", err), Try: "name it with --bin PATH"}
		}
	}
	if !utf8.ValidString(bin) || strings.ContainsAny(bin, "\x00\r\n") {
		return "", &Error{
			Err: fmt.Errorf("the path %q cannot stand in a settings file", bin),
			Try: "name a path of readable characters with --bin PATH, a link for example",
		}
	}
	return bin, nil
}

// Version is a release number: major, minor and patch. The zero value is older than every release.
type Version [3]int

var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z])?`) })

// ParseVersion finds the first release number in what a client prints, such as "2.1.329 (Claude Code)". A pre-release
// counts as the previous release: it may lack what the release has.
func ParseVersion(s string) (Version, bool) {
	m := versionPattern().FindStringSubmatch(s)
	if m == nil {
		return Version{}, false
	}
	var v Version
	for i := range v {
		var err error
		if v[i], err = strconv.Atoi(m[i+1]); err != nil {
			return Version{}, false
		}
	}
	if m[4] != "" {
		v[2]--
	}
	return v, true
}

// Less reports whether v was released before w.
func (v Version) Less(w Version) bool { return slices.Compare(v[:], w[:]) < 0 }

// String returns the number as it is usually written.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// AskVersion runs `PROGRAM --version` and returns its output. It waits up to 30 s: a client that was not started for
// long first reads hundreds of megabytes, and one of unknown version gets fewer events.
func AskVersion(program string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, "--version")
		// A wrapper script may leave a child that keeps stdout open.
		cmd.WaitDelay = 500 * time.Millisecond
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("run %s --version: %w", program, err)
		}
		return strings.TrimSpace(string(out)), nil
	}
}

// Scope names whose settings are edited.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // all projects of this person; the default
	Project Scope = "project" // one project, for everybody who has it
)

// Location is the place of an installation.
type Location struct {
	Scope   Scope
	Project string // root of the project, in scope Project
	Home    string // home directory of the person, in scope User
	Getenv  func(string) string
}

// Folder returns an Agent.Dir: a folder of this name in the project, or in the person's home. The environment variable,
// if it is set, names the person's folder instead.
func Folder(name, variable string) func(at Location) string {
	return func(at Location) string {
		switch {
		case at.Scope == Project:
			return filepath.Join(at.Project, name)
		case variable != "" && at.Getenv(variable) != "":
			return at.Getenv(variable)
		}
		return filepath.Join(at.Home, name)
	}
}

// Agent describes an installation into one coding agent: entries in its settings, files of ours, or both. It is in the
// agent's package. The functions are safe for concurrent use.
type Agent struct {
	// Name is the agent's name in `journal hook NAME`.
	Name string

	// Dir is the directory of the agent's configuration.
	Dir func(at Location) string

	// DetectVersion asks the installed agent for its version. It waits at most 30 s. An error means an unknown version.
	// Nil if the version does not matter.
	DetectVersion func(ctx context.Context) (string, error)

	// Settings is nil for an agent without such a list of hooks.
	Settings *Settings

	// Files are written whole, in this order.
	Files []File
}

// Settings describes a JSON file in which an agent lists hooks as
// {"hooks":{EVENT:[{"hooks":[{"type":"command","command":…,"timeout":…}]}]}}.
type Settings struct {
	// File is its name in the agent's directory.
	File string

	// Flat is set if the calls stand directly in an event's list, without a type, and Version is the number that such a file
	// must have as its "version"; 0 for none.
	Flat    bool
	Version int

	// Comments is set if the agent accepts comments and trailing commas in it.
	Comments bool

	// Timeout is written into each entry, in the agent's own unit; Timeouts overrides it for some events. Name is
	// written if the agent shows a name instead of the command.
	Timeout  int
	Timeouts map[string]int
	Name     string

	// StatusLine is set if the settings may have a "statusLine" command.
	StatusLine bool

	// Events returns the events to install on a client of that version, in the order in which they are written, and
	// notes about omitted ones and about what else a person has to do. An unreadable version, including "", counts as
	// unknown. all asks for every known and harmless event.
	Events func(clientVersion string, all bool) (events, notes []string)

	// Warning returns what a hook of the event must print so that the person reads a text, "" for an event that reaches
	// nobody. With it, lines are guarded: without the program they do nothing, and a person who has a project's
	// settings without the program is told once a session. If nil, lines stay plain, for clients that trust a line by
	// its digest.
	Warning func(event, text string) string
	// Shown lists the events whose line the client shows the person and the model with the answer.
	Shown []string

	// Allow is the path of keys, from the outside, to the list of rules for calls that the agent makes without asking.
	Allow []string
	// Rules returns the rules for calls of a command with each of the verbs, and for our other parts that need one.
	// IsRule recognises a rule, whose command ours judges. SameRule reports whether two rules are about the same verb.
	// All are nil if the agent has no rules.
	Rules    func(clientVersion, command string, verbs []string) []string
	IsRule   func(rule string, ours func(command string) bool) bool
	SameRule func(a, b string) bool

	// Plugins is the key of the object that says which plugins, NAME@WHERE, are enabled; "" if no plugin could call
	// journal.
	Plugins string

	// Off lists the keys that disable the hooks of the settings if true.
	Off []string

	// Policy is the file by which an administrator overrules the settings on this system, "" if there is none. It is
	// only read. PolicyOff lists its keys that disable the hooks.
	Policy    string
	PolicyOff []string
}

// Events returns a Settings.Events for an agent whose events do not depend on the client's version.
func Events(byDefault []string, onRequest ...string) func(clientVersion string, all bool) (events, notes []string) {
	return func(_ string, all bool) (events, notes []string) {
		if all {
			return slices.Concat(byDefault, onRequest), nil
		}
		return byDefault, nil
	}
}

// File is a file of ours beside the settings of an agent: a skill, a plugin.
type File struct {
	// Path is its path in the agent's directory, with slashes.
	Path string

	// Text is its content; {{.}} stands for the command of journal, quoted for the shell, {{hook}} for the words of the
	// agent's hook, as a JSON list, and {{rules}} for Granted.
	Text string

	// Granted formats the granted rules for the file; nil: none are inserted.
	Granted func(rules []string) string

	// Comment is the beginning and the end of a one-line comment in it.
	Comment [2]string

	// Skill is set if it only teaches the agent about journal: the hooks work without it.
	Skill bool
}

var agents = map[string]*Agent{}

// Declare registers an agent, from the variables of its package. It panics on a duplicate name.
func Declare(a Agent) *Agent {
	if agents[a.Name] != nil {
		panic("install: agent " + a.Name + " is declared twice")
	}
	agents[a.Name] = &a
	return &a
}

// Agents returns the names of the agents that can be installed into, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(agents)) }

// Found returns the agents on this machine, sorted: their program is on PATH, or they have a configuration directory,
// the person's or in scope Project the project's.
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

// file returns the path of a file of the agent, in the system's form.
func (t target) file(path string) string { return filepath.Join(t.dir, filepath.FromSlash(path)) }

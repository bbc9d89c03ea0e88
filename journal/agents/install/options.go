package install

import (
	"cmp"
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

// Options configure an installation.
type Options struct {
	// Agent is one of [Agents].
	Agent string

	// Scope is [User] or [Project]; "" is User.
	Scope Scope

	// Dir is the root of the project; "" means the working directory. Only scope Project uses it.
	Dir string

	// Home is the person's home directory; "" means that of the current user.
	Home string

	// Bin is the path of journal for the settings; "" means the absolute path of the running program. If journal-hook is beside
	// it, the settings call journal-hook.
	Bin string

	// All selects every known and harmless event of the agent, not only those that recovery needs. Each hook is one more process
	// for which the agent waits.
	All bool

	// ClientVersion is the version of the agent, such as "2.1.329"; "" asks the agent.
	ClientVersion string

	// Verbs lists the verbs of journal that rules can allow: those that record, and those that read the agent's project.
	Verbs []string

	// Allow adds the rules for Verbs. If it is not set, no rule is added, and existing ones are kept up to date.
	Allow bool

	// NoSkill omits the files that only describe journal to the agent.
	NoSkill bool

	// NoStatusLine does not change the person's status line, and restores it if an earlier installation has changed it.
	NoStatusLine bool

	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string

	// Keep is the directory for copies of the settings from before the installation, which uninstalling restores. It is created
	// when needed. "" keeps no copy: uninstalling then only removes our parts.
	Keep string

	// PolicyPath is the administrator's file, which may disable hooks; "" means the agent's default on this system.
	PolicyPath string
}

// target is the resolved form of Options.
type target struct {
	wiring
	scope Scope
	keep  string // Options.Keep
	root  string // the home directory or the project: below it, missing directories are created
	dir   string // the agent's configuration directory
	path  string // the file being edited, perhaps a link
}

// resolve returns the target of the options, with their defaults. It sets neither events nor path.
func (o Options) resolve() (target, error) {
	a, err := agentNamed(o.Agent)
	if err != nil {
		return target{}, err
	}
	t := target{wiring: wiring{agent: a}, scope: o.Scope, keep: o.Keep}
	if t.bin, err = o.bin(); err != nil {
		return target{}, err
	}
	t.hookProgram, t.verbs = hookProgramBeside(t.bin), o.Verbs

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
	t.shared, t.root = t.scope == Project, filepath.Clean(cmp.Or(home, dir))
	t.dir = filepath.Clean(a.Dir(Location{t.scope, dir, home, getenv}))
	return t, nil
}

// upwards returns dir and, if it is below the root, its parents below the root, innermost first.
func (t target) upwards(dir string) (dirs []string) {
	for dirs = []string{dir}; strings.HasPrefix(dir, t.root+string(filepath.Separator)); dirs = append(dirs, dir) {
		if dir = filepath.Dir(dir); dir == t.root {
			break
		}
	}
	return dirs
}

// bin returns the path of journal for the settings.
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

// Version is a release number: major, minor and patch. The zero value precedes every release.
type Version [3]int

var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z])?`) })

// ParseVersion returns the first release number in the output of a client, such as "2.1.329 (Claude Code)", and false if there is none. A
// pre-release counts as the previous release, because it may lack features of the release.
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

// String returns the number in the form 2.1.329, which ParseVersion reads. A pre-release of 2.2.0 is 2.2.0-pre.
func (v Version) String() string {
	if v[2] < 0 {
		return fmt.Sprintf("%d.%d.0-pre", v[0], v[1])
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// AskVersion returns an Agent.DetectVersion that runs `PROGRAM --version` and returns the output. It waits up to 30 s, because an agent
// that was not started for a long time first reads hundreds of megabytes.
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

// Scope is the owner of the edited settings: the person, or a project.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // the person's, for all projects; the default
	Project Scope = "project" // those of one project, for everybody who works on it
)

// Location is the place of an installation.
type Location struct {
	Scope   Scope
	Project string // root of the project; "" in scope User
	Home    string // home directory of the person; "" in scope Project
	Getenv  func(string) string
}

// Folder returns an Agent.Dir. In scope Project its result is the folder called name in the project. In scope User it is the value of the
// environment variable, if that is set, else the folder in the home directory. variable is "" if the agent has none.
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

// Agent describes an installation into one coding agent: entries in its settings, our files, or both. Its functions are safe for
// concurrent use.
type Agent struct {
	// Name is the agent's name in `journal hook NAME`.
	Name string

	// Dir returns the directory of the agent's configuration.
	Dir func(at Location) string

	// DetectVersion asks the installed agent for its version. It waits at most 30 s. An error means an unknown version.
	// Nil if the version does not matter.
	DetectVersion func(ctx context.Context) (string, error)

	// Settings is nil for an agent without a list of hooks in its settings.
	Settings *Settings

	// Files are our files, in the order of installation.
	Files []File
}

// Settings describes a JSON file in which an agent lists hooks as
// {"hooks":{EVENT:[{"hooks":[{"type":"command","command":…,"timeout":…}]}]}}.
type Settings struct {
	// File is the path of the file in the agent's directory, with slashes.
	File string

	// Flat is set if an event's list has the entries themselves, without groups and types. Version is the "version" that the file
	// must have; 0 for none.
	Flat    bool
	Version int

	// Comments is set if the agent accepts comments and trailing commas in the file.
	Comments bool

	// Timeout is the timeout of each entry, in the agent's unit. Timeouts maps events to timeouts that replace it. Name is the name
	// of each entry, "" for none.
	Timeout  int
	Timeouts map[string]int
	Name     string

	// StatusLine is set if the settings may have a "statusLine" command.
	StatusLine bool

	// Events returns the events to install on a version of the agent, in the order in which they are written, and notes for the
	// person, for example about omitted events. A version that cannot be parsed, such as "", counts as unknown. all is Options.All.
	Events func(clientVersion string, all bool) (events, notes []string)

	// Warning returns the output of a hook with which the agent shows the person a text, "" for an event at which it shows none.
	// If Warning is not nil, command lines do nothing if the program is missing, and those in a project's settings print a warning
	// then at the events for which there is an output. If it is nil, the lines only call the program: some agents trust a line by
	// its digest.
	Warning func(event, text string) string
	// Shown lists the events whose command line the agent shows the person and the model together with the answer.
	Shown []string

	// Allow is the path of keys to the list of rules for calls that the agent makes without asking. It is nil, as are Rules,
	// IsRule and SameRule, if the agent has no rules.
	Allow []string
	// Rules returns the rules for calls of a command with each of the verbs, and for our files that need a rule. IsRule reports
	// whether a rule is one of ours; its isOurs reports whether a command in a rule is one of ours. SameRule reports whether two
	// rules are about the same verb.
	Rules    func(clientVersion, command string, verbs []string) []string
	IsRule   func(rule string, isOurs func(command string) bool) bool
	SameRule func(a, b string) bool

	// Plugins is the key of the object with the enabled plugins, by NAME@SOURCE; "" if there is no journal plugin for the agent.
	Plugins string

	// Off lists the keys that disable all hooks if they are true. Disabled, which may be nil, finds other settings with which the
	// agent runs no hook of ours, "" for none: dir is the agent's directory, and value returns the JSON at a path of keys in the file.
	Off      []string
	Disabled func(dir string, value func(path ...string) string) (reason string)

	// Policy is the file with which an administrator overrides the settings on this system, "" if there is none. It is only read.
	// PolicyOff lists the keys of that file that disable the hooks of these settings if they are true.
	Policy    string
	PolicyOff []string
}

// Events returns a Settings.Events for an agent whose events do not depend on the client's version. Those in onRequest are installed
// only if all events are wanted.
func Events(byDefault []string, onRequest ...string) func(clientVersion string, all bool) (events, notes []string) {
	return func(_ string, all bool) (events, notes []string) {
		if all {
			return slices.Concat(byDefault, onRequest), nil
		}
		return byDefault, nil
	}
}

// File is our file in the directory of an agent: a skill or a plugin.
type File struct {
	// Path is the path of the file in the agent's directory, with slashes.
	Path string

	// Text is the template of the content. {{.}} is replaced by the path of journal, quoted for the shell, {{hook}} by the words of
	// the command line of a hook, as a JSON list, and {{rules}} by the result of Granted.
	Text string

	// Granted formats the granted rules for the file. Nil if the text has no {{rules}}.
	Granted func(rules []string) string

	// Comment is the beginning and the end of a one-line comment in the file.
	Comment [2]string

	// Skill is set if the file only describes journal to the agent: the hooks work without it.
	Skill bool
}

var agents = map[string]*Agent{}

// Declare adds an agent. A variable of the agent's package holds its result. It panics on a duplicate name.
func Declare(a Agent) *Agent {
	if agents[a.Name] != nil {
		panic("install: agent " + a.Name + " is declared twice")
	}
	agents[a.Name] = &a
	return &a
}

// Agents returns the names of the agents that can be installed into, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(agents)) }

// Found returns the agents on this machine, sorted: those whose program is in PATH, or whose directory exists in the scope. o must have
// Home or Dir, and Getenv.
func Found(o Options) []string {
	return slices.DeleteFunc(Agents(), func(name string) bool {
		if _, err := exec.LookPath(name); err == nil {
			return false
		}
		fi, err := os.Stat(agents[name].Dir(Location{Scope: o.Scope, Project: o.Dir, Home: o.Home, Getenv: o.Getenv}))
		return err != nil || !fi.IsDir()
	})
}

// agentNamed returns an agent. The error lists the known agents.
func agentNamed(name string) (*Agent, error) {
	if a := agents[name]; a != nil {
		return a, nil
	}
	return nil, &Error{
		Err: fmt.Errorf("agent %q cannot be installed into", name),
		Try: "one of: " + strings.Join(Agents(), ", "),
	}
}

// file returns the path of a file in the agent's directory.
func (t target) file(path string) string { return filepath.Join(t.dir, filepath.FromSlash(path)) }

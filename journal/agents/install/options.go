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

// Options say what to install where. The zero value installs into the
// only agent there is, for this person.
type Options struct {
	// Agent is one of [Agents]; "" is the only one.
	Agent string

	// Scope is [User] or [Project]; "" is User.
	Scope Scope

	// Dir is the root of the project; "" is the working directory. It is used
	// in scope Project only.
	Dir string

	// Home is the home directory; "" is that of the person who runs this.
	Home string

	// Bin is the path of journal as it is to stand in the settings; "" is the
	// absolute path of the running program. When journal-hook lies beside it, that
	// one stands there. It is quoted for the shell, so that nothing in it is
	// expanded.
	Bin string

	// All asks for every event that the client knows and that does no harm,
	// not only for those that recovery needs. Each event costs 25–45 ms of
	// the client's time whenever it fires (docs/CLIENTS.md §7).
	All bool

	// ClientVersion is the version of the agent, such as "2.1.329"; "" asks
	// the agent for it.
	ClientVersion string

	// Verbs are those of journal that an agent can be allowed: recording, and reading of
	// its own project.
	Verbs []string

	// Allow sets the rules for Verbs. Without it none is added; those that are there are
	// kept up to date.
	Allow bool

	// NoSkill leaves out the files that only tell the agent about journal.
	NoSkill bool

	// NoStatusLine leaves the status line to the person, and gives it back
	// when an earlier installation has taken it.
	NoStatusLine bool

	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string

	// Keep is the directory for the bytes of settings from before the installation, to
	// which uninstalling returns; it is made when it is needed. "" keeps none: uninstalling
	// then takes out what is ours and leaves the rest as it stands.
	Keep string

	// PolicyPath is the administrator's file to look at for settings that
	// keep hooks from running; "" is the agent's own for this system.
	PolicyPath string
}

// target is where options lead.
type target struct {
	wiring
	scope Scope
	keep  string // Options.Keep
	dir   string // of the agent's configuration
	path  string // of the file that is looked at, as the agent knows it
}

// resolve fills in what the options leave open, except the events.
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

// bin returns the path that is to stand in the settings.
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

// Version is a release number: major, minor and patch. The zero value is older than
// every release.
type Version [3]int

var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z])?`) })

// ParseVersion finds the first release number in what a client prints, such
// as "2.1.329 (Claude Code)". A pre-release counts as the release before it:
// whether it has what the release has is not known.
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

// AskVersion runs `PROGRAM --version` and gives what it prints. It waits up to 30 s: a
// client that was not started for long reads hundreds of megabytes first, and one that is
// taken for unknown gets fewer events.
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

// Scope says whose settings are edited.
type Scope string

// The scopes.
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

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/journal/agents/install"
)

// EveryAgent means all agents of this machine.
const EveryAgent = "all"

// InstallFlags select the settings that journal is installed into, and the program that they call.
type InstallFlags struct {
	Agent, Scope, Bin, ClientVersion string
	Verbs                            []string // that permission rules of agents can allow
}

// Add adds --scope, which all verbs with InstallFlags share.
func (f *InstallFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Scope, "scope", string(install.User), "user, or project: the settings of the project here")
}

// Check finds mistakes on the command line.
func (f *InstallFlags) Check(c *cobra.Command) error {
	if s := install.Scope(f.Scope); s != install.User && s != install.Project {
		return Usage(c, fmt.Errorf("--scope is %s or %s", install.User, install.Project))
	}
	if f.Agent != "" && f.Agent != EveryAgent && !slices.Contains(install.Agents(), f.Agent) {
		return Usage(c, fmt.Errorf("--agent is one of: %s, %s", strings.Join(install.Agents(), ", "), EveryAgent))
	}
	return nil
}

// Options returns the flags as options for planning an installation.
func (f *InstallFlags) Options(a *App) install.Options {
	home, _ := os.UserHomeDir() // planning reports that it is missing
	bin := f.Bin
	if bin == "" {
		bin, _ = InvokedPath() // planning reports that it is not known
	}
	return install.Options{
		Agent: f.Agent, Scope: install.Scope(f.Scope), Dir: a.Root(""), Home: home, Bin: bin,
		ClientVersion: f.ClientVersion, Getenv: a.Getenv, Verbs: f.Verbs, Keep: filepath.Join(a.Dir, "before-install"),
	}
}

// Args returns the command line flags that select the same agent and settings.
func (f *InstallFlags) Args() (flags string) {
	if f.Agent != "" {
		flags += " --agent " + f.Agent
	}
	if f.Scope == string(install.Project) {
		flags += " --scope project"
	}
	return flags
}

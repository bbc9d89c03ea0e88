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

// EveryAgent is the value of --agent for all agents of this machine.
const EveryAgent = "all"

// InstallFlags select the settings of agents into which journal is installed, and the program that these settings call. Agent may also
// be EveryAgent, or empty.
type InstallFlags struct{ install.Options }

// Add adds --scope, which all verbs with InstallFlags share.
func (f *InstallFlags) Add(c *cobra.Command) {
	c.Flags().StringVar((*string)(&f.Scope), "scope", string(install.User), "user, or project: the settings of the project here")
}

// Check returns an error for an unknown scope or agent.
func (f *InstallFlags) Check(c *cobra.Command) error {
	if f.Scope != install.User && f.Scope != install.Project {
		return Usage(fmt.Errorf("--scope is %s or %s", install.User, install.Project))
	}
	if f.Agent != "" && f.Agent != EveryAgent && !slices.Contains(install.Agents(), f.Agent) {
		return Usage(fmt.Errorf("--agent is one of: %s, %s", strings.Join(install.Agents(), ", "), EveryAgent))
	}
	return nil
}

// For returns the flags as options for planning an installation, with those that no flag sets.
func (f *InstallFlags) For(a *App) install.Options {
	o := f.Options
	o.Dir, o.Getenv, o.Keep = a.Root(""), a.Getenv, filepath.Join(a.Dir, "before-install")
	o.Home, _ = os.UserHomeDir() // planning reports that it is missing
	if o.Bin == "" {
		o.Bin, _ = invokedPath() // planning reports that it is not known
	}
	return o
}

// Args returns the flags that select the same agent and scope, each after a blank.
func (f *InstallFlags) Args() (flags string) {
	if f.Agent != "" {
		flags += " --agent " + f.Agent
	}
	if f.Scope == install.Project {
		flags += " --scope project"
	}
	return flags
}

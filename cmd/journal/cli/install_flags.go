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

// InstallFlags select the settings of agents into which journal is installed, and the program that these settings call.
type InstallFlags struct {
	Agent         string   // name of an agent, EveryAgent, or empty
	Scope         string   // an install.Scope
	Bin           string   // path of the program that the settings call, empty for this one
	ClientVersion string   // version of the agent, empty to ask the agent
	Verbs         []string // verbs that an agent's permission rules can allow (AgentVerbs)
}

// Add adds --scope, which all verbs with InstallFlags share.
func (f *InstallFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Scope, "scope", string(install.User), "user, or project: the settings of the project here")
}

// Check returns an error for an unknown scope or agent.
func (f *InstallFlags) Check(c *cobra.Command) error {
	if s := install.Scope(f.Scope); s != install.User && s != install.Project {
		return Usage(fmt.Errorf("--scope is %s or %s", install.User, install.Project))
	}
	if f.Agent != "" && f.Agent != EveryAgent && !slices.Contains(install.Agents(), f.Agent) {
		return Usage(fmt.Errorf("--agent is one of: %s, %s", strings.Join(install.Agents(), ", "), EveryAgent))
	}
	return nil
}

// Options returns the flags as options for planning an installation.
func (f *InstallFlags) Options(a *App) install.Options {
	home, _ := os.UserHomeDir() // planning reports that it is missing
	bin := f.Bin
	if bin == "" {
		bin, _ = invokedPath() // planning reports that it is not known
	}
	return install.Options{
		Agent: f.Agent, Scope: install.Scope(f.Scope), Dir: a.Root(""), Home: home, Bin: bin,
		ClientVersion: f.ClientVersion, Getenv: a.Getenv, Verbs: f.Verbs, Keep: filepath.Join(a.Dir, "before-install"),
	}
}

// Args returns the flags that select the same agent and scope, each after a blank.
func (f *InstallFlags) Args() (flags string) {
	if f.Agent != "" {
		flags += " --agent " + f.Agent
	}
	if f.Scope == string(install.Project) {
		flags += " --scope project"
	}
	return flags
}

package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"journal/cmd/journal/cli"
	"journal/journal/agents"
	"journal/journal/agents/install"
)

// checkAgent checks the settings of the agent that --agent names, else those of all agents of this machine.
func checkAgent(x *examination) {
	flags := x.flags
	all := []string{flags.Agent}
	if flags.Agent == "" || flags.Agent == cli.EveryAgent {
		all = install.Found(flags.For(x.App))
	}
	if len(all) == 0 {
		x.problem("journal install --agent NAME, one of: "+strings.Join(install.Agents(), ", "), "no agent was found on this machine, so nothing is recorded")
	}
	programs, plugins := map[string][]string{}, map[string]string{} // by agent
	anyInstalled := false
	for _, agent := range all {
		flags.Agent = agent
		called, err := install.Installed(flags.For(x.App))
		plugin, pluginErr := install.Plugin(flags.For(x.App))
		if err := errors.Join(err, pluginErr); err != nil {
			x.problem("fix the file that the message names", "%v", err)
			return
		}
		programs[agent], plugins[agent] = called, plugin
		anyInstalled = anyInstalled || len(called) > 0 || plugin != ""
	}
	for _, agent := range all {
		flags.Agent = agent
		x.checkSettings(flags, programs[agent], plugins[agent], anyInstalled)
	}
}

// checkSettings checks the settings of the agent that flags name. programs are the paths or names by which its settings call
// journal. plugin is the name of its plugin that calls journal, or empty. anyInstalled is set if at least one agent calls journal.
func (x *examination) checkSettings(flags cli.InstallFlags, programs []string, plugin string, anyInstalled bool) {
	options := flags.For(x.App)
	options.NoSkill = true // recording works without it
	plans, err := install.Installation(x.ctx, options)
	if err != nil {
		x.problem("fix the file that the message names", "%v", err)
		return
	}
	plan, command := plans[0], "journal install"+flags.Args() // the first plan is that of the hooks
	isCalled := len(programs) > 0 || plugin != ""
	if !isCalled && anyInstalled {
		x.note(command, "nothing in %s calls journal: sessions of %s are not recorded", plan.Path, plan.Agent)
		return
	}
	if len(programs) > 0 { // notes are about settings that call journal
		for _, p := range plans {
			for _, n := range p.Notes {
				x.note("", "%s", n)
			}
		}
	}
	missing := slices.DeleteFunc(slices.Clone(programs), func(p string) bool { return !filepath.IsAbs(p) || cli.IsExecutable(p) })
	switch {
	case len(programs) == 0 && plugin != "":
		x.ok("%s calls journal by its plugin %s", plan.Agent, plugin)
	case len(programs) == 0:
		x.problem(command, "nothing in %s calls journal, so nothing is recorded", plan.Path)
	case len(missing) > 0:
		x.problem(command, "%s calls %s, which does not exist: those hooks record nothing", plan.Path, strings.Join(missing, " and "))
	case plan.Changed:
		x.note(command+" --dry-run", "%s calls journal, but not as this program would install it (another path, other events, or an older form)", plan.Path)
	case len(plan.Events) == 0:
		x.ok("%s calls %s by %s", plan.Agent, filepath.Base(plan.Program), plan.Path)
	default:
		x.ok("%s calls %s at %s", strings.TrimSpace(plan.Agent+" "+plan.Version), filepath.Base(plan.Program), strings.Join(plan.Events, ", "))
	}
	if d, err := agents.Named(plan.Agent); err == nil {
		x.ok("after a compaction the text reaches %s %s", plan.Agent, d.Arrival())
	}
	if x.nothingArrived() && isCalled && len(missing) == 0 {
		x.note("start a new session of "+plan.Agent, "waiting for the first hook")
	}
	if len(plan.Asked) > 0 && len(programs) > 0 {
		x.note(command+" --allow", "the agent asks before it runs %s, so it records little by itself", install.Quote(x.Command()))
	}
}

// nothingArrived reports whether the log is empty, and nothing waits in the spool.
func (x *examination) nothingArrived() bool { return x.status.LastSeq == 0 && x.status.Spooled == 0 }

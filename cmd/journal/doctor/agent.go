package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"journal/cmd/journal/cli"
	"journal/journal/agents"
	"journal/journal/agents/install"
)

func checkAgent(x *examination) {
	flags := x.flags
	all := []string{flags.Agent}
	if flags.Agent == "" || flags.Agent == cli.EveryAgent {
		all = install.Found(flags.Options(x.App))
	}
	if len(all) == 0 {
		x.problem("journal install --agent NAME, one of: "+strings.Join(install.Agents(), ", "), "no agent was found on this machine, so nothing is recorded")
	}
	called, plugins := map[string][]string{}, map[string]string{}
	for _, agent := range all {
		flags.Agent = agent
		options := flags.Options(x.App)
		programs, err := install.Installed(options)
		if err != nil {
			x.problem("fix the file that the message names", "%v", err)
			return
		}
		if plugins[agent], err = install.Plugin(options); err != nil {
			x.problem("fix the file that the message names", "%v", err)
			return
		}
		if len(programs) > 0 || plugins[agent] != "" {
			called[agent] = programs
		}
	}
	for _, agent := range all {
		flags.Agent = agent
		x.agent(flags, called[agent], plugins[agent], len(called) > 0)
	}
}

// agent checks one agent, whose settings call these programs, or whose plugin does.
// some is set if at least one agent calls journal.
func (x *examination) agent(flags cli.InstallFlags, programs []string, plugin string, some bool) {
	options := flags.Options(x.App)
	options.NoSkill = true // recording works without it
	plans, err := install.Installation(x.ctx, options)
	if err != nil {
		x.problem("fix the file that the message names", "%v", err)
		return
	}
	plan, again := plans[0], "journal install"+flags.Args() // the plan with the hooks
	if len(programs) == 0 && plugin == "" && some {
		x.remark(again, "nothing in %s calls journal: sessions of %s are not recorded", plan.Path, plan.Agent)
		return
	}
	for _, p := range plans {
		if len(programs) == 0 {
			break // they are about the present settings
		}
		for _, n := range p.Notes {
			x.remark("", "%s", n)
		}
	}
	gone := slices.DeleteFunc(slices.Clone(programs), func(p string) bool { return !filepath.IsAbs(p) || cli.IsExecutable(p) })
	switch {
	case len(programs) == 0 && plugin != "":
		x.fine("%s calls journal by its plugin %s", plan.Agent, plugin)
	case len(programs) == 0:
		x.problem(again, "nothing in %s calls journal, so nothing is recorded", plan.Path)
	case len(gone) > 0:
		x.problem(again, "%s calls %s, which is not there: nothing is recorded", plan.Path, strings.Join(gone, " and "))
	case plan.Changed:
		x.remark(again+" --dry-run", "%s calls journal, but not as this program would install it (another path, other events, or an older form)", plan.Path)
	case len(plan.Events) == 0:
		x.fine("%s calls %s by %s", plan.Agent, filepath.Base(plan.Program), plan.Path)
	default:
		x.fine("%s calls %s at %s", strings.TrimSpace(plan.Agent+" "+plan.Version), filepath.Base(plan.Program), strings.Join(plan.Events, ", "))
	}
	if d, err := agents.Named(plan.Agent); err == nil {
		x.fine("after a compaction the text reaches %s %s", plan.Agent, d.Arrival())
	}
	if x.nothingArrived() && (len(programs) > 0 || plugin != "") && len(gone) == 0 {
		x.remark("start a new session of "+plan.Agent, "waiting for the first hook")
	}
	if len(plan.Asked) > 0 && len(programs) > 0 {
		x.remark(again+" --allow", "the agent asks before it runs %s, so it records little by itself", install.Quote(x.Command()))
	}
}

// nothingArrived reports whether nothing is recorded, and nothing waits in the spool.
func (x *examination) nothingArrived() bool { return x.status.LastSeq == 0 && x.status.Spooled == 0 }

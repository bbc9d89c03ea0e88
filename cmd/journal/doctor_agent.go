package main

import (
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/install"
)

var _ = examine(70, "agent", func(x *examination) {
	options := x.flags.options(x.app)
	options.NoSkill = true // nothing is lost without it
	plans, err := install.Installation(x.ctx, options)
	if err != nil {
		x.problem("mend the file that the message names", "%v", err)
		return
	}
	differs := func(p install.Plan) bool { return p.Changed }
	for _, p := range plans {
		for _, n := range p.Notes {
			x.remark("", "%s", n)
		}
	}
	plan := plans[0] // the one that has the hooks
	flags := ""
	if x.flags.scope == string(install.Project) {
		flags = " --scope project"
	}
	switch out, err := install.Removal(options); {
	case err != nil:
		x.problem("mend the file that the message names", "%v", err)
	case !slices.ContainsFunc(out, differs):
		x.problem("journal install"+flags, "nothing in %s calls journal, so nothing is recorded", plan.Path)
	case slices.ContainsFunc(plans, differs):
		x.remark("journal install --dry-run"+flags, "%s calls journal, but not as this program would install it (another path, other events, or an older form)", plan.Path)
	default:
		version := plan.Version
		if version == "" {
			version = "of an unknown version"
		}
		x.fine("%s %s calls %s at %s", plan.Agent, version, filepath.Base(plan.Program), strings.Join(plan.Events, ", "))
	}
})

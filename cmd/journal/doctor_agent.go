package main

import (
	"path/filepath"
	"strings"

	"journal/cmd/journal/install"
)

var _ = examine(70, "agent", func(x *examination) {
	options := x.flags.options(x.app)
	plan, err := install.PlanInstall(x.ctx, options)
	if err != nil {
		x.problem("mend the file that the message names", "%v", err)
		return
	}
	for _, n := range plan.Notes {
		x.remark("", "%s", n)
	}
	flags := ""
	if x.flags.scope == string(install.Project) {
		flags = " --scope project"
	}
	switch out, err := install.PlanUninstall(options); {
	case err != nil:
		x.problem("mend the file that the message names", "%v", err)
	case !out.Changed:
		x.problem("journal install"+flags, "nothing in %s calls journal, so nothing is recorded", plan.Path)
	case plan.Changed:
		x.remark("journal install --dry-run"+flags, "%s calls journal, but not as this program would install it (another path, other events, or an older form)", plan.Path)
	default:
		version := plan.Version
		if version == "" {
			version = "of an unknown version"
		}
		x.fine("%s %s calls %s at %s", options.Agent, version, filepath.Base(plan.Program), strings.Join(plan.Events, ", "))
	}
})

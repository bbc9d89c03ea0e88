package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/journal"
	"journal/journal/git"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var project string
	c := cli.NewCommand("project [NAME]", "which project of others is this one",
		`Two checkouts are one project to the team when the address of the remote or the first commits are the same, as
with a fork or a repository that moved. Without NAME this shows who shares it.

With NAME it is compared by that name alone: for a directory that is in no repository, for two repositories that
have nothing in common, and for one that is to be another than its fork. "" takes the name away.

  journal team project
  journal team project notes --project ~/notes`,
		func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showProject(c.Context(), a, project)
			}
			if args[0] != "" {
				if err := team.CheckName(args[0]); err != nil {
					return cli.Usage(err)
				}
			}
			key := a.ProjectKey(cmp.Or(project, "."))
			if err := team.ChangeProject(a.Dir, key, func(n *team.ProjectNote) { n.Name = args[0] }); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s is called %q\n", key, args[0])
			return nil
		})
	c.Flags().StringVar(&project, "project", "", "project directory or key (the git top level, the working directory)")
	return c
})

// noteAddress notes a repository whose remote has no address, such as a path.
func noteAddress(a *cli.App, id git.Identity) {
	if id.Name == "" && id.Remote == "" && len(id.Commits) > 0 {
		a.Note("its remote has no address that others have too: they find it by its first commits alone, or by a name: journal team project NAME")
	}
}

// showProject prints who shares a project.
func showProject(ctx context.Context, a *cli.App, project string) error {
	m, hub, err := reach(ctx, a)
	if err != nil {
		return err
	}
	defer hub.Close()
	own, err := projectKnown(ctx, a, cmp.Or(project, "."))
	if err != nil {
		return err
	}
	known, trouble := hub.Facts(ctx, m, hub.Members())
	fmt.Fprintf(a.Out, "%s: %s\n", own.Key, cmp.Or(own.Is.String(), "in no repository, and without a name: journal team project NAME"))
	shared := false
	for _, f := range known.All() {
		if own.Is.Same(f.Summary.Is) {
			shared = true
			a.PrintBeside(fmt.Sprintf("  %s/%s  ", f.Member, f.Device), f.Summary.Is.String())
		}
	}
	if !shared {
		fmt.Fprintln(a.Out, "  nobody else shares it")
	}
	noteAddress(a, own.Is)
	if trouble != nil {
		a.Note(trouble.Error())
		return cli.ExitWith(cli.ExitError)
	}
	return nil
}

// projectKnown returns a project of this log as others compare it: a directory by its git repository now, a key by the
// log.
func projectKnown(ctx context.Context, a *cli.App, given string) (p colleagues.Project, err error) {
	p.Key = a.ProjectKey(given)
	if p.Key != given {
		p.Is, err = git.Look(ctx, a.Root(given))
	} else {
		err = a.Read(ctx, func(log *journal.Log) error {
			all, err := colleagues.Projects(ctx, log)
			i := slices.IndexFunc(all, func(o colleagues.Project) bool { return o.Key == given })
			if i < 0 {
				return cmp.Or(err, cli.WithHint(fmt.Errorf("the log knows no project %s", given), "journal sessions"))
			}
			p = all[i]
			return err
		})
	}
	if err != nil {
		return p, err
	}
	notes, err := team.LoadProjects(a.Dir)
	p.Is.Name = notes[p.Key].Name
	return p, err
}

package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/peers"
	"journal/journal"
	"journal/journal/git"
	"journal/projections"
	"journal/replay/recovery"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("heard [PROJECT]", "what others decided and left unfinished",
		`Shows what others decided and left unfinished in repositories whose context both share, as of the last poll of the hub; it asks nobody.
Agents are told the same: decisions in recovery texts, under the member's name, and unfinished work when a session starts. Nothing of it
is recorded in this log, and what a member forgets is gone after the next poll.

journal phase continue --from MEMBER/SESSION goes on with unfinished work, and who left it hears of that.`,
		func(c *cobra.Command, args []string) error {
			if _, err := team.Load(a.Dir); err != nil {
				return err
			}
			project := ""
			if len(args) > 0 {
				project = a.ProjectKey(args[0])
			}
			heard, err := team.LoadHeard(a.Dir, project)
			if err != nil {
				return err
			}
			heard.Decisions = append([]team.Decision{}, heard.Decisions...) // never null
			heard.Unfinished = append([]recovery.Offer{}, heard.Unfinished...)
			return a.Print(heard, func() { printHeard(a, heard) })
		})
	return a.JSONFlag(c)
})

// printHeard prints the decisions and unfinished work of others for people.
func printHeard(a *cli.App, heard team.Heard) {
	if len(heard.Decisions)+len(heard.Unfinished) == 0 {
		fmt.Fprintln(a.Out, "nothing was heard of others")
	}
	for i, d := range colleagues.MemberDecisions(heard.Decisions) {
		fmt.Fprintf(a.Out, "%s  %s/%s #%d  %s\n", d.At.Time().Local().Format(time.DateOnly), d.Member, heard.Decisions[i].Device, d.Seq, d.WithQuestion())
	}
	for _, o := range heard.Unfinished {
		var parts []string
		if o.Skill != "" {
			parts = append(parts, fmt.Sprintf("skill %s, phase %s", o.Skill, o.Phase))
		}
		for _, p := range o.Ports {
			parts = append(parts, fmt.Sprintf("unit of work %s (%s) %s", p.ID, p.Title, p.Progress))
		}
		if o.Plan != "" {
			parts = append(parts, fmt.Sprintf("plan %q", o.Plan))
		}
		a.PrintBeside(fmt.Sprintf("%s/%s  %s  ", o.Member, o.Session, cli.Age(time.Since(time.Unix(0, o.Last)))), strings.Join(parts, "; "))
	}
}

// TakeOver implements cli.Team.
func (cliTeam) TakeOver(c *cobra.Command, a *cli.App, t cli.TargetFlags, fold *projections.Fold, from string) error {
	w, err := leftBy(c.Context(), a, fold.Target().Project, from)
	if err != nil {
		return err
	}
	if own := projections.Phase.In(fold); own.Active() && w.Skill.Active() {
		return cli.AtSkillError(own)
	}
	if err := a.Record(c, t, w.Events()...); err != nil || a.AsJSON {
		return err
	}
	if w.Skill.Active() {
		if err := a.PrintStateOf(w.Skill); err != nil {
			return err
		}
	}
	if w.Approved != "" {
		fmt.Fprintf(a.Out, "plan %q\n", w.Plan.Title)
	}
	for _, p := range w.Ports {
		fmt.Fprintf(a.Out, "unit of work %s (%s): %s\n", p.ID, p.Title, p.Progress)
	}
	return nil
}

// leftBy returns the unfinished work of MEMBER/SESSION in a project of this log.
func leftBy(ctx context.Context, a *cli.App, project, from string) (w colleagues.Work, err error) {
	member, session, _ := strings.Cut(from, "/")
	if err := team.CheckName(member); err != nil {
		return w, err
	}
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return w, err
	}
	if !share.SharesContext(project) {
		return w, cli.WithHint(fmt.Errorf("the context of %s is not shared", project), "journal team share PROJECT")
	}
	own, err := identifyProject(ctx, a, project)
	if err != nil {
		return w, err
	}
	_, hub, err := reach(ctx, a)
	if err != nil {
		return w, err
	}
	defer hub.Close()
	return colleagues.Find(ctx, hub, own, member, session, func(c peers.Copy) (*journal.Log, error) { return logOf(ctx, a, c) })
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var project string
	c := cli.NewCommand("project [NAME]", "which project of others is this one",
		`Two checkouts are one project to the team when the address of the remote or the first commits are the same, as with a fork or a
repository that moved. Without NAME this shows who shares it.

With NAME it is compared by that name alone: for a directory in no repository, for two repositories that have nothing in common, and for
a fork that is to be another project. "" takes the name away.`,
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
			if err := team.ChangeProject(a.Dir, key, func(p *team.ProjectChoices) { p.Name = args[0] }); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s is called %q\n", key, args[0])
			return nil
		})
	c.Flags().StringVar(&project, "project", "", "project directory or key (the git top level, the working directory)")
	return c
})

// noteAddress prints a note if others can find a repository only by its first commits: nobody named it (journal team project NAME), and
// its remote is missing or only a path.
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
	own, err := identifyProject(ctx, a, cmp.Or(project, "."))
	if err != nil {
		return err
	}
	known, trouble := hub.Facts(ctx, m, hub.Members())
	fmt.Fprintf(a.Out, "%s: %s\n", own.Key, cmp.Or(own.Identity.String(), "in no repository, and without a name: journal team project NAME"))
	shared := false
	for _, f := range known.All() {
		if own.Identity.Same(f.Summary.Identity) {
			shared = true
			a.PrintBeside(fmt.Sprintf("  %s/%s  ", f.Member, f.Device), f.Summary.Identity.String())
		}
	}
	if !shared {
		fmt.Fprintln(a.Out, "  nobody else shares it")
	}
	noteAddress(a, own.Identity)
	if trouble != nil {
		a.Note(trouble.Error())
		return cli.ExitWith(cli.ExitError)
	}
	return nil
}

// identifyProject returns a project of this log with its identity: for a directory from its git repository, for a key from the log. The name
// that a person chose for the project is part of the identity.
func identifyProject(ctx context.Context, a *cli.App, given string) (p colleagues.Project, err error) {
	p.Key = a.ProjectKey(given)
	if p.Key != given { // a directory: ProjectKey returns a key unchanged
		p.Identity, err = git.Identify(ctx, a.Root(given))
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
	choices, err := team.LoadProjects(a.Dir)
	p.Identity.Name = choices[p.Key].Name
	return p, err
}

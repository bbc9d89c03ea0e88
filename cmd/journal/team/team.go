// Package team implements the verbs of journal team, and cli.Team, by which other verbs use a team.
package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/git"
	"journal/journal/wire/client"
)

// teamVerbs make the verbs of journal team.
var teamVerbs []func(*cli.App) *cobra.Command

// teamVerb registers a verb of journal team.
func teamVerb(build func(*cli.App) *cobra.Command) struct{} {
	teamVerbs = append(teamVerbs, build)
	return struct{}{}
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("team", "share chosen projects with a team, on its own servers",
		`Keeps a copy of what is chosen of this log at a team's own NATS servers. This laptop goes on as before without them. Nothing is uploaded
until a project is shared.

  journal team serve bob        # who runs the hub; prints the line for bob
  journal team join team:...    # bob
  journal team share .          # both

docs/TEAM.md says more, also how to run a hub of several servers.`, nil)
	for _, build := range teamVerbs {
		c.AddCommand(build(a))
	}
	return c
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	return cli.NewCommand("join INVITATION", "this journal becomes the one of who was invited",
		`Takes an invitation: a file, or the line that team serve printed. It holds keys, so keep it as a password, and remove the file
afterwards. A member may join with several machines. Nothing is uploaded before journal team share.`,
		func(c *cobra.Command, args []string) error {
			m, err := team.ParseMember(args[0])
			if err != nil {
				return err
			}
			joined, err := team.Join(a.Dir, m)
			if err != nil {
				return err
			}
			shared, err := team.LoadShare(a.Dir)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s of team %s, on device %s; shared: %s\n", joined.Name, joined.Team, joined.Device, strings.Join(shared.Lines(), ", "))
			a.Note("share a project with: journal team share PROJECT")
			return nil
		})
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var keep bool
	c := cli.NewCommand("leave", "this journal is no member's any more",
		`Removes this device's copies from the hub, then the keys and all that came from others. The log stays as it is. Where the hub cannot be
reached it says so, and this journal is a member that shares nothing until the next call; --keep leaves the copies there.`,
		func(c *cobra.Command, _ []string) error {
			m, err := team.Load(a.Dir)
			if errors.Is(err, team.ErrNoMember) {
				return err
			}
			if err == nil && !keep {
				err = withdraw(c.Context(), a)
			}
			if err != nil && !keep {
				return cli.WithHint(err, "journal team status; journal team leave --keep, which needs no hub and no key")
			}
			if err := team.Leave(a.Dir); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "left team %s\n", cmp.Or(m.Team, "of the key that could not be read"))
			return nil
		})
	c.Flags().BoolVar(&keep, "keep", false, "leave the copies at the hub")
	return c
})

// withdrawWait bounds how long leave waits until the hub has removed its copies.
const withdrawWait = 20 * time.Second

// withdraw stops sharing, and waits until the hub has no copy.
func withdraw(ctx context.Context, a *cli.App) error {
	c, err := team.LoadCopy(a.Dir)
	if err != nil || c.Number == 0 { // there never was a copy
		return err
	}
	err = team.ChangeShare(a.Dir, func(team.Share) (team.Share, error) { return team.Share{}, nil })
	if err != nil {
		return err
	}
	if err := a.Read(ctx, func(*journal.Log) error { return nil }); err != nil { // starts an owner, which has the copies removed
		return err
	}
	for deadline := time.Now().Add(a.Pace(withdrawWait)); ; time.Sleep(50 * time.Millisecond) {
		c, err := team.LoadCopy(a.Dir)
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case c.Share.None() && len(c.AtHub) == 0:
			return nil
		case time.Now().After(deadline):
			return errors.New("the hub still has a copy")
		}
	}
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var f shareFlags
	c := cli.NewCommand("share [PROJECT]", "what of this log the team gets",
		`Shares the events of a project (directory or key), also earlier and later ones, after redaction. It prints how many they are, and asks
first. Of other projects the hub can see that something was recorded, and roughly when. journal team status shows what is shared.

Agents of colleagues in the same repository are then also told what was decided here and what is unfinished, with your name, and agents
here what is decided and unfinished there: journal team heard. With --events only the events are shared, with --context only decisions
and unfinished work. What is no longer shared leaves the hub.`,
		func(c *cobra.Command, args []string) error {
			if _, err := team.Load(a.Dir); err != nil {
				return err
			}
			if hasProject := len(args) > 0; f.all == hasProject {
				return cli.Usage(errors.New("either a project or --all is shared"))
			}
			if f.all && (f.events || f.context) {
				return cli.Usage(errors.New("--events and --context are for one project"))
			}
			if f.events == f.context { // neither means both
				f.events, f.context = true, true
			}
			return share(c.Context(), a, f, args)
		})
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.all, "all", false, "every project, also those to come")
	c.Flags().BoolVar(&f.events, "events", false, "only the events of the project")
	c.Flags().BoolVar(&f.context, "context", false, "only what is decided and unfinished in it")
	return c
})

// shareFlags are the flags of journal team share.
type shareFlags struct{ yes, all, events, context bool }

// add returns a share with a project, or with all projects.
func (f shareFlags) add(s team.Share, project string) team.Share {
	if f.all {
		s.All = true
		return s
	}
	return s.With(project, f.events, f.context)
}

// share adds a project, or all, to what the team gets, once a person has seen how much it is.
func share(ctx context.Context, a *cli.App, f shareFlags, args []string) error {
	before, err := team.LoadShare(a.Dir)
	if err != nil {
		return err
	}
	project, isNew := "", false
	err = a.Read(ctx, func(log *journal.Log) (err error) {
		if !f.all {
			if project, err = projectNamed(ctx, a, log, args[0]); err != nil {
				return err
			}
		}
		if isNew = !before.Same(f.add(before, project)); !isNew {
			fmt.Fprintln(a.Out, "it is shared already")
			return nil
		}
		return confirmShare(ctx, a, f, log, project, f.all || cli.IsDirectory(args[0]))
	})
	if err != nil || !isNew {
		return err
	}
	if !f.all && cli.IsDirectory(args[0]) { // save its root: the log may hold nothing of it yet
		root, err := filepath.Abs(args[0])
		if err == nil {
			err = team.ChangeProject(a.Dir, project, func(p *team.ProjectChoices) { p.Root = root })
		}
		if err != nil {
			return err
		}
		id, _ := git.Identify(ctx, root) // for the note only: the owner identifies it again
		noteAddress(a, id)
	}
	err = team.ChangeShare(a.Dir, func(s team.Share) (team.Share, error) { return f.add(s, project), nil })
	if err == nil {
		a.Note("it is on its way: journal team status")
	}
	return err
}

// confirmShare shows a person how much the log holds of a project, and asks. An empty key means all projects. mayBeEmpty is set
// where the log may hold nothing yet.
func confirmShare(ctx context.Context, a *cli.App, f shareFlags, log *journal.Log, project string, mayBeEmpty bool) error {
	n, err := log.Count(ctx, events.Selector{Project: project})
	if err != nil {
		return err
	}
	if n == 0 && !mayBeEmpty {
		return cli.WithHint(fmt.Errorf("the log holds nothing of %s", project), "journal sessions")
	}
	name := cmp.Or(project, "every project")
	if f.events {
		fmt.Fprintf(a.Out, "%s: %s\n", name, text.Counted(n, "event"))
	}
	if f.context {
		fmt.Fprintf(a.Out, "%s: agents of colleagues in this repository are told what is decided and unfinished here, with your name\n", name)
	}
	return a.Confirm(ctx, f.yes, "Give it to the team, with all that comes?", "journal team share --yes …")
}

// projectNamed returns the key of the project that a person names. A directory within a repository stands for the repository, unless
// the log holds something of the directory by itself.
func projectNamed(ctx context.Context, a *cli.App, log *journal.Log, given string) (string, error) {
	project := a.ProjectKey(given)
	if !cli.IsDirectory(given) {
		return project, nil
	}
	if n, err := log.Count(ctx, events.Selector{Project: project}); err != nil || n > 0 {
		return project, err
	}
	return repositoryOf(given), nil
}

// repositoryOf returns the key of the repository that contains a directory, of the directory itself without one.
func repositoryOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil { // without a working directory the path stays as it is
		dir = abs
	}
	return client.ProjectKey(agents.Root("", dir))
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var all bool
	c := cli.NewCommand("unshare [PROJECT]", "a project goes to the team no more, and leaves it",
		`What the hub has of the project is removed there when it is reached; until then journal team status says that it is pending. What others
have read they have read.`,
		func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !all {
				return cli.Usage(errors.New("a project, or --all, says what is not shared any more"))
			}
			if !team.Joined(a.Dir) {
				return team.ErrNoMember
			}
			wasShared := true
			err := team.ChangeShare(a.Dir, func(before team.Share) (now team.Share, err error) {
				switch {
				case all: // now shares nothing
				case before.All:
					return before, cli.WithHint(errors.New("every project is shared"), "journal team unshare --all, then share those that are meant")
				default:
					now = before.Without(a.ProjectKey(args[0]))
					if now.Covers(before) && cli.IsDirectory(args[0]) { // the directory itself is not shared
						now = before.Without(repositoryOf(args[0]))
					}
				}
				wasShared = !now.Covers(before)
				return now, nil
			})
			if err != nil {
				return err
			}
			if !wasShared {
				fmt.Fprintln(a.Out, "it was not shared")
				return nil
			}
			fmt.Fprintln(a.Out, "not shared any more")
			a.Team().RemoveFromHub(c.Context(), a)
			return nil
		})
	c.Flags().BoolVar(&all, "all", false, "everything")
	return c
})

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/service"
	"journal/events"
	"journal/journal"
	"journal/journal/team"
)

// teamExit ends the help of each verb of the team.
const teamExit = "\n\nExit codes: 0; 1 failure, or not confirmed; 2 usage."

// teamVerbs are what journal team has; each file adds its own.
var teamVerbs []func(*app) *cobra.Command

// teamVerb registers one of them.
func teamVerb(make func(*app) *cobra.Command) struct{} {
	teamVerbs = append(teamVerbs, make)
	return struct{}{}
}

// askTheHub is what to do when the hub does not take a member.
const askTheHub = "ask whoever runs the hub: revoked, not told of yet, or out of date"

// hubTrouble says what to do about a hub that could not be reached to be read.
func hubTrouble(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return withHint(err, askTheHub)
	}
	return withHint(err, "journal team status")
}

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "team",
		GroupID: caring,
		Short:   "a copy of chosen projects at a team's NATS cluster",
		Long: `Keeps a copy of what is chosen of this log at a team's own NATS servers. This laptop goes on
as before without them. Nothing is uploaded until a project is shared.

Who runs the servers:                        Who takes part:
  journal team init hub --name acme ...        journal team join alice.invitation
  journal team invite alice --hub hub          journal team share .
  journal team revoke alice --hub hub          journal team status

docs/TEAM.md says how to run them.` + teamExit,
	}
	for _, make := range teamVerbs {
		sub := make(a)
		sub.Long += teamExit
		c.AddCommand(sub)
	}
	return c
})

var _ = teamVerb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "join FILE",
		Short: "this journal becomes the one of who was invited",
		Long: `Takes an invitation, which holds keys: keep it as you keep a password, and remove the file
afterwards. A member may join with several machines. Nothing is uploaded before journal team share.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := team.ReadMember(args[0])
			if err != nil {
				return err
			}
			is, err := team.Join(a.dir, m)
			if errors.Is(err, team.ErrMember) {
				return withHint(err, "journal team leave")
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s of team %s, on device %s; nothing is shared yet\n", is.Name, is.Team, is.Device)
			a.note("share a project with: journal team share PROJECT")
			return nil
		},
	}
})

var _ = teamVerb(func(a *app) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "leave",
		Short: "this journal is no member's any more",
		Long: `Removes this device's copies from the hub, then the keys and all that came from others. The log
stays as it is. Where the hub cannot be reached it says so and changes nothing; --keep leaves the
copies there.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := team.Load(a.dir)
			if errors.Is(err, team.ErrNoMember) || err != nil && !keep {
				return withHint(err, "journal team leave --keep, which needs no key")
			}
			if !keep {
				if err := a.withdraw(c.Context()); err != nil {
					return err
				}
			}
			if err := team.Leave(a.dir); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "left team %s\n", cmp.Or(m.Team, "of the key that could not be read"))
			return nil
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "leave the copies at the hub")
	return c
})

// withdrawWait bounds the waiting for the hub to remove what it has.
const withdrawWait = 20 * time.Second

// withdraw shares nothing any more and waits until nothing is left at the hub.
func (a *app) withdraw(ctx context.Context) error {
	was, err := team.LoadShare(a.dir)
	if err != nil {
		return err
	}
	c, err := team.LoadCopy(a.dir)
	if err != nil || c.Number == 0 {
		return err
	}
	if err := (team.Share{}).Save(a.dir); err != nil {
		return err
	}
	err = a.read(ctx, func(*journal.Log) error { return nil }) // an owner runs now
	for late := time.Now().Add(a.pace(withdrawWait)); err == nil; time.Sleep(50 * time.Millisecond) {
		c, err = team.LoadCopy(a.dir)
		switch {
		case err == nil && c.Share.None() && len(c.AtHub) == 0:
			return nil
		case ctx.Err() != nil:
			err = ctx.Err()
		case err == nil && time.Now().After(late):
			err = withHint(errors.New("the hub still has a copy"), "journal team status; journal team leave --keep")
		}
	}
	return errors.Join(err, was.Save(a.dir))
}

var _ = teamVerb(func(a *app) *cobra.Command {
	var f shareFlags
	c := &cobra.Command{
		Use:   "share [PROJECT]",
		Short: "what of this log the team gets",
		Long: `Without a project it says what is shared. With one (directory or key) it shares all that the log
holds of it, with its past, and all that will come. It says how much that is and asks first. Redaction, pauses and private passages count before
the log, so before the hub. Of other projects the hub can see that something was recorded, and
roughly when.

  journal team share .
  journal team unshare .`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := team.Load(a.dir); err != nil {
				return withHint(err, "journal team join FILE")
			}
			if len(args) == 0 && !f.all {
				return a.showShare()
			}
			return a.share(c.Context(), f, args)
		},
	}
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.all, "all", false, "every project, also those to come")
	a.jsonFlag(c)
	return c
})

type shareFlags struct{ yes, all bool }

func (a *app) showShare() error {
	s, err := team.LoadShare(a.dir)
	if err != nil {
		return err
	}
	return a.print(s, func() {
		if s.None() {
			fmt.Fprintln(a.out, "nothing is shared")
		}
		if s.All {
			fmt.Fprintln(a.out, "every project")
		}
		for _, p := range s.Projects {
			fmt.Fprintln(a.out, p)
		}
	})
}

// share adds what is named to what the team gets, once a person has seen how much it is.
func (a *app) share(ctx context.Context, f shareFlags, args []string) error {
	was, err := team.LoadShare(a.dir)
	if err != nil {
		return err
	}
	now, project := was, ""
	if f.all {
		now.All = true
	} else {
		project = a.projectKey(args[0])
		now = was.With(project)
	}
	if was.Covers(now) {
		fmt.Fprintln(a.out, "it is shared already")
		return nil
	}
	err = a.read(ctx, func(log *journal.Log) error {
		n, bytes, err := volume(ctx, log, project)
		if err != nil {
			return err
		}
		what := project
		if project == "" {
			what = "every project"
		} else if n == 0 && !isDirectory(args[0]) {
			return withHint(fmt.Errorf("the log holds nothing of %s", project), "journal sessions")
		}
		fmt.Fprintf(a.out, "%s: %s, about %s\n", what, counted(n, "event"), size(bytes))
		return a.confirm(ctx, f.yes, "Give it to the team, with all that comes?", "journal team share --yes …")
	})
	if err != nil {
		return err
	}
	if err := now.Save(a.dir); err != nil {
		return err
	}
	a.note("it is on its way: journal team status")
	return nil
}

// isDirectory says whether what was given for a project is one that there is: then nothing was recorded there
// yet, and nobody misspelled it.
func isDirectory(given string) bool {
	fi, err := os.Stat(given)
	return err == nil && fi.IsDir()
}

// volume is how many events the log holds of a project, or of all with an empty one, and about how
// many bytes that is in the store.
func volume(ctx context.Context, log *journal.Log, project string) (n, bytes uint64, err error) {
	st, err := log.Stats(ctx)
	if err != nil || st.Events == 0 {
		return 0, 0, err
	}
	all, err := log.Subjects(ctx, events.Selector{Project: project})
	for _, s := range all {
		n += s.Events
	}
	return n, st.Bytes / st.Events * n, err
}

var _ = teamVerb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "unshare [PROJECT]",
		Short: "a project goes to the team no more, and leaves it",
		Long: `What the hub has of the project is removed there when it is reached; until then journal team
status says that it is pending. What others have read they have read.`,
		Args: args(cobra.MaximumNArgs(1)),
	}
	all := c.Flags().Bool("all", false, "everything")
	c.RunE = func(c *cobra.Command, args []string) error {
		was, err := team.LoadShare(a.dir)
		if err != nil {
			return err
		}
		var now team.Share
		switch {
		case *all:
		case len(args) == 0:
			return usage(c, errors.New("a project, or --all, says what is not shared any more"))
		case was.All:
			return withHint(errors.New("every project is shared"), "journal team unshare --all, then share those that are meant")
		default:
			now = was.Without(a.projectKey(args[0]))
		}
		if now.Covers(was) {
			fmt.Fprintln(a.out, "it was not shared")
			return nil
		}
		if err := now.Save(a.dir); err != nil {
			return err
		}
		fmt.Fprintln(a.out, "not shared any more")
		a.tellHub(c.Context())
		return nil
	}
	return c
})

// tellHub lets an owner run, which has the hub remove what has to be gone as soon as it is reached.
func (a *app) tellHub(ctx context.Context) {
	c, err := team.LoadCopy(a.dir)
	if err != nil || len(c.AtHub) == 0 {
		return
	}
	a.note("a team's hub has a copy, which goes when the hub is reached: journal team status says when")
	if start := a.starter(); start != nil {
		if nc, err := service.Connect(ctx, a.dir, start); err == nil {
			nc.Close()
		}
	}
}

// invitationName is the file that an invitation is written to.
func invitationName(dir, member string) string { return filepath.Join(dir, member+".invitation") }

// writeSecret writes a file that nobody else may read, and replaces none.
func writeSecret(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

package team

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/team"
)

// choiceVerb is the verb of a choice.
type choiceVerb struct {
	choice           team.Choice
	use, short, long string
	begun, ended     string // what is said of the project then
	question         string // asked first, after begun was said; empty: nothing is asked
	show             func(*cli.App, team.Share) error
}

// teamChoice adds the verb that shows, begins and ends a choice.
func teamChoice(v choiceVerb) struct{} {
	return teamVerb(func(a *cli.App) *cobra.Command {
		var off, yes bool
		c := cli.NewCommand(v.use+" [PROJECT]", v.short,
			v.long+fmt.Sprintf("\n\n  journal team share .\n  journal team %[1]s .\n  journal team %[1]s . --off", v.use),
			func(c *cobra.Command, args []string) error {
				if _, err := team.Load(a.Dir); err != nil {
					return err
				}
				s, err := team.LoadShare(a.Dir)
				if err != nil {
					return err
				}
				if len(args) == 0 && off {
					return cli.Usage(c, errors.New("a project says what --off ends"))
				}
				if len(args) == 0 {
					return v.show(a, s)
				}
				key := a.ProjectKey(args[0])
				if off {
					err := team.ChangeShare(a.Dir, func(s team.Share) (team.Share, error) { return v.choice.End(s, key), nil })
					if err == nil {
						fmt.Fprintf(a.Out, "%s: %s\n", key, v.ended)
					}
					return err
				}
				begin := func(s team.Share) (team.Share, error) {
					if s = v.choice.Begin(s, key); !v.choice.Has(s, key) {
						return s, cli.WithHint(fmt.Errorf("%s is not shared", key), "journal team share "+args[0])
					}
					return s, nil
				}
				if _, err := begin(s); err != nil {
					return err
				}
				fmt.Fprintf(a.Out, "%s: %s\n", key, v.begun)
				if v.question != "" {
					if err := a.Confirm(c.Context(), yes, v.question, "journal team "+v.use+" --yes …"); err != nil {
						return err
					}
				}
				if isDirectory(args[0]) { // a session that is the first there hears of others too
					root, err := filepath.Abs(args[0])
					if err == nil {
						err = team.SaveRoot(a.Dir, key, root)
					}
					if err != nil {
						return err
					}
				}
				return team.ChangeShare(a.Dir, begin)
			})
		c.Flags().BoolVar(&off, "off", false, "end it")
		c.Flags().BoolVar(&yes, "yes", false, "do not ask")
		return a.JSONFlag(c)
	})
}

package care

import (
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
)

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("config", "every setting in force, and where its value comes from",
		`Prints every setting with its value and its source: default, the line of the configuration file,
an environment variable, or a flag. Changes nothing: you edit the file yourself.

Exit codes: 0; 1 the file is broken, and the defaults apply; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			settings, err := config.Settings(a.Getenv)
			if c.Flags().Changed("dir") {
				for i := range settings {
					if settings[i].Name == "dir" {
						settings[i] = config.Setting{Name: "dir", Value: a.Dir, Source: "--dir"}
					}
				}
			}
			if err := a.Print(settings, func() {
				a.Table(func(row func(...any)) {
					for _, s := range settings {
						row(s.Name, fmt.Sprint(s.Value), s.Source)
					}
				})
			}); err != nil {
				return err
			}
			return cli.WithHint(err, "fix the file; the defaults apply until then")
		})
	return a.JSONFlag(c)
})

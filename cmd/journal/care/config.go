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
an environment variable, or a flag. It changes nothing: you edit the file yourself.

Exit codes: 0; 1 the file has a mistake, and the defaults apply; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			settings, mistake := config.Settings(a.Getenv)
			for i, s := range settings {
				if s.Name == "dir" && c.Flags().Changed("dir") {
					settings[i] = config.Setting{Name: "dir", Value: a.Dir, Source: "--dir"}
				}
			}
			err := a.Print(settings, func() {
				a.Table(func(row func(...any)) {
					for _, s := range settings {
						row(s.Name, fmt.Sprint(s.Value), s.Source)
					}
				})
			})
			if err != nil {
				return err
			}
			return cli.WithHint(mistake, "fix the file; the defaults apply until then")
		})
	return a.JSONFlag(c)
})

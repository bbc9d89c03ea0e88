package care

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
)

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "every setting in force, and where its value comes from",
		Long: `Prints every setting with its value and its source: default, the line of the configuration file,
an environment variable, or a flag. Changes nothing: you edit the file yourself.

Exit codes: 0; 1 the file is broken, and the defaults apply; 2 usage.`,
		RunE: func(c *cobra.Command, _ []string) error {
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
			if err != nil {
				return cli.WithHint(err, "fix the file; the defaults apply until then")
			}
			return nil
		},
	}
	a.JSONFlag(c)
	return c
})

var _ = cli.Verb("", func(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:    "version",
		Hidden: true, // journal --version is in the help
		Short:  "the version of this program",
		Long:   "Prints the version of this program, what it was built with and for.\n\nExit codes: 0.",
		RunE: func(*cobra.Command, []string) error {
			doc := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{cli.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.Print(doc, func() { fmt.Fprintf(a.Out, "journal %s (%s, %s)\n", doc.Version, doc.Go, doc.System) })
		},
	}
	a.JSONFlag(c)
	return c
})

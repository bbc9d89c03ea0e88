package care

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
)

var _ = cli.Verb("", func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("version", "the version of this program",
		"Prints the version of this program, of Go, and the system that it was built for.\n\nExit codes: 0.",
		func(*cobra.Command, []string) error {
			doc := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{cli.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.Print(doc, func() { fmt.Fprintf(a.Out, "journal %s (%s, %s)\n", doc.Version, doc.Go, doc.System) })
		})
	c.Hidden = true // journal --version is in the help
	return a.JSONFlag(c)
})

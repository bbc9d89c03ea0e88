package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		GroupID: installing,
		Short:   "the version of this program",
		Long:    "Prints the version of this program, what it was built with and for.\n\nExit codes: 0.",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			doc := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.print(doc, func() { fmt.Fprintf(a.out, "journal %s (%s, %s)\n", doc.Version, doc.Go, doc.System) })
		},
	}
	a.jsonFlag(c)
	return c
})

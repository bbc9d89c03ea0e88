//go:build docs

package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"journal/cmd/journal/cli"
)

// The verb docs writes man pages and completions, for archives and `make install`. The build tag keeps it and its libraries out
// of released programs.
var _ = cli.Verb("", func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIR",
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			root, man, completions := c.Root(), filepath.Join(args[0], "man"), filepath.Join(args[0], "completions")
			for _, dir := range []string{man, completions} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			root.DisableAutoGenTag = true
			foldTree(root)
			return errors.Join(
				doc.GenManTree(root, &doc.GenManHeader{Title: "JOURNAL", Section: "1", Source: "journal " + cli.Version()}, man), // their date is SOURCE_DATE_EPOCH, else now
				root.GenBashCompletionFileV2(filepath.Join(completions, "journal.bash"), true),
				root.GenZshCompletionFile(filepath.Join(completions, "_journal")),
				root.GenFishCompletionFile(filepath.Join(completions, "journal.fish"), true),
				root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "journal.ps1")),
			)
		},
	}
})

// foldTree breaks the lines of the help texts of a command and its subcommands.
func foldTree(c *cobra.Command) {
	cli.FoldLong(c)
	for _, sub := range c.Commands() {
		foldTree(sub)
	}
}

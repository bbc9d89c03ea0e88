package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"journal/journal/team"
)

var _ = teamVerb(func(a *app) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "project NAME",
		Short: "what the team calls a project that is in no repository",
		Long: `Two checkouts are one project to the team when the first commits and the address of the remote are
the same. A directory that is in no repository is nobody else's until both call it by one name.
That counts for a checkout too, and before what git says; "" takes the name away.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] != "" {
				if err := team.CheckName(args[0]); err != nil {
					return usage(c, err)
				}
			}
			names, err := team.LoadNames(a.dir)
			if err != nil {
				return err
			}
			key := a.projectKey(project)
			if project == "" {
				key = a.projectKey(".")
			}
			if names[key] = args[0]; args[0] == "" {
				delete(names, key)
			}
			if err := team.SaveNames(a.dir, names); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s is called %q\n", key, args[0])
			return nil
		},
	}
	c.Flags().StringVar(&project, "project", "", "project directory or key (the git top level, the working directory)")
	return c
})

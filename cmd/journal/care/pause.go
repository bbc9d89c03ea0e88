package care

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/wire/client"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var project string
	var off bool
	c := &cobra.Command{
		Use:     "pause",
		Aliases: []string{"resume"},
		Short:   "record nothing from now on; resume: record again",
		Long: `Stops the recording: hooks keep nothing and say nothing, and other commands refuse to record,
in every project or with --project in one, until journal resume. What was recorded stays. What
agents write into their transcripts meanwhile is not read afterwards either.
Single passages are kept out by <private>...</private> in a prompt, and past events are
removed by journal forget.

journal resume, which is --off, lets the recording go on: everywhere, or with --project in one
project. A pause of everything and pauses of projects are undone one by one; journal status lists
them.`,
		RunE: func(c *cobra.Command, _ []string) error {
			run := pause
			if off || c.CalledAs() == "resume" {
				run = resume
			}
			about := client.About{Session: a.SessionGiven(""), Root: a.Root("")}
			switch {
			case !c.Flags().Changed("project"):
				return run(a, about, client.Everywhere)
			case project == "":
				return cli.Usage(c, errors.New("--project is a directory, or a key that journal status names"))
			case isPaused(a, project):
				return run(a, about, project)
			}
			about.Root = a.Root(project)
			return run(a, about, client.ProjectKey(about.Root))
		},
	}
	a.JSONFlag(c)
	c.Flags().StringVar(&project, "project", "", "only this project: a directory, or a key that journal status names")
	c.Flags().BoolVar(&off, "off", false, "record again")
	return c
})

// pause stops the recording of a project, or of all.
func pause(a *cli.App, about client.About, project string) error {
	// Recorded while that is still possible: a gap in the log should say why.
	if err := recordSwitch(a, about, events.RecordingPaused{Everywhere: project == client.Everywhere}); err != nil {
		return err
	}
	changed, err := client.Pause(a.Dir, project)
	if err != nil {
		return err
	}
	return printSwitch(a, switched{project, true, changed}, "recording is paused", "recording was paused already")
}

// resume undoes it.
func resume(a *cli.App, about client.About, project string) error {
	changed, err := client.Resume(a.Dir, project)
	if err != nil {
		return err
	}
	if err := printSwitch(a, switched{project, false, changed}, "recording goes on", "recording was not paused"); err != nil || !changed {
		return err
	}
	return recordSwitch(a, about, events.RecordingResumed{Everywhere: project == client.Everywhere})
}

// isPaused says whether a project is paused that has this key.
func isPaused(a *cli.App, key string) bool {
	_, paused, err := client.Pauses(a.Dir)
	return err == nil && slices.Contains(paused, key)
}

// recordSwitch records a switch in a log that exists. While another switch is
// off it stays unrecorded.
func recordSwitch(a *cli.App, about client.About, e events.Event) error {
	_, err := a.Appender().Append(context.Background(), about, e)
	if errors.Is(err, client.ErrPaused) {
		return nil
	}
	return err
}

// switched is what a switch did.
type switched struct {
	Project string `json:"project"` // empty: everywhere
	Paused  bool   `json:"paused"`
	Changed bool   `json:"changed"`
}

func printSwitch(a *cli.App, is switched, now, already string) error {
	what := now
	if !is.Changed {
		what = already
	}
	where := "everywhere"
	if is.Project != client.Everywhere {
		where = "in " + is.Project
	} else {
		is.Project = ""
	}
	return a.Print(is, func() { fmt.Fprintf(a.Out, "%s %s\n", what, where) })
}

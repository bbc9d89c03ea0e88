package care

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/agents/install"
	"journal/journal/wire/client"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var project string
	c := cli.NewCommand("pause", "record nothing from now on; resume: record again",
		`Stops recording until journal resume, in every project, or with --project in one and in those below
its directory. Meanwhile hooks record and print nothing, and other commands refuse to record. Recorded
events stay. Transcripts of the pause are not read later either. <private>...</private> in a prompt
keeps a single passage out of the log, and journal forget removes past events.

journal resume records again: everywhere, or with --project in one project. A pause
of everything and pauses of projects end separately; journal status lists them.`,
		func(c *cobra.Command, _ []string) error {
			run := pause
			if c.CalledAs() == "resume" {
				run = resume
			}
			switch {
			case !c.Flags().Changed("project"):
				return run(a, client.About{Session: a.SessionGiven(""), Root: a.Root("")}, client.Everywhere)
			case project == "":
				return cli.Usage(errors.New("--project must be a directory, or a key that journal status names"))
			case isPaused(a, project):
				return run(a, client.About{Project: project}, project)
			}
			if _, err := os.Stat(project); err != nil && !filepath.IsAbs(project) { // a mistyped key or name
				return cli.WithHint(fmt.Errorf("there is no directory %s", project), "the project's directory, as journal sessions --json names it")
			} else if err != nil && c.CalledAs() != "resume" { // it may come later, or be mistyped
				a.Note(fmt.Sprintf("there is no directory %s; the pause holds when there is one", project))
			}
			if abs, err := filepath.Abs(project); err == nil && agents.Root("", abs) != abs {
				top := agents.Root("", abs)
				a.Note(fmt.Sprintf("%s lies in the project %s, where most agents record it: --project %s", project, client.ProjectKey(top), install.Quote(top)))
			}
			return run(a, client.About{Root: project}, client.ProjectKey(project))
		})
	c.Aliases = []string{"resume"}
	c.Args = func(c *cobra.Command, words []string) error {
		if len(words) == 0 {
			return nil
		}
		err := cli.Usage(fmt.Errorf("journal %s takes no %q", c.CalledAs(), words[0]))
		if c.CalledAs() == "resume" {
			return cli.WithHint(err, "journal resume-session, to go on with a session")
		}
		return err
	}
	a.JSONFlag(c)
	c.Flags().StringVar(&project, "project", "", "only this project: a directory, or a key that journal status names")
	return c
})

// pause stops recording in a project, given by its key, or in all projects (client.Everywhere). It records the pause in the project of
// about, and in the known projects below it: their transcripts must not be read past the pause.
func pause(a *cli.App, about client.About, project string) error {
	var below []client.About
	if project != client.Everywhere && about.Root != "" {
		below = projectsBelow(a, project)
	}
	// The events are recorded first, because nothing can be recorded during the pause. They explain the gap in the log.
	var keys []string
	for _, p := range below {
		keys = append(keys, p.Project)
	}
	for _, each := range append(below, about) {
		if err := recordSwitch(a, each, events.RecordingPaused{Everywhere: project == client.Everywhere}); err != nil {
			return err
		}
	}
	changed, err := client.Pause(a.Dir, project, keys...)
	if err != nil {
		return err
	}
	holding, err := client.PausesOf(a.Dir, about)
	if err != nil {
		return err
	}
	for _, above := range holding { // pauses of directories above: they must still be known for this project when its own ends
		if above == client.Everywhere || project == client.Everywhere {
			continue
		}
		if _, err := client.Pause(a.Dir, above, project); err != nil {
			return err
		}
	}
	return printSwitch(a, pauseDoc{project, true, changed}, "recording is paused", "recording was paused already")
}

// projectsBelow returns the known projects whose directories lie below that of a project. Without a readable log it returns none: hooks
// find by their directory that they are paused, and only transcripts of sessions that run now are read on.
func projectsBelow(a *cli.App, project string) (below []client.About) {
	err := a.ReadOwn(context.Background(), func(log *journal.Log) error {
		table, err := cli.Catalogue(context.Background(), a, log)
		if err != nil {
			return err
		}
		for _, p := range table.Projects() {
			if p.Root == "" || p.Key == project {
				continue
			}
			for key := range client.KeysUp(p.Root) {
				if key == project {
					below = append(below, client.About{Project: p.Key, Root: p.Root})
				}
			}
		}
		return nil
	})
	if err != nil {
		a.Note(fmt.Sprintf("the projects below %s are not known: %v", project, err))
	}
	return below
}

// resume ends the pause of a project, or with client.Everywhere the pause of everything. The pauses of other projects stay.
func resume(a *cli.App, about client.About, project string) error {
	changed, resumed, err := client.Resume(a.Dir, project)
	if err != nil {
		return err
	}
	done, already, where := "recording goes on", "recording was not paused", "there"
	var holding []string
	if project == client.Everywhere {
		_, holding, err = client.Pauses(a.Dir)
		where = "in " + strings.Join(holding, ", ")
	} else if holding, err = client.PausesOf(a.Dir, about); len(holding) > 0 {
		already = "no pause began"
	}
	if len(holding) > 0 {
		done = "the pause ended"
		a.Note("recording is still paused " + where + ": " + a.ResumeCommand(client.About{Project: holding[0]}))
	}
	paused := len(holding) > 0 && project != client.Everywhere
	if err := errors.Join(err, printSwitch(a, pauseDoc{project, paused, changed}, done, already)); err != nil {
		return err
	}
	for _, key := range resumed {
		each := client.About{Project: key}
		if key == project {
			each = about
		}
		if err := recordSwitch(a, each, events.RecordingResumed{Everywhere: project == client.Everywhere}); err != nil {
			return err
		}
	}
	return nil
}

// isPaused reports whether the project with this key has a pause of its own.
func isPaused(a *cli.App, key string) bool {
	_, paused, err := client.Pauses(a.Dir)
	return err == nil && slices.Contains(paused, key)
}

// recordSwitch records the beginning or the end of a pause. It records nothing while another pause is in force.
func recordSwitch(a *cli.App, about client.About, e events.Event) error {
	_, err := a.Appender().Append(context.Background(), about, e)
	if errors.Is(err, client.ErrPaused) {
		return nil
	}
	return err
}

// pauseDoc is the JSON document of journal pause and journal resume.
type pauseDoc struct {
	Project string `json:"project"` // empty: everywhere
	Paused  bool   `json:"paused"`  // also after journal resume, if another pause holds for the project
	Changed bool   `json:"changed"` // false if the pause existed already, or there was none to end
}

// printSwitch prints the outcome of journal pause or journal resume: the text done if something changed, else the text already.
func printSwitch(a *cli.App, change pauseDoc, done, already string) error {
	outcome, where := done, "in "+change.Project
	if !change.Changed {
		outcome = already
	}
	if change.Project == client.Everywhere {
		change.Project, where = "", "everywhere"
	}
	return a.Print(change, func() { fmt.Fprintf(a.Out, "%s %s\n", outcome, where) })
}

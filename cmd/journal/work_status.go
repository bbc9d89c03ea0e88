package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/client"
	"journal/projections"
	"journal/replay"
)

// workExpiry is the age from which the state of a task counts as old (S4.4).
const workExpiry = 24 * time.Hour

// workTasks folds the tasks of the project, as they are now; none before anything was recorded.
func (a *app) workTasks(ctx context.Context, t targetFlags) (projections.WorkState, error) {
	target := projections.Target{Project: a.projectKey(t.project), Session: events.None}
	f := projections.NewFold(target, projections.Config{}, projections.Work)
	err := a.read(ctx, func(log *journal.Log) error { return damaged(replay.Forward(ctx, log, f, 0)) })
	if errors.Is(err, errNoJournal) {
		err = nil
	}
	return projections.Work.In(f), err
}

// workView is the state of a task with what depends on who looks.
type workView struct {
	projections.WorkTask
	// MayRunTwice says that a worker began whose end nobody recorded, and that no runner watches: to
	// resume the run starts another one.
	MayRunTwice bool `json:"mayRunTwice,omitempty"`
	Expired     bool `json:"expired,omitempty"`
}

func (a *app) workView(t projections.WorkTask) workView {
	return workView{
		WorkTask:    t,
		MayRunTwice: t.Open != nil && isRun(t.Run) && !ownership.Held(a.runDir(t.Run)),
		Expired:     expired(t, workExpiry),
	}
}

// expired says whether nothing changed for a while.
func expired(t projections.WorkTask, age time.Duration) bool {
	return time.Since(t.At.Time()) > age
}

func (a *app) workStatus() *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use:   "status [TASK]",
		Short: "how far tasks are, and what became of them",
		Long: `Shows a task of the project, or all that are not older than 24 hours. With --json it is the state
with the keys of the original tool: taskId, originalTask, error, recovery, recovered, finalPhase,
totalRetries, partialResults, timestamps. mayRunTwice is there for a task whose worker's end was
not recorded, expired for one older than 24 hours, and result for one that needed no recovery.

Exit codes: 0; 1 failure, or there is no such task; 2 usage.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			tasks, err := a.workTasks(c.Context(), t)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				task, ok := tasks.Task(args[0])
				if !ok {
					return withHint(fmt.Errorf("no task %s", args[0]), "journal work status")
				}
				view := a.workView(task)
				return a.print(view, func() { fmt.Fprintln(a.out, workLines(view)) })
			}
			views := []workView{}
			for _, task := range tasks {
				if view := a.workView(*task); !view.Expired {
					views = append(views, view)
				}
			}
			return a.print(views, func() { printAll(a, views, "no tasks in the last 24 hours", workLines) })
		},
	}
	t.add(c)
	a.jsonFlag(c)
	return c
}

// workLines shows a task to a person.
func workLines(v workView) string {
	state := "running"
	switch {
	case v.Recovered:
		state = "recovered"
	case v.Finished() && v.Error != nil:
		state = "failed"
	case v.Finished():
		state = "done"
	case v.Open == nil && v.Error == nil:
		state = "waiting"
	}
	line := fmt.Sprintf("%-10s %-12s", state, oneLine(v.TaskID))
	if v.Run != "" {
		line += " run " + oneLine(v.Run)
	}
	if v.TotalRetries > 0 {
		line += fmt.Sprintf("  phase %d, %s", v.FinalPhase, counted(v.TotalRetries, "retry"))
	}
	if v.Error != nil {
		line += "  " + oneLine(clipLine(v.Error.Message))
	}
	if v.MayRunTwice {
		line += fmt.Sprintf("\n  its worker's end was not recorded: journal work resume %s may run it twice", oneLine(v.Run))
	}
	if v.Expired {
		line += "\n  older than 24 hours"
	}
	return line
}

// clipLine shortens a message to a line's length.
func clipLine(s string) string {
	const most = 120
	if first := text.FirstCharacters(s, most); len(first) < len(s) {
		return first + "…"
	}
	return s
}

func (a *app) workGC() *cobra.Command {
	var t targetFlags
	var older time.Duration
	c := &cobra.Command{
		Use:   "gc",
		Short: "forget states of tasks that are older than 24 hours",
		Long: `Forgets the states of tasks that changed last more than 24 hours ago, with their files in
.omcm/state/context-recovery, and the outputs of runs in which all are finished. Their events stay
in the log. A run with tasks left can still be resumed. With --json it prints {"expired":N}.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			tasks, err := a.workTasks(c.Context(), t)
			if err != nil {
				return err
			}
			gone := slices.DeleteFunc(slices.Clone(tasks), func(w *projections.WorkTask) bool { return !expired(*w, older) })
			if err := errors.Join(a.forgetWork(c.Context(), t, tasks, gone), a.sweepRuns(c.Context(), older)); err != nil {
				return err
			}
			doc := struct {
				Expired int `json:"expired"`
			}{len(gone)}
			return a.print(doc, func() { fmt.Fprintf(a.out, "%d expired\n", doc.Expired) })
		},
	}
	t.add(c)
	durationFlag(c, &older, "older", workExpiry, longAgo, "the age from which a state is expired")
	a.jsonFlag(c)
	return c
}

// expiredAtOnce bounds how many names one event holds.
const expiredAtOnce = 500

// forgetWork records that states are expired, and removes what follows from them.
func (a *app) forgetWork(ctx context.Context, t targetFlags, all, gone projections.WorkState) error {
	names := map[string]string{} // of files, by task
	for name, task := range workFiles(all) {
		names[task.TaskID] = name
	}
	var expired []events.Event
	for some := range slices.Chunk(gone, expiredAtOnce) {
		var e events.WorkExpired
		for _, task := range some {
			e.Tasks = append(e.Tasks, events.WorkName{Run: task.Run, Task: task.TaskID})
		}
		expired = append(expired, e)
	}
	for _, e := range expired {
		if _, err := a.appender().Append(ctx, client.About{Root: a.root(t.project)}, e); err != nil {
			return notRecorded(err)
		}
	}
	var errs []error
	for _, task := range gone {
		if newest, _ := all.Task(task.TaskID); newest.Run == task.Run {
			errs = append(errs, removeThere(filepath.Join(workDir(a.root(t.project)), names[task.TaskID])))
		}
	}
	return errors.Join(errs...)
}

// removeThere removes a file that may be there.
func removeThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// workDir is where the original tool keeps the states of a project's tasks.
func workDir(root string) string {
	return filepath.Join(root, ".omcm", "state", "context-recovery")
}

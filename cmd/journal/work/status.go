package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/wire/client"
	"journal/journal/worker"
	"journal/journal/worker/runner"
	"journal/projections"
	"journal/projections/workers"
	"journal/replay"
)

// workExpiry is the age from which the state of a task is expired (S4.4).
const workExpiry = 24 * time.Hour

// workTasks folds the tasks of the project up to the end of the log. Without a journal there are none.
func workTasks(ctx context.Context, a *cli.App, t cli.TargetFlags) (workers.State, error) {
	target := projections.Target{Project: a.ProjectKey(t.Project), Session: events.None}
	f := projections.NewFold(target, projections.Config{}, workers.Projection)
	err := a.Read(ctx, func(log *journal.Log) error { return cli.Damaged(replay.Forward(ctx, log, f, 0)) })
	if errors.Is(err, cli.ErrNoJournal) {
		err = nil
	}
	return workers.Projection.In(f), err
}

// workView is the state of a task, with members that depend on this machine and on the present time.
type workView struct {
	workers.Task
	// MayRunTwice is set if a worker's beginning was recorded but not its end, and the task's run is not at work. Resuming the run
	// would start another worker.
	MayRunTwice bool `json:"mayRunTwice,omitempty"`
	Expired     bool `json:"expired,omitempty"` // older than workExpiry
}

// viewOfTask returns the view of a task at the present time.
func viewOfTask(a *cli.App, t workers.Task) workView {
	return workView{
		Task:        t,
		MayRunTwice: t.Open != nil && isRun(t.Run) && !ownership.Held(runDir(a, t.Run)),
		Expired:     expired(t, workExpiry),
	}
}

// expired reports whether the last change of a task is longer ago than age.
func expired(t workers.Task, age time.Duration) bool {
	return time.Since(t.At.Time()) > age
}

// workStatus makes the command `journal work status`.
func workStatus(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("status [TASK]", "the progress and outcomes of tasks",
		`Shows a task of the project, or all that are not older than 24 hours. --json prints their states, with the
keys of the original tool: taskId, originalTask, error, recovery, recovered, finalPhase, totalRetries,
partialResults, timestamps, result; and notAsked, the part of the prompt that no worker got, mayRunTwice
for a task whose worker's end was not recorded, expired for one older than 24 hours. A task that never
began has no times.

Exit codes: 0; 1 failure, or there is no such task; 2 usage.`,
		func(c *cobra.Command, args []string) error {
			tasks, err := workTasks(c.Context(), a, t)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				task, ok := tasks.Task(args[0])
				if !ok {
					return cli.WithHint(fmt.Errorf("no task %s", args[0]), "journal work status")
				}
				view := viewOfTask(a, task)
				return a.Print(view, func() { fmt.Fprintln(a.Out, workLines(view)) })
			}
			views := []workView{}
			for _, task := range tasks {
				if view := viewOfTask(a, *task); !view.Expired {
					views = append(views, view)
				}
			}
			views = append(views, waiting(a, t, tasks)...)
			return a.Print(views, func() { cli.PrintAll(a, views, "no tasks in the last 24 hours", workLines) })
		})
	t.Add(c)
	return a.JSONFlag(c)
}

// waiting returns the tasks that never began, of the project's runs whose folders changed within workExpiry. known has the
// tasks that began.
func waiting(a *cli.App, t cli.TargetFlags, known workers.State) (views []workView) {
	started := map[events.WorkName]bool{}
	for _, task := range known {
		started[events.WorkName{Run: task.Run, Task: task.TaskID}] = true
	}
	runs, _ := storedRuns(a) // after an error only the tasks that began are shown
	for _, r := range runs {
		if time.Since(r.changed) > workExpiry {
			continue
		}
		s, err := runner.Load(r.dir)
		if err != nil || client.ProjectKey(s.Root) != a.ProjectKey(t.Project) {
			continue
		}
		for _, task := range s.Tasks {
			if !started[events.WorkName{Run: s.Run, Task: task.ID}] {
				views = append(views, workView{Task: workers.Waiting(worker.Started(s.Run, task.ID, task))})
			}
		}
	}
	return views
}

// workLines describes a task for people. The lines after the first are indented.
func workLines(v workView) string {
	state := "running"
	switch {
	case v.Recovered:
		state = "recovered"
	case v.NotAsked != "" && v.PhaseSucceeded():
		state = "in part"
	case v.Failed():
		state = "failed"
	case v.Finished():
		state = "done"
	case v.Open == nil && v.Error == nil:
		state = "waiting"
	}
	line := fmt.Sprintf("%-10s %-12s", state, cli.OneLine(v.TaskID))
	if v.Run != "" {
		line += " run " + cli.OneLine(v.Run)
	}
	if v.TotalRetries > 0 {
		line += fmt.Sprintf("  phase %d, %s", v.FinalPhase, text.Counted(v.TotalRetries, "retry"))
	}
	if v.Error != nil {
		line += "  " + cli.OneLine(clipLine(v.Error.Message))
	}
	line += droppedLines(v.Task)
	if v.Timestamps.Started == "" && v.Run != "" {
		line += "\n  never began: journal work resume " + cli.OneLine(v.Run)
	}
	if v.MayRunTwice {
		line += fmt.Sprintf("\n  its worker's end was not recorded: journal work resume %s may run it twice", cli.OneLine(v.Run))
	}
	if v.Expired {
		line += "\n  older than 24 hours"
	}
	return line
}

// droppedLines describes what each phase removed from a task, and the part of the prompt that no worker got.
func droppedLines(t workers.Task) (lines string) {
	o, r := t.OriginalTask, t.Recovery
	if r.Phase1.Attempted {
		lines += "\n  " + worker.Dropped(1, o.HasContext, o.HasFiles, o.PromptLength, r.Phase1.Length)
	}
	if r.Phase2.Attempted {
		lines += "\n  " + worker.Dropped(2, o.HasContext, o.HasFiles, o.PromptLength, r.Phase2.Length)
	}
	if t.NotAsked != "" {
		lines += "\n  not asked: " + cli.OneLine(clipLine(t.NotAsked))
	}
	return lines
}

// clipLine shortens a message of more than 120 characters to that length and an ellipsis.
func clipLine(s string) string {
	if first := text.FirstCharacters(s, 120); len(first) < len(s) {
		return first + "…"
	}
	return s
}

// workGC makes the command `journal work gc`.
func workGC(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var older time.Duration
	c := cli.NewCommand("gc", "remove states of tasks that are older than 24 hours",
		`Removes the states of tasks that last changed more than 24 hours ago, with their files in
.omcm/state/context-recovery, and the outputs of runs whose tasks are all finished. Their events stay
in the log. A run with tasks left can still be resumed. --json prints {"expired":N}.`,
		func(c *cobra.Command, _ []string) error {
			tasks, err := workTasks(c.Context(), a, t)
			if err != nil {
				return err
			}
			old := slices.DeleteFunc(slices.Clone(tasks), func(w *workers.Task) bool { return !expired(*w, older) })
			if err := errors.Join(expire(c.Context(), a, t, tasks, old), sweepRuns(c.Context(), a, older)); err != nil {
				return err
			}
			doc := struct {
				Expired int `json:"expired"`
			}{len(old)}
			return a.Print(doc, func() { fmt.Fprintf(a.Out, "%d expired\n", doc.Expired) })
		})
	t.Add(c)
	cli.DurationFlag(c, &older, "older", workExpiry, cli.LongAgo, "the age from which a state is expired")
	return a.JSONFlag(c)
}

// expiredAtOnce bounds the number of tasks in one event.
const expiredAtOnce = 500

// expire records that the states old have expired, and removes their files. all are the states of the project, including old.
func expire(ctx context.Context, a *cli.App, t cli.TargetFlags, all, old workers.State) error {
	names := map[string]string{} // of the states' files, by task
	for name, task := range workFiles(all) {
		names[task.TaskID] = name
	}
	for chunk := range slices.Chunk(old, expiredAtOnce) {
		var e events.WorkExpired
		for _, task := range chunk {
			e.Tasks = append(e.Tasks, events.WorkName{Run: task.Run, Task: task.TaskID})
		}
		if _, err := a.Appender().Append(ctx, client.About{Root: a.Root(t.Project)}, e); err != nil {
			return cli.NotRecorded(err)
		}
	}
	var errs []error
	for _, task := range old { // a file has the newest state of its task, and stays if that state is of another run
		if newest, _ := all.Task(task.TaskID); newest.Run == task.Run {
			errs = append(errs, disk.Remove(filepath.Join(workDir(a.Root(t.Project)), names[task.TaskID])))
		}
	}
	return errors.Join(errs...)
}

// workDir returns the directory in which the original tool keeps the states of a project's tasks.
func workDir(root string) string {
	return filepath.Join(root, ".omcm", "state", "context-recovery")
}

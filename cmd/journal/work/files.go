package work

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/disk"
	"journal/journal/worker"
	"journal/projections/workers"
)

// workFiles yields the name of each task's file, and the newest state of the task.
func workFiles(tasks workers.State) iter.Seq2[string, workers.Task] {
	return func(yield func(string, workers.Task) bool) {
		taken, seen := map[string]bool{}, map[string]bool{} // names of files, ids of tasks
		for _, t := range slices.Backward(tasks) {
			if seen[t.TaskID] {
				continue
			}
			seen[t.TaskID] = true
			if !yield(worker.FileName(t.TaskID, taken), *t) {
				return
			}
		}
	}
}

// writeTasks writes into dir the states of the tasks with some ids, and returns the path of the last file; "" if there is none. An empty
// dir means the folder of the original tool, if that folder exists (S4.3).
func writeTasks(ctx context.Context, a *cli.App, t cli.TargetFlags, dir string, ids ...string) (path string, err error) {
	if dir == "" {
		dir = workDir(a.Root(t.Project))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", nil
		}
	}
	tasks, err := workTasks(ctx, a, t)
	if err != nil {
		return "", err
	}
	for name, task := range workFiles(tasks) {
		if slices.Contains(ids, task.TaskID) {
			if path, err = writeState(dir, name, task); err != nil {
				return path, err
			}
		}
	}
	return path, nil
}

// taskOf returns the id of the task that an event of a run is about; "" if it is about the run.
func taskOf(e events.Event) string {
	switch e := e.(type) {
	case events.WorkStarted:
		return e.Task
	case events.WorkAttempted:
		return e.Task
	case events.WorkEnded:
		return e.Task
	case events.WorkFinished:
		return e.Task
	}
	return ""
}

// writeState writes the state of a task into a file, unless the file has this state already, and returns the file's path.
func writeState(dir, name string, t workers.Task) (path string, err error) {
	path = filepath.Join(dir, name)
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return path, err
	}
	b = append(b, '\n')
	if current, err := disk.ReadFile(path, maxWorkFile); err == nil && bytes.Equal(current, b) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return path, err
	}
	return path, disk.Replace(path, b)
}

// maxWorkFile bounds in bytes the file of a state that writeState compares. It writes a longer one without a comparison.
const maxWorkFile = 1 << 20

package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/wire/client"
	"journal/journal/worker/runner"
)

// runDir returns the folder of a run.
func runDir(a *cli.App, run string) string { return filepath.Join(runner.Dir(a.Dir), run) }

// isRun reports whether a name can be that of a run's folder. A name may come from an event, and must not lead to another
// directory.
func isRun(name string) bool {
	return name != "." && name == filepath.Base(name) && filepath.IsLocal(name)
}

// resumable finds the run with an id. For an empty id it finds the newest run of this project that has tasks left.
func resumable(ctx context.Context, a *cli.App, run string) (runner.Spec, error) {
	errNone := cli.WithHint(errors.New("no run to resume"), "journal work status")
	if run != "" {
		if !isRun(run) {
			return runner.Spec{}, errNone
		}
		s, err := runner.Load(runDir(a, run))
		if errors.Is(err, os.ErrNotExist) {
			return s, cli.WithHint(fmt.Errorf("no run %s", run), "journal work status")
		}
		return s, err
	}
	runs, err := storedRuns(a)
	if err != nil {
		return runner.Spec{}, err
	}
	for _, r := range runs {
		s, err := runner.Load(r.dir)
		if err != nil || client.ProjectKey(s.Root) != a.ProjectKey("") {
			continue
		}
		progress, err := runProgress(ctx, a, s)
		if err != nil {
			return s, err
		}
		if !progress.Done(s) {
			return s, nil
		}
	}
	return runner.Spec{}, errNone
}

// storedRun is the folder of a run.
type storedRun struct {
	dir     string
	changed time.Time // time at which a file was last made or removed in it
}

// storedRuns lists the folders of runs, the last changed first.
func storedRuns(a *cli.App) (all []storedRun, err error) {
	entries, err := disk.ReadDir(runner.Dir(a.Dir))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		all = append(all, storedRun{runDir(a, e.Name()), runner.Changed(e)})
	}
	slices.SortFunc(all, func(x, y storedRun) int { return y.changed.Compare(x.changed) })
	return all, err
}

// runProgress folds the recorded events of a run.
func runProgress(ctx context.Context, a *cli.App, s runner.Spec) (runner.Progress, error) {
	p := runner.Progress{}
	key := client.ProjectKey(s.Root)
	var sel []events.Selector
	for _, t := range []events.Type{
		events.TypeOf[events.WorkStarted](), events.TypeOf[events.WorkAttempted](), events.TypeOf[events.WorkEnded](), events.TypeOf[events.WorkFinished](),
	} {
		sel = append(sel, events.Selector{Project: key, Type: t})
	}
	err := a.Read(ctx, func(log *journal.Log) error {
		for e, err := range log.Events(ctx, events.Span{}, sel...) {
			if err != nil {
				return cli.Damaged(err)
			}
			if e.EchoOf != 0 {
				continue
			}
			if body, err := events.Open(e); err == nil { // journal verify reports an event that cannot be opened
				p.Apply(s.Run, body)
			}
		}
		return nil
	})
	return p, err
}

// sweepRuns removes the folders of runs, of every project, in which no file was made or removed for longer than age and every
// task has an outcome. The outcomes stay in the log.
func sweepRuns(ctx context.Context, a *cli.App, age time.Duration) error {
	runs, failed := storedRuns(a)
	for _, r := range runs {
		if time.Since(r.changed) <= age || ownership.Held(r.dir) {
			continue
		}
		s, err := runner.Load(r.dir)
		if err != nil {
			continue // a person may want to look at a folder that cannot be read
		}
		p, err := runProgress(ctx, a, s)
		if err != nil {
			return errors.Join(failed, err)
		}
		if p.Done(s) {
			failed = errors.Join(failed, os.RemoveAll(r.dir))
		}
	}
	return failed
}

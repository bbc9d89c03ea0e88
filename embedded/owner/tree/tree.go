// Package tree examines a project when an agent's context is compacted. It records the state of the checkout and the places in
// files under work. Hooks and answers do not wait for it.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/git"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

// Writer stores observations. Its lock guards the set of waiting lanes.
type Writer interface {
	sync.Locker
	// Head returns the sequence of the newest event.
	Head() uint64
	// Record appends one event under an id.
	Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error
}

// Observer examines projects. It is a listener of the writer.
type Observer struct {
	log     *journal.Log
	writer  Writer
	dir     string        // of the journal
	wait    time.Duration // for the state of the checkout
	search  time.Duration // for the search of uses
	onError func(error)
	done    func(context.Context, projections.Target) error // see New
	due     chan struct{}                                   // notifies Run of a waiting lane

	waiting  map[projections.Target]string // the lanes to examine, with their agents; guarded by the writer's lock
	intended map[projections.Target]bool   // lanes whose compaction a hook has announced; guarded by the writer's lock
}

// New returns an observer for the log in a directory. done is called for a lane whenever new observations of its project may be in the
// log. Errors go to onError.
func New(log *journal.Log, w Writer, dir string, pace wire.Pace, done func(context.Context, projections.Target) error, onError func(error)) *Observer {
	return &Observer{
		log: log, writer: w, dir: dir, wait: pace.Of(git.StateWait), search: pace.Of(searchWait), done: done, onError: onError, due: make(chan struct{}, 1),
		waiting: map[projections.Target]string{}, intended: map[projections.Target]bool{},
	}
}

// compacting holds the events that report a compaction.
var compacting = map[events.Type]bool{
	events.TypeOf[events.CompactionIntended](): true, events.TypeOf[events.ContextRestarted](): true,
	events.TypeOf[events.CompactionCompleted](): true, events.TypeOf[events.SummaryDrafted](): true,
}

// Remember does nothing: the projects of earlier compactions have changed since.
func (*Observer) Remember(events.Envelope) {}

// Stored receives an event that was just stored.
func (o *Observer) Stored(e events.Envelope) {
	fromHook := e.Session != events.None && e.EchoOf == 0 && !events.Derived(e.ID)
	inMainLane := e.Lane == "" || e.Type == events.TypeOf[events.SummaryDrafted]() // the lane of a draft is that of the summariser
	if !compacting[e.Type] || !fromHook || !inMainLane {
		return
	}
	t := projections.Target{Project: e.Project, Session: e.Session}
	switch e.Type {
	case events.TypeOf[events.CompactionIntended]():
		o.intended[t] = true
	case events.TypeOf[events.ContextRestarted]():
		if o.intended[t] { // examined when it was announced, and again when it is completed
			delete(o.intended, t)
			return
		}
	}
	o.waiting[t] = e.Agent
	select {
	case o.due <- struct{}{}:
	default:
	}
}

// answerTime is the delay before git takes the processor, so that the hook that reported a compaction gets its answer first.
const answerTime = 30 * time.Millisecond

// Run examines projects until ctx ends.
func (o *Observer) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.due:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(answerTime):
		}
		o.writer.Lock()
		all := o.waiting
		o.waiting = map[projections.Target]string{}
		o.writer.Unlock()
		for t, agent := range all {
			if err := o.examine(ctx, t, agent); err != nil && ctx.Err() == nil {
				o.onError(fmt.Errorf("examine the project of session %s: %w", t.Session, err))
			}
		}
	}
}

// examination examines the project of a lane once.
type examination struct {
	*Observer
	target projections.Target
	agent  string
	before *projections.Fold // what the log has of the lane and of earlier examinations
}

// examine records what is new in the project of a lane: the places, the checkout, then the uses of a changed symbol.
func (o *Observer) examine(ctx context.Context, t projections.Target, agent string) error {
	if client.Paused(o.dir, t.Project) {
		return o.done(ctx, t)
	}
	x := examination{o, t, agent, projections.NewFold(t, projections.Config{}, projections.Trail, projections.Places, projections.Git, projections.Uses)}
	if err := replay.Forward(ctx, o.log, x.before, o.writer.Head()); err != nil {
		return errors.Join(err, o.done(ctx, t))
	}
	changed, err := x.places(ctx)
	err = errors.Join(err, x.checkout(ctx), o.done(ctx, t))
	if err != nil {
		return err
	}
	found, completed := o.usesOf(ctx, projections.Trail.In(x.before).Root, changed)
	known := projections.Uses.In(x.before).UsesObserved
	if !completed && known.Name == redact.Text(changed.name) { // an earlier search may have found more
		return nil
	}
	if reflect.DeepEqual(found, known) {
		return nil
	}
	return errors.Join(x.record(ctx, found), o.done(ctx, t))
}

// checkout records the state of the checkout in which the agent works or, if that is none, of the one at the project's path, if it changed.
func (x examination) checkout(ctx context.Context) error {
	trail := projections.Trail.In(x.before)
	for _, dir := range slices.Compact([]string{trail.Cwd, trail.Root}) {
		if dir == "" {
			continue
		}
		if s, ok := git.Observe(ctx, dir, x.wait); ok {
			if s = redacted(s); reflect.DeepEqual(s, projections.Git.In(x.before).GitObserved) {
				return nil
			}
			return x.record(ctx, s)
		}
	}
	return nil
}

// places records the places in the files under work, unless the same were recorded after the last edit. It returns a symbol whose
// definition changed.
func (x examination) places(ctx context.Context) (changed symbol, err error) {
	trail, known := projections.Trail.In(x.before), projections.Places.In(x.before)
	files, err := openTree(trail.Root)
	if err != nil {
		return changed, nil // the project is gone
	}
	defer files.close()
	found, changed := placesIn(trail, files.lines)
	if late := time.Now().After(files.end); late && len(found.Files) == 0 {
		return changed, nil // nothing was read in time
	}
	if len(known.Stale) > 0 || !reflect.DeepEqual(found, known.PlacesObserved) {
		err = x.record(ctx, found)
	}
	return changed, err
}

// record records an observation.
func (x examination) record(ctx context.Context, ev events.Event) error {
	return x.writer.Record(ctx, x.target, x.agent, events.NewID(), ev)
}

// redacted replaces secrets in the names and subjects of a checkout's state, in place.
func redacted(s events.GitObserved) events.GitObserved {
	s.Top, s.Branch, s.Upstream = redact.Text(s.Top), redact.Text(s.Branch), redact.Text(s.Upstream)
	for i := range s.Commits {
		s.Commits[i].Subject = redact.Text(s.Commits[i].Subject)
	}
	for i := range s.Changes {
		s.Changes[i].Path = redact.Text(s.Changes[i].Path)
	}
	return s
}

// Bounds of the files that are read: the size of each, their number, and the time for all of them.
const (
	fileBytes = 1 << 20
	maxRead   = 24
	readWait  = 300 * time.Millisecond
)

// tree reads files of a project.
type tree struct {
	path string
	root *os.Root
	read int       // number of files read
	end  time.Time // after which no file is read
}

// openTree opens the directory of a project.
func openTree(path string) (*tree, error) {
	root, err := disk.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &tree{path: path, root: root, end: time.Now().Add(readWait)}, nil
}

func (t *tree) close() { t.root.Close() }

// lines returns the lines of a file, false for one that is no regular text file in a known language, exceeds a bound, or is outside of the
// project, also by a link.
func (t *tree) lines(path string) ([]string, bool) {
	below, err := filepath.Rel(t.path, path)
	if err != nil || shapes[strings.ToLower(filepath.Ext(path))] == nil || t.read == maxRead || time.Now().After(t.end) {
		return nil, false
	}
	if info, err := t.root.Stat(below); err != nil || !info.Mode().IsRegular() || info.Size() > fileBytes {
		return nil, false
	}
	t.read++
	f, err := t.root.OpenFile(below, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe that took its place
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, fileBytes))
	if err != nil || !utf8.Valid(b) {
		return nil, false
	}
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), true
}

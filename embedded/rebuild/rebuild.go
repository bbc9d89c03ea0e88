package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/wire/client"
)

// Options configures a rebuild.
type Options struct {
	// Reason is stored in the log, the history and log.gap.
	Reason string
	// Automatic marks a rebuild that no person started, of which there is at most one a day. Callers do not set it after an interrupted
	// write, because any power cut may interrupt one.
	Automatic bool
	// Forget, if set, selects events to remove for good: from both copies, and from every copy that an earlier rebuild replaced.
	Forget func(events.Envelope) bool
	// Redact, if set, returns the new form of an event, and whether it changed. The event's sequence, id and subject stay. As with Forget,
	// no copy of the old event is kept.
	Redact func(events.Envelope) (after events.Envelope, changed bool, err error)
	// Remote, if set, is a remote copy of the log, which is merged into both local copies.
	Remote *Remote
	// Progress, if set, gets the bytes of the store read so far, and their total.
	Progress func(done, total int64)
	// Logger gets the messages of the server. Default: none.
	Logger *slog.Logger
}

// Result is the result of a rebuild.
type Result struct {
	Epoch     int
	Events    uint64        // records in the new store
	Archived  copies.Ranges // sequences whose records come from the archive
	Gaps      copies.Ranges // sequences without a readable record, replaced by log.gap
	Differ    copies.Ranges // sequences whose records differed between the copies
	LostTail  *copies.Range // sequences after the log's end up to the sequence in the head file, nil for none
	Forgotten uint64        // events removed by Options.Forget
	Suspect   string        // path of the replaced store, empty if it was removed or there was none
	Archive   bool          // the archive was written again too
	Damage    []string      // of both copies, before the rebuild

	segments string        // directory with archive segments that may be reused, below the journal directory; empty if there is none
	changed  copies.Ranges // sequences whose records differ from those in segments
}

// forgets reports whether no old copy may be kept.
func (o Options) forgets() bool {
	return o.Forget != nil || o.Redact != nil || o.Remote != nil && o.Remote.Forgets
}

// margin is the space in bytes that a rebuild leaves free.
const margin = 32 << 20

// Rebuild writes a new store from both copies. It renames the old store, or deletes it if events are forgotten, redacted or merged with a
// remote copy. Every sequence is kept. The archive is written again if it is damaged, differs from the store, or has changed events. No
// owner may be running: the caller holds the lock and has called Resume.
//
// After an error the log is unchanged, unless the error came while the copies were exchanged; then Resume continues.
func Rebuild(ctx context.Context, lock *ownership.Lock, o Options) (Result, error) {
	r, p, err := prepare(ctx, lock, o)
	if err != nil {
		err = fmt.Errorf("rebuild: %w", err)
		if !exists(filepath.Join(lock.Dir(), planName)) {
			err = errors.Join(err, discard(lock.Dir()))
		}
		return r, err
	}
	return r, execute(lock, p.steps(lock.Dir()))
}

// prepare writes the new copies and stores the plan to exchange them.
func prepare(ctx context.Context, lock *ownership.Lock, o Options) (Result, plan, error) {
	dir := lock.Dir()
	p := newPlan(o)
	past, err := History(dir)
	if o.Automatic {
		// An unreadable history does not stop a rebuild that a person started.
		if err := errors.Join(err, mayRebuild(past, p.At)); err != nil {
			return Result{}, p, err
		}
	}
	if err := errors.Join(discard(dir), enoughSpace(dir)); err != nil {
		return Result{}, p, err
	}
	if p.Epoch, err = nextEpoch(dir, past); err != nil {
		return Result{}, p, err
	}
	r := Result{Epoch: p.Epoch, segments: archiveName}
	if exists(filepath.Join(dir, storeName)) && !p.Forget && !p.Drop {
		r.Suspect = filepath.Join(dir, suspectOf(storeName, p.At))
	}
	err = newStore(ctx, dir, p, o.Logger, func(w *writer) error { return writeStore(ctx, dir, o, p, &r, w) })
	if err != nil {
		return r, p, err
	}
	if err := writeArchive(ctx, dir, &r); err != nil {
		return r, p, err
	}
	if !lock.Intact() {
		return r, p, ownership.ErrReplaced
	}
	p.Last = r.Events
	return r, p, p.begin(dir)
}

// enoughSpace checks that the disk has room for a second store and a second archive. The archive counts twice, because the new store may
// get from it what the old store lacks.
func enoughSpace(dir string) error {
	_, free, err := embedded.DiskSize(dir)
	if err != nil {
		return err
	}
	need := sizeOf(filepath.Join(dir, storeName)) + 2*sizeOf(filepath.Join(dir, archiveName)) + margin
	if uint64(free) < need {
		return fmt.Errorf("%w: %s has %d MiB free, %d are needed", ErrNoSpace, dir, free>>20, need>>20+1)
	}
	return nil
}

// nextEpoch returns the epoch of the log's next stream: one more than the greatest epoch in the store and the history.
func nextEpoch(dir string, past []Entry) (int, error) {
	s, _, err := copies.StreamOf(dir)
	if err != nil {
		return 0, err
	}
	epoch := max(journal.Epoch(s.Name), 1)
	for _, p := range past {
		epoch = max(epoch, p.Epoch)
	}
	return epoch + 1, nil
}

// newStore makes the store storeName+newSuffix. A server creates its stream, write fills the stream, and a server checks all of it.
func newStore(ctx context.Context, dir string, p plan, logger *slog.Logger, write func(*writer) error) error {
	store := filepath.Join(dir, storeName+newSuffix)
	err := withServer(ctx, store, logger, func(js jetstream.JetStream) error {
		_, err := journal.CreateEpoch(ctx, js, p.Epoch)
		return err
	})
	if err != nil {
		return err
	}
	stream, err := onlyStream(store)
	if err != nil {
		return err
	}
	// The records get a time of an hour ago. A server remembers the ids of recent messages, which is useless for these records.
	w := &writer{blocks: stream.NewWriter(p.At.Add(-time.Hour))}
	if err := errors.Join(write(w), w.blocks.Close()); err != nil {
		return err
	}
	return withServer(ctx, store, logger, func(js jetstream.JetStream) error {
		log, err := journal.OpenLog(ctx, js)
		if err != nil {
			return err
		}
		st, err := log.Stats(ctx)
		if err != nil {
			return err
		}
		if st.Last != w.last || st.Events != w.last || st.Deleted > 0 {
			return fmt.Errorf("%w: the server reads %d of %d records", ErrMismatch, st.Events, w.last)
		}
		return nil
	})
}

// withServer runs f with a server on a new store. After f the server is closed, which syncs the store.
func withServer(ctx context.Context, store string, logger *slog.Logger, f func(jetstream.JetStream) error) (err error) {
	server, err := embedded.Scratch(ctx, store, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	js, err := jetstream.New(server.Conn())
	if err != nil {
		return err
	}
	return f(js)
}

// writeStore writes the records of both copies to w, and sets the fields of r.
func writeStore(ctx context.Context, dir string, o Options, p plan, r *Result, w *writer) error {
	remote := cmp.Or(o.Remote, &Remote{Records: func(func(record.Record, error) bool) {}})
	next, stop := iter.Pull2(remote.Records)
	defer stop()
	m := merger{*remote, next}
	found, err := copies.Walk(ctx, dir, o.Progress, func(e copies.Entry) error {
		e, err := m.merge(e, r)
		if err != nil {
			return err
		}
		return w.place(e, o, p, r)
	})
	if err != nil {
		return err
	}
	if err := m.putRest(w); err != nil {
		return err
	}
	if err := UnknownFormat(found.Store.Unknown); err != nil {
		return err
	}
	r.Differ = found.Differ
	r.Damage = damageOf(found)
	if o.forgets() && len(r.Damage)+len(r.Gaps) > 0 {
		return fmt.Errorf("%w: %s", ErrDamaged, r.Damage)
	}
	tail := uint64(0)
	if head := client.Head(dir); head > w.last {
		r.LostTail, tail = &copies.Range{First: w.last + 1, Last: head}, head-w.last
	}
	if len(found.Archive)+len(found.Impossible)+len(found.Differ) > 0 {
		r.segments = ""
	}
	r.Archive = r.segments == "" || len(r.changed) > 0
	if !o.forgets() && o.Remote == nil {
		err = w.event(events.LogRepaired{
			Epoch: p.Epoch, Reason: o.Reason, Suspect: filepath.Base(r.Suspect),
			Archived: r.Archived.Count(), Gaps: r.Gaps.Count(), LostTail: tail,
		}, events.Meta{At: p.At.UnixNano()})
	}
	r.Events = w.last
	return err
}

// place writes the record of an entry, or the record that replaces it.
func (w *writer) place(entry copies.Entry, o Options, p plan, r *Result) error {
	switch entry.Origin {
	case copies.Lost:
		r.Gaps.Add(entry.Seq)
		id := events.DerivedID("log.gap", strconv.FormatUint(entry.Seq, 10))
		return w.event(events.LogGap{Seq: entry.Seq, Reason: o.Reason}, events.Meta{ID: id, At: p.At.UnixNano()})
	case copies.InArchive:
		r.Archived.Add(entry.Seq)
	}
	if o.Forget != nil {
		if e, ok := forgettable(entry.Record); ok && o.Forget(e) {
			r.Forgotten++
			r.changed.Add(entry.Seq)
			return w.put(record.Record{Subject: record.Forgotten})
		}
	}
	redacted, err := o.redacted(entry)
	switch {
	case err != nil:
		return err
	case redacted != nil:
		entry.Data = redacted
		r.changed.Add(entry.Seq)
	case entry.Packed != nil && journal.IsID(entry.ID): // the bytes of the store are copied
		entry.Data = entry.Packed
		return w.store(entry.Record)
	}
	return w.put(entry.Record)
}

// redacted returns the Data of a record after Options.Redact, nil if it is unchanged. A record that is not an event is unchanged.
func (o Options) redacted(entry copies.Entry) ([]byte, error) {
	if o.Redact == nil {
		return nil, nil
	}
	e, err := events.Decode(entry.Data, entry.Seq)
	if err != nil || IsAboutLog(e.Type) {
		return nil, nil
	}
	after, changed, err := o.Redact(e)
	if err != nil {
		return nil, fmt.Errorf("#%d: %w", entry.Seq, err)
	}
	if !changed {
		return nil, nil
	}
	redacted, err := journal.NewRecord(after)
	if errors.Is(err, events.ErrTooLarge) {
		// The text that replaces a secret can be longer than the secret. Dropping More is better than keeping the secret.
		after.More = nil
		redacted, err = journal.NewRecord(after)
	}
	if err != nil {
		return nil, fmt.Errorf("#%d: %w", entry.Seq, err)
	}
	return redacted.Data, nil
}

// IsAboutLog reports whether events of a type are about the log itself: what was lost or forgotten, a rebuild, or that a person
// acknowledged a loss. Such events are never forgotten.
func IsAboutLog(t events.Type) bool {
	return t == events.TypeOf[events.LogGap]() || t == events.TypeOf[events.LogForgotten]() || t == events.TypeOf[events.LogRepaired]() || t == events.TypeOf[events.LogAcknowledged]()
}

// damageOf describes the damage of both copies for people.
func damageOf(f copies.Findings) []string {
	var all []string
	for _, d := range f.Store.Damage {
		all = append(all, fmt.Sprintf("%s: %s", filepath.Base(d.File), d.What))
	}
	for _, err := range f.Archive {
		all = append(all, err.Error())
	}
	for _, b := range f.Impossible {
		all = append(all, b.String())
	}
	return all
}

// Reason returns the reason for rebuilding a suspect store: the first damage of its blocks, or a general text.
func Reason(err *embedded.SuspectError) string {
	for _, s := range err.Streams {
		if len(s.Damage) > 0 {
			return fmt.Sprintf("%s: %s", filepath.Base(s.Damage[0].File), s.Damage[0].What)
		}
	}
	return "the store is damaged"
}

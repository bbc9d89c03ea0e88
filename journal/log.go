package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal/record"
	"journal/journal/wire"
)

// streamPrefix and an epoch number name the stream. A repaired store is a new
// epoch with the same sequences (ADR-0012 rule 3).
const streamPrefix = "JOURNAL_"

// dedupeWindow is the time for which the server remembers event ids. Opening the store reads
// every id in it again: 100,000 of them make a clean opening take 41 ms instead of 7
// (ADR-0002 rule 8). Find searches for older ids.
const dedupeWindow = 2 * time.Minute

// Log is a log of events. It is safe for concurrent use.
type Log struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  string
	records Records // what Through set; nil: readers ask the server
	// contents replaces the server; nil if there is a server.
	contents *Contents
	// noteHole is what PastHoles set. Without it a missing sequence is an error for readers of the whole log.
	noteHole func(first, last uint64)
	// noteMalformed is what PastMalformed set. Without it Events and Follow return the errors.
	noteMalformed func(error)
}

// CreateLog opens the log, and makes its stream if the server has none. Only the
// owner of a store calls it.
func CreateLog(ctx context.Context, js jetstream.JetStream) (*Log, error) {
	l, err := OpenLog(ctx, js)
	if !errors.Is(err, ErrNoLog) {
		return l, err
	}
	return CreateEpoch(ctx, js, 1)
}

// CreateEpoch makes the stream of an epoch; epochs count from 1. Only CreateLog and a rebuild,
// which has a server of its own, call it.
func CreateEpoch(ctx context.Context, js jetstream.JetStream, epoch int) (*Log, error) {
	name := streamPrefix + strconv.Itoa(epoch)
	if Epoch(name) == 0 {
		return nil, fmt.Errorf("create stream %s: epochs begin with 1", name)
	}
	if _, err := js.CreateStream(ctx, configOf(name)); err != nil {
		return nil, fmt.Errorf("create stream %s: %w", name, err)
	}
	return &Log{nc: js.Conn(), js: js, stream: name}, nil
}

// configOf returns the configuration of a log's stream.
func configOf(stream string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        stream,
		Description: "what coding agents did, decided and forgot",
		Subjects:    []string{subjectRoot + ".>"},
		Storage:     jetstream.FileStorage,
		Replicas:    1,
		Retention:   jetstream.LimitsPolicy,
		DenyDelete:  true,
		DenyPurge:   true,
		Duplicates:  dedupeWindow,
		AllowDirect: true,
		// Atomic batches are faster from about ten events on: imports, a long spool.
		AllowAtomicPublish: true,
	}
}

// OpenLog opens the log of the newest epoch. The error is ErrNoLog when there
// is none.
func OpenLog(ctx context.Context, js jetstream.JetStream) (*Log, error) {
	best, name := 0, ""
	names := js.StreamNames(ctx)
	for n := range names.Name() {
		if epoch := Epoch(n); epoch > best {
			best, name = epoch, n
		}
	}
	if err := names.Err(); err != nil {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	if name == "" {
		return nil, ErrNoLog
	}
	return &Log{nc: js.Conn(), js: js, stream: name}, nil
}

// Stream returns the name of the stream.
func (l *Log) Stream() string { return l.stream }

// Epoch returns the number of the epoch in a stream's name, 0 if it is not the
// name of a log.
func Epoch(stream string) int {
	number, ok := strings.CutPrefix(stream, streamPrefix)
	epoch, err := strconv.Atoi(number)
	if !ok || err != nil || epoch < 1 || strconv.Itoa(epoch) != number {
		return 0
	}
	return epoch
}

// Append stores one event as Store does. The error is events.ErrTooLarge or events.ErrMalformed for an event that no
// retry can store.
func (l *Log) Append(ctx context.Context, e events.Envelope) (seq uint64, duplicate bool, err error) {
	r, err := NewRecord(e)
	if err != nil {
		return 0, false, err
	}
	return l.Store(ctx, r)
}

// Store stores a record of NewRecord or RecordOf, without encoding it again, and returns when
// the record is synced to disk. duplicate reports that a record with this id was stored before,
// at seq. After a timeout the outcome is unknown: store the record again under the same id.
func (l *Log) Store(ctx context.Context, r record.Record) (seq uint64, duplicate bool, err error) {
	msg, err := Message(r)
	if err != nil {
		return 0, false, fmt.Errorf("store %s: %w", r.ID, err)
	}
	// No retries: they would take 500 ms for a record that no stream accepts.
	ack, err := l.js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, false, fmt.Errorf("store %s on %s: %w", r.ID, r.Subject, err)
	}
	return ack.Sequence, ack.Duplicate, nil
}

// Stats counts the content of a log.
type Stats struct {
	Events  uint64 // stored messages: events, echoes among them, and marks of removed events
	First   uint64 // sequence of the oldest message
	Last    uint64 // sequence of the newest message; 0: none
	Bytes   uint64 // on disk; without an owner: of the data
	Deleted int    // missing sequences, which are damage
}

// Stats returns the counts of the log as it is now.
func (l *Log) Stats(ctx context.Context) (Stats, error) {
	if l.contents != nil {
		return l.contents.stats(), nil
	}
	s, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return Stats{}, fmt.Errorf("stream %s: %w", l.stream, err)
	}
	st := s.CachedInfo().State
	return Stats{Events: st.Msgs, First: st.FirstSeq, Last: st.LastSeq, Bytes: st.Bytes, Deleted: st.NumDeleted}, nil
}

// Repairs returns the number of log.repaired events. Each rebuild of this machine's own log
// appends one, except those that remove events on purpose.
func (l *Log) Repairs(ctx context.Context) (uint64, error) {
	return l.Count(ctx, events.Selector{Type: events.TypeOf[events.LogRepaired]()})
}

// Count returns the number of events that a selector selects, including echoes.
func (l *Log) Count(ctx context.Context, sel events.Selector) (n uint64, err error) {
	all, err := l.Subjects(ctx, sel)
	for _, s := range all {
		n += s.Events
	}
	return n, err
}

// NewRecord encodes an event for the log. The error is events.ErrTooLarge or events.ErrMalformed for an event that no
// log stores.
func NewRecord(e events.Envelope) (record.Record, error) {
	b, err := events.Encode(e)
	if err != nil {
		return record.Record{}, err
	}
	return RecordOf(e.Meta, b)
}

// RecordOf returns the record of an encoded event: b are the bytes to store. The error is events.ErrTooLarge or
// events.ErrMalformed for an event that no log stores.
func RecordOf(m events.Meta, b []byte) (record.Record, error) {
	r := record.Record{Subject: Subject(m), ID: m.ID, Data: b}
	switch {
	case len(r.Subject) > maxSubject || !IsID(r.ID):
		return r, fmt.Errorf("%w: id of %d bytes, subject of %d bytes", events.ErrMalformed, len(r.ID), len(r.Subject))
	case len(b) > events.MaxBytes:
		return r, fmt.Errorf("%w: %s of %d bytes", events.ErrTooLarge, m.Type, len(b))
	}
	return r, nil
}

// maxID bounds an id, in bytes: an id of the product has 36.
const maxID = 64

// IsID reports whether an id can be a message header: visible ASCII, at most maxID bytes. The spool
// accepts fewer (spool.Name).
func IsID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Find returns, by id, the sequences of the selected events with these ids after a sequence.
// An id that is not found is not in the map. Find is for ids older than the server's
// dedupe window. It does not decode the events, so it finds an unreadable event too.
func (l *Log) Find(ctx context.Context, after uint64, sel events.Selector, ids ...string) (map[string]uint64, error) {
	st, err := l.Stats(ctx)
	if err != nil {
		return nil, err
	}
	wanted, found := map[string]bool{}, map[string]uint64{}
	for _, id := range ids {
		wanted[id] = true
	}
	for m, err := range l.messages(ctx, events.Span{After: after, Until: st.Last}, filterOf(sel)) {
		if err != nil {
			return nil, err
		}
		if wanted[m.ID] {
			found[m.ID] = m.Seq
		}
		if len(found) == len(wanted) {
			break
		}
	}
	return found, nil
}

// Last returns the newest event that a selector selects. The error is ErrNone if there is none, or if the newest
// message that the selector selects is not an event.
func (l *Log) Last(ctx context.Context, sel events.Selector) (events.Envelope, error) {
	last := l.lastOnline
	if l.contents != nil {
		last = l.lastOffline
	}
	r, err := last(ctx, sel)
	if errors.Is(err, ErrNone) {
		return events.Envelope{}, err
	}
	if err != nil {
		return events.Envelope{}, fmt.Errorf("newest event: %w", err)
	}
	e, foreign, err := Decode(r)
	if foreign {
		return e, ErrNone
	}
	if err != nil {
		return e, fmt.Errorf("newest event: seq %d: %w", r.Seq, err)
	}
	return e, nil
}

// lastOnline returns the record of Last from the server.
func (l *Log) lastOnline(ctx context.Context, sel events.Selector) (record.Record, error) {
	s, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return record.Record{}, fmt.Errorf("stream %s: %w", l.stream, err)
	}
	m, err := s.GetLastMsgForSubject(ctx, filterOf(sel))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return record.Record{}, ErrNone
	}
	if err != nil {
		return record.Record{}, err
	}
	return record.Record{Seq: m.Sequence, Subject: m.Subject, ID: m.Header.Get(record.IDHeader), Data: m.Data}, nil
}

// Subjects lists the subjects that a selector selects, sorted by project, session and type,
// each with its number of events. It omits subjects that SubjectOf cannot parse.
func (l *Log) Subjects(ctx context.Context, sel events.Selector) ([]SubjectCount, error) {
	counts, err := l.counts(ctx, sel)
	if err != nil {
		return nil, err
	}
	all := make([]SubjectCount, 0, len(counts))
	for subj, n := range counts {
		s, ok := subjectOf(subj)
		if !ok && strings.Contains(subj, wire.CutMark) {
			s, ok, err = l.subjectOfFirst(ctx, subj)
		}
		if err != nil {
			return nil, err
		}
		if ok {
			s.Events = n
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b SubjectCount) int {
		return strings.Compare(a.Project+"\x00"+a.Session+"\x00"+string(a.Type), b.Project+"\x00"+b.Session+"\x00"+string(b.Type))
	})
	return all, nil
}

// subjectOfFirst returns SubjectOf of the first record with this subject for which SubjectOf succeeds.
func (l *Log) subjectOfFirst(ctx context.Context, subject string) (s SubjectCount, ok bool, err error) {
	for r, err := range l.messages(ctx, events.Span{Until: math.MaxUint64}, subject) {
		if err != nil {
			return s, false, err
		}
		if s, ok = SubjectOf(r); ok {
			return s, true, nil
		}
	}
	return s, false, nil
}

// counts returns the number of records of each subject that a selector selects.
func (l *Log) counts(ctx context.Context, sel events.Selector) (map[string]uint64, error) {
	if l.contents != nil {
		return l.contents.counts(sel), nil
	}
	s, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", l.stream, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filterOf(sel)))
	if err != nil {
		return nil, fmt.Errorf("subjects of %s: %w", l.stream, err)
	}
	return info.State.Subjects, nil
}

// SubjectCount is a subject of the log with the number of its events.
type SubjectCount struct {
	Project string // key
	Session string
	Type    events.Type
	Events  uint64 // stored events, including echoes
}

// Stored returns all stored messages of a span, events or not, by sequence, decompressed but
// not decoded, as a comparison of two copies of the log needs them. If span.Until is 0, the
// span ends where the log ends when reading begins. The error is ErrHole if a sequence is missing.
func (l *Log) Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		if span.Until == 0 {
			st, err := l.Stats(ctx)
			if err != nil {
				yield(record.Record{}, err)
				return
			}
			span.Until = st.Last
		}
		for r, err := range l.whole(ctx, span) {
			if err != nil {
				yield(r, err)
				return
			}
			r, err = r.Unpack()
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Messages returns all messages of a span as they are stored, events or not, by sequence. It
// skips missing sequences. With 0 as span.Until it reads nothing.
func (l *Log) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return l.PastHoles(func(_, _ uint64) {}).whole(ctx, span)
}

package catalogue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/replay/search"
)

// WordsName is the name of the database in a journal directory that has the words of the log.
const WordsName = "derived.db"

// wordsKind identifies the rules by which the database is made. Its number is raised when these rules change.
const wordsKind = "journal words 3"

const (
	wordsStep   = time.Second            // time after which a transaction of the writer ends
	wordsWait   = 300 * time.Millisecond // longest wait for a transaction of another process
	wordsMemory = 64 << 20               // most bytes of a connection
	sessionBits = 20                     // number of bits of a session's number in the id of a document
)

// levelColumns lists the columns of the levels of search.Index.
var levelColumns = func() string {
	var all []string
	for i := range search.LevelWeights {
		all = append(all, fmt.Sprint("l", i))
	}
	return strings.Join(all, ", ")
}()

// wordsSchema declares the tables. A document is a row of search.Index, with each of its terms in the column of the term's level. The lower
// sessionBits of its id have the number of the session, the upper ones the number of the row. The last filter may be of less than a
// FilterSpan.
var wordsSchema = `
	CREATE TABLE log(kind TEXT, stream TEXT, seq INTEGER, name TEXT);
	CREATE TABLE sessions(n INTEGER PRIMARY KEY, project TEXT, session TEXT, weighted INTEGER, bytes INTEGER, events INTEGER, rows INTEGER);
	CREATE TABLE filters(n INTEGER PRIMARY KEY, bits BLOB);
	CREATE VIRTUAL TABLE words USING fts5(` + levelColumns + `, content='', detail=column, columnsize=0, tokenize='ascii');
	CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
	CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);`

// words is the open database. It has a rollback journal, and no shared memory: truncating a mapped file kills its readers.
type words struct {
	*sqlite3.Conn
	seq uint64 // newest sequence in the database
}

// openWords opens the database of a log, and begins a transaction. mode is ro or rw; rw creates a missing file. The error is
// blocks.ErrUnusable if the file has to be removed.
func openWords(ctx context.Context, dir string, log Log, mode string) (*words, error) {
	path := filepath.Join(dir, WordsName)
	flag := os.O_RDONLY
	if mode == "rw" {
		flag = os.O_RDWR | os.O_CREATE
	}
	f, err := disk.OpenFile(path, flag, 0o600) // SQLite would create a file that others can read
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, err
	}
	where := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: url.Values{"mode": {mode}, "modeof": {path}}.Encode()}
	c, err := sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, wordsMemory), where.String())
	if err != nil {
		return nil, classify(err)
	}
	w := &words{Conn: c}
	if err := w.prepare(ctx, log, mode == "rw" && fi.Size() == 0); err != nil {
		_ = c.Close()
		return nil, classify(err)
	}
	return w, nil
}

// prepare makes the tables of an empty file, and calls check.
func (w *words) prepare(ctx context.Context, log Log, empty bool) error {
	if err := errors.Join(fts5.Register(w.Conn), w.BusyTimeout(wordsWait)); err != nil {
		return err
	}
	if empty {
		if err := w.create(log.Stream()); err != nil {
			return err
		}
	}
	return w.check(ctx, log)
}

// classify returns errors that may be temporary unchanged. It returns others as blocks.ErrUnusable: the database is damaged or of another
// log.
func classify(err error) error {
	for _, temporary := range []error{errUnreadLog, sqlite3.BUSY, sqlite3.FULL, sqlite3.CANTOPEN, sqlite3.READONLY, sqlite3.NOMEM, sqlite3.INTERRUPT, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, temporary) {
			return err
		}
	}
	if errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.IOERR_DATA) {
		return err
	}
	return fmt.Errorf("%w: %w", blocks.ErrUnusable, err)
}

// create makes the tables.
func (w *words) create(stream string) error {
	if err := w.EnableChecksums("main"); err != nil {
		return err
	}
	return w.Exec("BEGIN;" + wordsSchema + fmt.Sprintf("INSERT INTO log VALUES(%s, %s, 0, ''); COMMIT", sqlite3.Quote(wordsKind), sqlite3.Quote(stream)))
}

// errUnreadLog is returned for a log that cannot be read: whether the database is of this log is then unknown.
var errUnreadLog = errors.New("the log cannot be read")

// check begins a transaction. It returns errOtherLog unless the database was made from this log and by the rules of wordsKind. The error is
// errUnreadLog if the log's record cannot be read.
func (w *words) check(ctx context.Context, log Log) error {
	if err := w.Exec("PRAGMA synchronous=NORMAL; PRAGMA cache_spill=OFF; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; BEGIN"); err != nil {
		return err
	}
	ours, name := false, ""
	err := w.each("SELECT seq, name, kind, stream FROM log", func(s *sqlite3.Stmt) {
		w.seq, name = uint64(s.ColumnInt64(0)), s.ColumnText(1)
		ours = s.ColumnText(2) == wordsKind && s.ColumnText(3) == log.Stream()
	})
	if err != nil || ours && w.seq == 0 {
		return err
	}
	if !ours {
		return errOtherLog
	}
	for r, err := range log.Messages(ctx, events.Span{After: w.seq - 1, Until: w.seq}) {
		if err != nil {
			return fmt.Errorf("%w: %w", errUnreadLog, err)
		}
		if r.Seq == w.seq && nameOf(r) == name {
			return nil
		}
	}
	return errOtherLog
}

// each calls visit with each row of a statement. visit may be nil for a statement without rows.
func (w *words) each(sql string, visit func(s *sqlite3.Stmt), arguments ...any) error {
	s, _, err := w.Prepare(sql)
	if err != nil {
		return err
	}
	defer s.Close()
	for i, a := range arguments {
		switch a := a.(type) {
		case string:
			err = s.BindText(i+1, a)
		case []byte:
			err = s.BindBlob(i+1, a)
		case uint64:
			err = s.BindInt64(i+1, int64(a))
		}
		if err != nil {
			return err
		}
	}
	for s.Step() {
		visit(s)
	}
	return s.Err()
}

// Words returns open, which opens the words of a log in a directory at its first call, and end, which closes them. open returns nil if dir
// is empty or the database cannot be used.
func Words(ctx context.Context, dir string, log Log) (open func() search.Index, end func()) {
	w := (*words)(nil)
	open = sync.OnceValue(func() search.Index {
		if dir == "" {
			return nil
		}
		var err error
		if w, err = openWords(ctx, dir, log, "ro"); err != nil {
			return nil
		}
		return w
	})
	return open, func() {
		if w != nil {
			_ = w.Close() // nothing was written
		}
	}
}

// Until implements search.Index, as the following methods do.
func (w *words) Until() uint64 { return w.seq }

// Sessions returns the sums of every session.
func (w *words) Sessions() (all []search.Sums, err error) {
	err = w.each("SELECT project, session, weighted, bytes, events, rows FROM sessions ORDER BY n", func(s *sqlite3.Stmt) {
		all = append(all, search.Sums{Project: s.ColumnText(0), Session: s.ColumnText(1), Weighted: s.ColumnInt64(2), Bytes: s.ColumnInt64(3), Events: s.ColumnInt(4), Rows: s.ColumnInt(5)})
	})
	return all, damaged(err)
}

// Filters returns the filters of whole spans up to a damaged one.
func (w *words) Filters(from, to uint64) (all []*search.Filter) {
	_ = w.each("SELECT bits FROM filters WHERE n >= ? AND n < ? ORDER BY n", func(s *sqlite3.Stmt) { // the filters before an error are valid
		f := search.Filter{}
		copy(f[:], s.ColumnRawBlob(0))
		all = append(all, &f)
	}, from, min(to, w.seq/search.FilterSpan))
	return all
}

// Count returns the number of rows that have a term.
func (w *words) Count(term string) (rows int, err error) {
	err = w.each("SELECT doc FROM terms WHERE term = ?", func(s *sqlite3.Stmt) { rows = s.ColumnInt(0) }, term)
	return rows, damaged(err)
}

// Rows calls visit with each row that has a term.
func (w *words) Rows(term string, visit func(session int, row uint64, level int)) error {
	return damaged(w.each("SELECT doc, substr(col, 2) FROM places WHERE term = ?", func(s *sqlite3.Stmt) {
		id := s.ColumnInt64(0)
		visit(int(id%(1<<sessionBits)), uint64(id>>sessionBits), s.ColumnInt(1))
	}, term))
}

// Terms calls visit with every term that begins with the given letter. In the query, 1114111 is the last character of Unicode.
func (w *words) Terms(letter string, visit func(term string)) error {
	return damaged(w.each("SELECT term FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111)", func(s *sqlite3.Stmt) { visit(s.ColumnText(0)) }, letter))
}

// damaged wraps an error in search.ErrIndex. It returns nil for nil.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", search.ErrIndex, err)
}

// KeepWords writes the words of the log if the log has at least `least` records more than the database. It calls goOn now and then, and
// stops if that returns false. The whole rows that it has read are written.
func (k *Keeper) KeepWords(ctx context.Context, least uint64, goOn func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last < k.words+least {
		return err
	}
	for err == nil && st.Last >= k.words+least && ctx.Err() == nil && goOn() {
		before := k.words
		err = k.addRecords(ctx, st.Last, goOn)
		if k.words == before {
			break
		}
	}
	switch {
	case errors.Is(err, sqlite3.BUSY):
		return nil
	case errors.Is(err, blocks.ErrUnusable): // the next call makes a new database
		k.words = 0
		return errors.Join(disk.Remove(filepath.Join(k.Dir, WordsName)), disk.Remove(filepath.Join(k.Dir, WordsName+"-journal")))
	case err != nil || st.Last >= k.words+least && goOn():
		k.words = st.Last // no progress: the next attempt is after `least` more records; readers report what is missing
	}
	if err != nil {
		return fmt.Errorf("words of the log: %w", err)
	}
	return nil
}

// addRecords adds records in one transaction.
func (k *Keeper) addRecords(ctx context.Context, last uint64, goOn func() bool) (err error) {
	w, err := openWords(ctx, k.Dir, k.Log, "rw")
	if err != nil {
		return err
	}
	defer w.Close()
	k.words = w.seq
	if last < w.seq+search.RowSpan {
		return nil
	}
	writer := wordsWriter{words: w, span: w.seq / search.FilterSpan, numbers: map[[2]string]int{}, changed: map[int]bool{}}
	if err := writer.prepare(); err != nil {
		return classify(err)
	}
	defer writer.insert.Close()
	if err := writer.addRecords(ctx, k.Log, last, goOn); err != nil {
		return classify(err)
	}
	k.words = w.seq
	return nil
}

// wordsWriter adds records in one transaction.
type wordsWriter struct {
	*words
	insert  *sqlite3.Stmt
	span    uint64 // number of the span of filter
	filter  search.Filter
	sums    []search.Sums     // of each session, by its number
	numbers map[[2]string]int // of sessions, by project and id
	changed map[int]bool      // numbers of the sessions with new sums
}

// prepare loads the sessions, and the filter of an unfinished span.
func (w *wordsWriter) prepare() (err error) {
	w.sums, err = w.Sessions()
	if err != nil {
		return err
	}
	for n, s := range w.sums {
		w.numbers[[2]string{s.Project, s.Session}] = n
	}
	err = w.each("SELECT bits FROM filters WHERE n = ?", func(s *sqlite3.Stmt) { copy(w.filter[:], s.ColumnRawBlob(0)) }, w.span)
	if err != nil {
		return err
	}
	w.insert, _, err = w.Prepare("INSERT INTO words(rowid, " + levelColumns + ") VALUES(?" + strings.Repeat(", ?", len(search.LevelWeights)) + ")")
	return err
}

// addRecords adds records as whole rows, for about wordsStep, and commits.
func (w *wordsWriter) addRecords(ctx context.Context, log Log, last uint64, goOn func() bool) error {
	began, next, name := time.Now(), w.seq+1, ""
	var all []events.Envelope
	for r, err := range log.Messages(ctx, events.Span{After: w.seq, Until: last / search.RowSpan * search.RowSpan}) {
		full := len(w.sums) > 1<<sessionBits-search.RowSpan // the next row might begin more sessions than have a number
		if err != nil || r.Seq != next || full {
			break // readers report an error
		}
		next++
		switch e, foreign, err := journal.Decode(r); {
		case foreign:
		case err != nil:
			w.filter.Fill() // a search then reads the record and reports the error
		case e.EchoOf == 0:
			w.filter.Add(e)
			all = append(all, e)
		}
		if r.Seq%search.RowSpan > 0 {
			continue
		}
		if err := w.writeRows(search.RowOf(r.Seq), all); err != nil {
			return err
		}
		w.seq, name, all = r.Seq, nameOf(r), all[:0]
		if r.Seq%search.FilterSpan == 0 {
			if err := w.writeFilter(); err != nil {
				return err
			}
			w.span, w.filter = w.span+1, search.Filter{}
		}
		if time.Since(began) > wordsStep || !goOn() {
			break
		}
	}
	if name == "" {
		return nil
	}
	for n := range w.changed {
		s := w.sums[n]
		err := w.each("INSERT OR REPLACE INTO sessions VALUES(?, ?, ?, ?, ?, ?, ?)", nil, uint64(n), s.Project, s.Session, uint64(s.Weighted), uint64(s.Bytes), uint64(s.Events), uint64(s.Rows))
		if err != nil {
			return err
		}
	}
	if err := errors.Join(w.writeFilter(), w.each("UPDATE log SET seq = ?, name = ?", nil, w.seq, name)); err != nil {
		return err
	}
	return w.Exec("COMMIT")
}

// writeFilter writes the filter of the current span.
func (w *wordsWriter) writeFilter() error {
	return w.each("INSERT OR REPLACE INTO filters VALUES(?, ?)", nil, w.span, w.filter[:])
}

// writeRows adds some events as rows with one number: one row for each session.
func (w *wordsWriter) writeRows(row uint64, all []events.Envelope) error {
	rows := map[int]map[string]int{}
	for _, e := range all {
		key := [2]string{e.Project, e.Session}
		n, known := w.numbers[key]
		if !known {
			n = len(w.sums)
			w.numbers[key] = n
			w.sums = append(w.sums, search.Sums{Project: e.Project, Session: e.Session})
		}
		if rows[n] == nil {
			rows[n], w.changed[n] = map[string]int{}, true
			w.sums[n].Rows++
		}
		w.sums[n].Add(e)
		search.AddWeights(e, rows[n])
	}
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		var levels [len(search.LevelWeights)][]byte
		for term, weight := range rows[n] {
			level := &levels[search.LevelOf(weight)]
			*level = append(append(*level, term...), ' ')
		}
		errs := []error{w.insert.BindInt64(1, int64(row)<<sessionBits+int64(n))}
		for i, terms := range levels {
			errs = append(errs, w.insert.BindRawText(i+2, terms))
		}
		if err := errors.Join(append(errs, w.insert.Exec())...); err != nil {
			return err
		}
	}
	return nil
}

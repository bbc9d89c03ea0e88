package catalogue

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/replay/search"
)

// QuestionsName is the name of the database in a journal directory that has the words of the log for questions.
const QuestionsName = "derived.db"

// questionsKind has a number that is raised if the same events make other rows.
const questionsKind = "journal questions 2"

const (
	questionsStep   = time.Second            // least time between the ends of transactions
	questionsWait   = 300 * time.Millisecond // for a transaction of another process to end
	questionsMemory = 64 << 20               // most bytes of a connection
)

// levelColumns are the columns of the levels of search.Index.
var levelColumns = func() string {
	var all []string
	for i := range search.LevelWeights {
		all = append(all, fmt.Sprint("l", i))
	}
	return strings.Join(all, ", ")
}()

// questionsSchema declares the tables. A document is a row of search.Index, with each of its terms in the column of its level. Its id is
// RowSpan times the number of the row, and the place of its session among those of the number: small differences take few bytes.
// A blob in rows has, for each number from the first, how many sessions it has, and which.
var questionsSchema = `
	CREATE TABLE log(kind TEXT, stream TEXT, seq INTEGER, name TEXT);
	CREATE TABLE sessions(n INTEGER PRIMARY KEY, project TEXT, session TEXT, weighted INTEGER, bytes INTEGER, events INTEGER, rows INTEGER);
	CREATE TABLE rows(first INTEGER PRIMARY KEY, sessions BLOB);
	CREATE VIRTUAL TABLE words USING fts5(` + levelColumns + `, content='', detail=column, columnsize=0, tokenize='ascii');
	CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
	CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);`

// questions is the open database. It has a rollback journal and no memory shared with others, which a truncated file would end.
type questions struct {
	*sqlite3.Conn
	seq  uint64  // of the newest record in it
	rows [][]int // sessions of each number of rows, as far as they are loaded
}

// openQuestions opens the database of a log. The error is blocks.ErrUnusable if it has to be made anew.
func openQuestions(ctx context.Context, dir string, log Log, mode string) (*questions, error) {
	path := filepath.Join(dir, QuestionsName)
	flag := os.O_RDONLY
	if mode == "rw" {
		flag = os.O_RDWR | os.O_CREATE
	}
	f, err := disk.OpenFile(path, flag, 0o600) // SQLite would let others read it
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, err
	}
	where := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: url.Values{"mode": {mode}, "modeof": {path}}.Encode()}
	c, err := sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, questionsMemory), where.String())
	if err != nil {
		return nil, reasonOf(err)
	}
	q := &questions{Conn: c}
	if err := q.prepare(ctx, log, mode == "rw" && fi.Size() == 0); err != nil {
		_ = c.Close()
		return nil, reasonOf(err)
	}
	return q, nil
}

// prepare makes the tables of an empty file, and checks what the database is of.
func (q *questions) prepare(ctx context.Context, log Log, empty bool) error {
	if err := errors.Join(fts5.Register(q.Conn), q.BusyTimeout(questionsWait)); err != nil {
		return err
	}
	if empty {
		if err := q.create(log.Stream()); err != nil {
			return err
		}
	}
	return q.check(ctx, log)
}

// reasonOf returns blocks.ErrUnusable for the error of a database that is damaged or another one.
func reasonOf(err error) error {
	for _, passing := range []error{sqlite3.BUSY, sqlite3.FULL, sqlite3.CANTOPEN, sqlite3.READONLY, sqlite3.NOMEM, sqlite3.INTERRUPT, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, passing) {
			return err
		}
	}
	if errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.IOERR_DATA) {
		return err
	}
	return fmt.Errorf("%w: %w", blocks.ErrUnusable, err)
}

func (q *questions) create(stream string) error {
	if err := q.EnableChecksums("main"); err != nil {
		return err
	}
	return q.Exec("BEGIN;" + questionsSchema + fmt.Sprintf("INSERT INTO log VALUES(%s, %s, 0, ''); COMMIT", sqlite3.Quote(questionsKind), sqlite3.Quote(stream)))
}

// check begins a transaction, and compares what the database is of with the log.
func (q *questions) check(ctx context.Context, log Log) error {
	if err := q.Exec("PRAGMA synchronous=NORMAL; PRAGMA cache_spill=OFF; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; BEGIN"); err != nil {
		return err
	}
	known, name := false, ""
	err := q.each("SELECT seq, name, kind, stream FROM log", func(s *sqlite3.Stmt) {
		q.seq, name = uint64(s.ColumnInt64(0)), s.ColumnText(1)
		known = s.ColumnText(2) == questionsKind && s.ColumnText(3) == log.Stream()
	})
	if err != nil || known && q.seq == 0 {
		return err
	}
	if !known {
		return errUnlike
	}
	for r, err := range log.Messages(ctx, events.Span{After: q.seq - 1, Until: q.seq}) {
		if err == nil && r.Seq == q.seq && nameOf(r) == name {
			return nil
		}
	}
	return errUnlike
}

// each calls do with each row of a statement.
func (q *questions) each(sql string, do func(s *sqlite3.Stmt), arguments ...string) error {
	s, _, err := q.Prepare(sql)
	if err != nil {
		return err
	}
	defer s.Close()
	for i, a := range arguments {
		if err := s.BindText(i+1, a); err != nil {
			return err
		}
	}
	for s.Step() {
		do(s)
	}
	return s.Err()
}

// Questions opens what is kept of the words of a log in a directory, empty for none (search.Options). It returns nil if there is
// none, or one of another log.
func Questions(ctx context.Context, dir string, log Log) search.Index {
	if dir == "" {
		return nil
	}
	q, err := openQuestions(ctx, dir, log, "ro")
	if err != nil {
		return nil
	}
	return q
}

// Until satisfies search.Index, as the others below.
func (q *questions) Until() uint64 { return q.seq }

// Sessions returns the sums of every session.
func (q *questions) Sessions() (all []search.Sums, err error) {
	err = q.each("SELECT project, session, weighted, bytes, events, rows FROM sessions ORDER BY n", func(s *sqlite3.Stmt) {
		all = append(all, search.Sums{Project: s.ColumnText(0), Session: s.ColumnText(1), Weighted: s.ColumnInt64(2), Bytes: s.ColumnInt64(3), Events: s.ColumnInt(4), Rows: s.ColumnInt(5)})
	})
	return all, damaged(err)
}

// load loads the sessions of all rows.
func (q *questions) load() error {
	var bad error
	err := q.each("SELECT sessions FROM rows ORDER BY first", func(s *sqlite3.Stmt) {
		numbers := blobReader{b: s.ColumnRawBlob(0)}
		for len(numbers.b) > 0 {
			row := make([]int, min(numbers.next(), search.RowSpan))
			for i := range row {
				row[i] = int(numbers.next())
			}
			q.rows = append(q.rows, row)
		}
		if numbers.bad {
			bad = blocks.ErrUnusable
		}
	})
	return errors.Join(err, bad)
}

// blobReader reads the numbers of a blob. After one that is cut off it is bad, and has no more.
type blobReader struct {
	b   []byte
	bad bool
}

func (r *blobReader) next() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[size:]
	return n
}

// Count returns the number of rows that have a term.
func (q *questions) Count(term string) (rows int, err error) {
	err = q.each("SELECT doc FROM terms WHERE term = ?", func(s *sqlite3.Stmt) { rows = s.ColumnInt(0) }, term)
	return rows, damaged(err)
}

// Rows calls do with each row that has a term.
func (q *questions) Rows(term string, do func(session int, row uint64, level int)) error {
	if q.rows == nil {
		if err := q.load(); err != nil {
			return damaged(err)
		}
	}
	return damaged(q.each("SELECT doc, substr(col, 2) FROM places WHERE term = ?", func(s *sqlite3.Stmt) {
		id := s.ColumnInt64(0)
		row, place := id/search.RowSpan, int(id%search.RowSpan)
		if row < int64(len(q.rows)) && place < len(q.rows[row]) {
			do(q.rows[row][place], uint64(row), s.ColumnInt(1))
		}
	}, term))
}

// Terms calls do with every term that begins with a letter.
func (q *questions) Terms(letter string, do func(term string)) error {
	return damaged(q.each("SELECT term FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111)", func(s *sqlite3.Stmt) { do(s.ColumnText(0)) }, letter))
}

func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", search.ErrIndex, err)
}

// KeepQuestions writes the words of the log for questions if it has at least so many records more than the database. on is
// called now and then, and reports whether to continue; what was read until then is kept.
func (k *Keeper) KeepQuestions(ctx context.Context, least uint64, on func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last < k.asked+least {
		return err
	}
	for err == nil && st.Last >= k.asked+least && ctx.Err() == nil && on() {
		before := k.asked
		err = k.addQuestions(ctx, st.Last, on)
		if k.asked == before {
			break
		}
	}
	switch {
	case errors.Is(err, sqlite3.BUSY):
		return nil
	case errors.Is(err, blocks.ErrUnusable): // the next call makes a new one
		k.asked = 0
		return errors.Join(disk.Remove(filepath.Join(k.Dir, QuestionsName)), disk.Remove(filepath.Join(k.Dir, QuestionsName+"-journal")))
	case err != nil || st.Last >= k.asked+least && on():
		k.asked = st.Last // there is time for another try; readers report what is missing
	}
	if err != nil {
		return fmt.Errorf("words of the log for questions: %w", err)
	}
	return nil
}

// addQuestions adds rows in one transaction.
func (k *Keeper) addQuestions(ctx context.Context, last uint64, on func() bool) (err error) {
	q, err := openQuestions(ctx, k.Dir, k.Log, "rw")
	if err != nil {
		return err
	}
	defer q.Close()
	k.asked = q.seq
	if last < q.seq+search.RowSpan {
		return nil
	}
	w, err := q.writer()
	if err != nil {
		return reasonOf(err)
	}
	defer w.insert.Close()
	if err := w.addRows(ctx, k.Log, last, on); err != nil {
		return reasonOf(err)
	}
	k.asked = q.seq
	return nil
}

// questionsWriter adds rows in a transaction.
type questionsWriter struct {
	*questions
	insert  *sqlite3.Stmt
	sums    []search.Sums
	numbers map[[2]string]int // of sessions in sums
	changed map[int]bool
	blob    []byte // of rows
}

func (q *questions) writer() (w *questionsWriter, err error) {
	w = &questionsWriter{questions: q, numbers: map[[2]string]int{}, changed: map[int]bool{}}
	w.sums, err = q.Sessions()
	if err != nil {
		return nil, err
	}
	for n, s := range w.sums {
		w.numbers[[2]string{s.Project, s.Session}] = n
	}
	w.insert, _, err = q.Prepare("INSERT INTO words(rowid, " + levelColumns + ") VALUES(?" + strings.Repeat(", ?", len(search.LevelWeights)) + ")")
	return w, err
}

// addRows adds the rows of some events, and commits.
func (w *questionsWriter) addRows(ctx context.Context, log Log, last uint64, on func() bool) error {
	began, next, name, first := time.Now(), w.seq+1, "", w.seq/search.RowSpan
	var all []events.Envelope
	for r, err := range log.Messages(ctx, events.Span{After: w.seq, Until: last / search.RowSpan * search.RowSpan}) {
		if err != nil || r.Seq != next {
			break // readers report it
		}
		next++
		e, foreign, err := journal.Decode(r)
		if err != nil {
			break
		}
		if !foreign && e.EchoOf == 0 {
			all = append(all, e)
		}
		if r.Seq%search.RowSpan > 0 {
			continue
		}
		if err := w.write(search.RowOf(r.Seq), all); err != nil {
			return err
		}
		w.seq, name, all = r.Seq, nameOf(r), all[:0]
		if time.Since(began) > questionsStep || !on() {
			break
		}
	}
	if name == "" {
		return nil
	}
	for n := range w.changed {
		s := w.sums[n]
		values := fmt.Sprintf("(%d, %s, %s, %d, %d, %d, %d)", n, sqlite3.Quote(s.Project), sqlite3.Quote(s.Session), s.Weighted, s.Bytes, s.Events, s.Rows)
		if err := w.Exec("INSERT OR REPLACE INTO sessions VALUES" + values); err != nil {
			return err
		}
	}
	return w.Exec(fmt.Sprintf("INSERT INTO rows VALUES(%d, x'%x'); ", first, w.blob) + fmt.Sprintf("UPDATE log SET seq = %d, name = %s; COMMIT", w.seq, sqlite3.Quote(name)))
}

// write adds the events of the rows with a number, one row for each session.
func (w *questionsWriter) write(row uint64, all []events.Envelope) error {
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
		search.Weights(e, rows[n])
	}
	w.blob = binary.AppendUvarint(w.blob, uint64(len(rows)))
	for place, n := range slices.Sorted(maps.Keys(rows)) {
		w.blob = binary.AppendUvarint(w.blob, uint64(n))
		var levels [len(search.LevelWeights)][]byte
		for term, weight := range rows[n] {
			level := &levels[search.LevelOf(weight)]
			*level = append(append(*level, term...), ' ')
		}
		errs := []error{w.insert.BindInt64(1, int64(row*search.RowSpan)+int64(place))}
		for i, terms := range levels {
			errs = append(errs, w.insert.BindRawText(i+2, terms))
		}
		if err := errors.Join(append(errs, w.insert.Exec())...); err != nil {
			return err
		}
	}
	return nil
}

package database

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/opencode"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// storedFiles returns the files of a database of a session and its subagent: some rows are only in the write-ahead log,
// followed by others that were never committed.
func storedFiles(t testing.TB) (db, log []byte) {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return read("opencode.db"), read("opencode.db-wal")
}

// placed writes a database into a directory.
func placed(t testing.TB, dir string, db, log []byte) (path string) {
	t.Helper()
	path = filepath.Join(dir, "opencode.db")
	for name, b := range map[string][]byte{path: db, path + "-wal": log} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// told reads every session of a database, oldest first.
func told(path string) (string, error) {
	all, err := sessions(path)
	if err != nil {
		return "", err
	}
	slices.SortFunc(all, func(a, b transcript.Session) int { return a.Began.Compare(b.Began) })
	form, err := transcript.Named(opencode.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, one := range all {
		if err := tell(&b, form, one); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func tell(out io.Writer, form *transcript.Format, one transcript.Session) error {
	in, err := one.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	r := form.Readers(nil)(in, "")
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range events.Recognise(s.Report.Hook) {
			fmt.Fprintf(out, "%s %s/%s %s: %T %+v\n", s.Row, s.Report.Hook.Session, s.Report.Hook.Lane, s.What, e, e)
		}
	}
}

// TestDatabase: the database gives what the plugin would have reported; uncommitted rows are ignored (J.5).
func TestDatabase(t *testing.T) {
	t.Parallel()
	db, log := storedFiles(t)
	path := placed(t, t.TempDir(), db, log)
	got, err := told(path)
	if err != nil {
		t.Fatal(err)
	}
	agentstest.Golden(t, "told.golden", got)
	for name, before := range map[string][]byte{path: db, path + "-wal": log} {
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s was written to (%v)", name, err)
		}
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 2 {
		t.Errorf("there are %d files (%v)", len(all), err)
	}
}

// TestDamagedDatabase: reading damaged bytes ends, with a reason if something is unreadable.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	db, log := storedFiles(t)
	dir := t.TempDir()
	check := func(what string, db, log []byte) {
		t.Helper()
		var unfit transcript.Unfit
		if _, err := told(placed(t, dir, db, log)); err != nil && !errors.As(err, &unfit) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for at := 0; at < len(db); at += 331 {
		for _, v := range []byte{0, 5, 255} {
			b := slices.Clone(db)
			b[at] = v
			check(fmt.Sprintf("byte %d is %d", at, v), b, log)
		}
		check(fmt.Sprintf("cut at %d", at), db[:at], nil)
	}
	if _, err := told(placed(t, dir, db, log[:len(log)/2])); err != nil {
		t.Errorf("the log was cut: %v", err)
	}
	if _, err := told(placed(t, dir, []byte(magic), nil)); err != errDatabase {
		t.Errorf("a head alone: %v", err)
	}
}

// TestSummaryThatFailed: a summary that failed, or that the client did not end, is no compaction: the context stays as it is.
func TestSummaryThatFailed(t *testing.T) {
	t.Parallel()
	form, err := transcript.Named(opencode.Name)
	if err != nil {
		t.Fatal(err)
	}
	for members, want := range map[string]string{
		`"time":{"created":2000,"completed":3000}`:                                                             "events.CompactionCompleted",
		`"time":{"created":2000,"completed":3000},"error":{"name":"APIError","data":{"message":"overloaded"}}`: "events.TurnFailed",
		`"time":{"created":2000,"completed":3000},"error":{"name":"MessageAbortedError"}`:                      "events.TurnInterrupted",
		`"time":{"created":2000}`: "",
	} {
		rows := `{"Session":{"ID":"s","Top":"s","Directory":"/o","Tree":"/o","Created":1000}}
{"Session":{},"Message":"m1","Data":{"role":"user","time":{"created":1000}}}
{"Session":{},"Message":"m1","Part":"p1","Data":{"type":"compaction","auto":true}}
{"Session":{},"Message":"m2","Data":{"role":"assistant","summary":true,` + members + `}}
{"Session":{},"Message":"m2","Part":"p2","Data":{"type":"text","text":"We build the"}}
`
		var b strings.Builder
		if err := tell(&b, form, transcript.Session{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(rows)), nil }}); err != nil {
			t.Fatal(err)
		}
		got, happened := b.String(), want == "events.CompactionCompleted"
		if !strings.Contains(got, want) || strings.Contains(got, "events.CompactionCompleted") != happened || strings.Contains(got, "events.ContextRestarted") != happened {
			t.Errorf("%s: want %q in\n%s", members, want, got)
		}
	}
}

// TestUnreadableLog: a database whose log cannot be read is not read without it: the newest sessions may be in the log alone.
func TestUnreadableLog(t *testing.T) {
	t.Parallel()
	db, log := storedFiles(t)
	path := placed(t, t.TempDir(), db, log)
	if err := errors.Join(os.Remove(path+"-wal"), os.Mkdir(path+"-wal", 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := told(path); !errors.Is(err, disk.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if _, err := told(path); err != nil {
		t.Errorf("without a log: %v", err)
	}
}

// TestEndlessView: a view in the place of a table, which could give rows without end, is not read.
func TestEndlessView(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "opencode.db")
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Exec(`CREATE TABLE session (id, parent_id, time_created); CREATE TABLE part (session_id, data); CREATE TABLE message (session_id, data);
		CREATE VIEW project AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, id AS worktree FROM n`)
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := told(path); err != errDatabase {
		t.Errorf("got %v", err)
	}
}

// TestMissingColumn: a database whose sessions are listed, but whose parts lack a column, is damaged: nobody wrote to it.
func TestMissingColumn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "opencode.db")
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Exec(`CREATE TABLE project (id, worktree); CREATE TABLE session (id, time_created); INSERT INTO session VALUES ('s', 1);
		CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, session_id, data)`)
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := told(path); err != errDatabase {
		t.Errorf("got %v", err)
	}
}

// TestFork: what a fork begins with is its parent's, although the copies have new ids; without the parent they are all that is
// left.
func TestFork(t *testing.T) {
	t.Parallel()
	for name, also := range map[string]string{
		"with its parent":    "",
		"without its parent": "DELETE FROM message WHERE session_id = 'a'; DELETE FROM part WHERE session_id = 'a'",
		"two forks":          "INSERT INTO session VALUES ('c', '', 'p', 'Pins (fork #2)', '/o', 3000); INSERT INTO message SELECT 'd' || id, 'c', time_created, data FROM message WHERE session_id = 'a'; INSERT INTO part SELECT 'd' || id, 'd' || message_id, 'c', data FROM part WHERE session_id = 'a'",
	} {
		path := filepath.Join(t.TempDir(), "opencode.db")
		c, err := sqlite3.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		err = c.Exec(`CREATE TABLE project (id, worktree); INSERT INTO project VALUES ('p', '/o');
			CREATE TABLE session (id, parent_id, project_id, title, directory, time_created);
			INSERT INTO session VALUES ('a', '', 'p', 'Pins', '/o', 1000), ('b', '', 'p', 'Pins (fork #1)', '/o', 2000);
			CREATE TABLE message (id, session_id, time_created, data);
			INSERT INTO message VALUES ('m1', 'a', 1001, '{"role":"user","time":{"created":1001}}'), ('m2', 'a', 1002, '{"role":"assistant","time":{"created":1002},"modelID":"m","tokens":{"input":10,"output":2}}'),
				('m3', 'b', 1001, '{"role":"user","time":{"created":1001}}'), ('m4', 'b', 1002, '{"role":"assistant","time":{"created":1002},"modelID":"m","tokens":{"input":10,"output":2}}'),
				('m5', 'b', 2001, '{"role":"user","time":{"created":2001}}');
			CREATE TABLE part (id, message_id, session_id, data);
			INSERT INTO part VALUES ('p1', 'm1', 'a', '{"type":"text","text":"count the pins"}'), ('p3', 'm3', 'b', '{"type":"text","text":"count the pins"}'),
				('p5', 'm5', 'b', '{"type":"text","text":"and the nails"}');` + also)
		if err := errors.Join(err, c.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := told(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(got, "count the pins"); n != 1 || strings.Count(got, "and the nails") != 1 {
			t.Errorf("%s: the copied prompt came %d times:\n%s", name, n, got)
		}
	}
}

// TestDatabaseChanges: a database that the client changes during the reading is not half read.
func TestDatabaseChanges(t *testing.T) {
	t.Parallel()
	db, log := storedFiles(t)
	path := placed(t, t.TempDir(), db, log)
	all, err := sessions(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := all[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	placed(t, filepath.Dir(path), append(db, make([]byte, 512)...), log)
	if _, err := io.ReadAll(in); err != errChanged {
		t.Errorf("got %v", err)
	}
}

// TestDamagedRows: a damaged message costs itself and its own texts, whose speaker it alone names, and a damaged part itself.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	rows := strings.Join([]string{
		`{"session":{"ID":"s","Top":"s","Directory":"/o","Created":1000}}`,
		`{"message":"m1","data":"{\"role\":\"us"}`,
		`{"part":"p1","data":{"type":"text","text":"whose words"}}`,
		`{"message":"m2","data":{"role":"user","time":{"created":2000}}}`,
		`{"part":"p2","data":{"type":"text","text":"count them"}}`,
		`{"message":"m3","data":{"role":"assistant","time":{"created":3000}}}`,
		`{"part":"p3","data":"{\"type\":\"tex"}`,
		`{"part":"p4","data":{"type":"text","text":"Two."}}`,
	}, "\n")
	form, err := transcript.Named(opencode.Name)
	if err != nil {
		t.Fatal(err)
	}
	r := form.Readers(nil)(strings.NewReader(rows), "")
	var said []string
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h := s.Report.Hook; h.Text != "" {
			said = append(said, string(h.Kind)+": "+h.Text)
		}
	}
	if got := strings.Join(said, ", "); got != "prompt-submit: count them, turn-end: Two." || r.Summary().Broken != 2 {
		t.Errorf("%s; %d broken", got, r.Summary().Broken)
	}
}

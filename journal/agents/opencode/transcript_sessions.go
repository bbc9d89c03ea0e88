package opencode

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"journal/journal/agents/transcript"
)

// stored is a session of a database.
type stored struct {
	path, parent string
	about        session
	size         int64
}

// sessions lists the sessions of the database at path.
func sessions(path string) ([]transcript.Session, error) {
	d, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	known, err := d.sessions(path)
	if err != nil {
		return nil, err
	}
	var all []transcript.Session
	for id, one := range known {
		top := one
		for range 32 { // a subagent's session belongs to the one that started it
			parent := known[top.parent]
			if parent == nil {
				break
			}
			top = parent
		}
		if one.about.Top = top.about.ID; top != one {
			one.about.Lane = id
		}
		all = append(all, transcript.Session{
			Head: transcript.Head{Began: time.UnixMilli(one.about.Created)}, Size: one.size, Open: one.open,
		})
	}
	return all, d.unchanged()
}

// sessions reads the sessions of the database and the sizes of their rows.
func (d *database) sessions(path string) (map[string]*stored, error) {
	trees := map[string]string{}
	err := d.each("SELECT id, worktree FROM project", func(s *sqlite3.Stmt) { trees[s.ColumnText(0)] = s.ColumnText(1) })
	if err != nil {
		return nil, err
	}
	known := map[string]*stored{}
	err = d.each("SELECT * FROM session", func(s *sqlite3.Stmt) {
		get := func(column string) string { // a version of the client need not have it
			for i := range s.ColumnCount() {
				if s.ColumnName(i) == column {
					return s.ColumnText(i)
				}
			}
			return ""
		}
		one := &stored{path: path, parent: get("parent_id"), about: session{
			ID: get("id"), Directory: get("directory"), Tree: trees[get("project_id")], Title: get("title"), Agent: get("agent"),
		}}
		one.about.Created, _ = strconv.ParseInt(get("time_created"), 10, 64)
		known[one.about.ID] = one
	})
	for _, table := range []string{"message", "part"} {
		if err == nil {
			err = d.each("SELECT session_id, octet_length(data) FROM "+table, func(s *sqlite3.Stmt) {
				if one := known[s.ColumnText(0)]; one != nil {
					one.size += s.ColumnInt64(1)
				}
			})
		}
	}
	return known, err
}

// inOrder gives the rows of a session: messages as they were written, each followed by its parts. Their ids begin with
// the time, but only with its last digits.
const inOrder = `
	SELECT 'message' AS kind, rowid, id, time_created AS created, id AS message FROM message WHERE session_id = ?1
	UNION ALL SELECT 'part', part.rowid, part.id, ifnull(message.time_created, 0), message_id
	FROM part LEFT JOIN message ON message.id = message_id WHERE part.session_id = ?1
	ORDER BY created, message, kind, 3`

// open starts reading the rows of a session.
func (s *stored) open() (io.ReadCloser, error) {
	d, err := openDatabase(s.path)
	if err != nil {
		return nil, err
	}
	r := &rows{d: d}
	err = d.each(inOrder, func(s *sqlite3.Stmt) {
		r.order = append(r.order, key{s.ColumnText(0), s.ColumnInt64(1), s.ColumnText(2)})
	}, s.about.ID)
	if err != nil {
		d.Close()
		return nil, err
	}
	first, _ := json.Marshal(map[string]any{"session": s.about}) // strings and numbers always encode
	r.row = *bytes.NewReader(append(first, '\n'))
	return r, nil
}

// rows reads the rows of a session. It is not safe for concurrent use.
type rows struct {
	d     *database
	order []key
	row   bytes.Reader // the row being read
}

// key identifies a row of a session.
type key struct {
	table string
	row   int64
	id    string
}

// Read reads the current row, and then the next.
func (r *rows) Read(b []byte) (int, error) {
	for r.row.Len() == 0 {
		if len(r.order) == 0 {
			if err := r.d.unchanged(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		one := r.order[0]
		r.order = r.order[1:]
		var data string
		err := r.d.each("SELECT data FROM "+one.table+" WHERE rowid = ?", func(s *sqlite3.Stmt) { data = s.ColumnText(0) }, one.row)
		if err != nil {
			return 0, err
		}
		id, _ := json.Marshal(one.id) // a string always encodes
		row := slices.Concat([]byte(`{"`+one.table+`":`), id, []byte(`,"data":`), []byte(strings.ReplaceAll(data, "\n", " ")), []byte("}\n"))
		r.row = *bytes.NewReader(row)
	}
	return r.row.Read(b)
}

// Close closes the database.
func (r *rows) Close() error { return r.d.Close() }

package opencode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/transcript"
)

// keyBytes is enough of a row for its first columns, which identify it.
const keyBytes = 512

// stored is a session of a database, and the places of its messages and parts.
type stored struct {
	path, parent string
	about        session
	tables       [2]table // of messages and parts
	places       [2][]place
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

// sessions reads the sessions of the database and the places of their rows.
func (d *database) sessions(path string) (map[string]*stored, error) {
	tables, err := d.tables()
	if err != nil {
		return nil, err
	}
	trees := map[string]string{}
	err = d.each(tables["project"], maxRecord, func(_ place, _ uint64, get func(string) string) {
		trees[get("id")] = get("worktree")
	})
	if err != nil {
		return nil, err
	}
	known := map[string]*stored{}
	err = d.each(tables["session"], maxRecord, func(_ place, _ uint64, get func(string) string) {
		known[get("id")] = &stored{
			path: path, parent: get("parent_id"), tables: [2]table{tables["message"], tables["part"]},
			about: session{
				ID: get("id"), Directory: get("directory"), Tree: trees[get("project_id")],
				Title: get("title"), Agent: get("agent"), Created: number(get("time_created")),
			},
		}
	})
	for i, name := range []string{"message", "part"} {
		if err != nil {
			break
		}
		err = d.each(tables[name], keyBytes, func(at place, size uint64, get func(string) string) {
			if one := known[get("session_id")]; one != nil {
				one.places[i] = append(one.places[i], at)
				one.size += int64(size)
			}
		})
	}
	return known, err
}

// each calls take for the rows of a table: place, size, and the columns found in the first most bytes. The total size
// of the rows is bounded by that of the files.
func (d *database) each(t table, most uint64, take func(at place, size uint64, get func(column string) string)) error {
	if t.root == 0 {
		return errDatabase
	}
	left := d.pages * d.page
	return d.rows(t.root, func(at place) error {
		b, size, err := d.record(at, most)
		if left -= int64(size); err == nil && left < 0 {
			err = errDatabase
		}
		if err != nil {
			return err
		}
		row := fields(b)
		take(at, size, func(column string) string { return t.of(row, column) })
		return nil
	})
}

// open starts reading the rows of a session.
func (s *stored) open() (io.ReadCloser, error) {
	d, err := openDatabase(s.path)
	if err != nil {
		return nil, err
	}
	r := &rows{d: d, stored: s}
	if err := r.sort(); err != nil {
		d.Close()
		return nil, err
	}
	first, _ := json.Marshal(map[string]any{"session": s.about}) // strings and numbers always encode
	r.row = *bytes.NewReader(append(first, '\n'))
	return r, nil
}

// rows reads the rows of a session. It is not safe for concurrent use.
type rows struct {
	d *database
	*stored
	order []key
	row   bytes.Reader // the row being read
}

// key orders the rows of a session.
type key struct {
	at      place
	table   int // 0 is a message, 1 a part
	created int64
	message string
	id      string
}

// sort orders the rows: messages as they were written, each followed by its parts. Their ids begin with the time, but
// only with its last digits.
func (r *rows) sort() error {
	created := map[string]int64{}
	for i, places := range r.places {
		for _, at := range places {
			b, _, err := r.d.record(at, keyBytes)
			if err != nil {
				return err
			}
			row, t := fields(b), r.tables[i]
			one := key{at: at, table: i, created: number(t.of(row, "time_created")), message: t.of(row, "id"), id: t.of(row, "id")}
			if i == 0 {
				created[one.id] = one.created
			} else {
				one.message = t.of(row, "message_id")
				one.created = created[one.message]
			}
			r.order = append(r.order, one)
		}
	}
	slices.SortFunc(r.order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.message, b.message), cmp.Compare(a.table, b.table), strings.Compare(a.id, b.id))
	})
	return nil
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
		stored, _, err := r.d.record(one.at, maxRecord)
		if err != nil {
			return 0, err
		}
		id, _ := json.Marshal(one.id) // a string always encodes
		data := strings.ReplaceAll(r.tables[one.table].of(fields(stored), "data"), "\n", " ")
		row := slices.Concat([]byte(`{"`+[]string{"message", "part"}[one.table]+`":`), id, []byte(`,"data":`), []byte(data), []byte("}\n"))
		r.row = *bytes.NewReader(row)
	}
	return r.row.Read(b)
}

// Close closes the database.
func (r *rows) Close() error { return r.d.Close() }

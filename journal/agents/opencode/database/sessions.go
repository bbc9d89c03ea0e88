package database

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"journal/journal/agents/transcript"
)

// stored is a session of a database.
type stored struct {
	session
	path   string // the database
	parent string // id of the session that started this one, "" for none
	size   int64  // size of the messages and parts, in bytes
	copied int64  // time of the newest message that this session copied, as a fork, in ms since 1970 UTC; -1 if it copied none
}

// sessions implements transcript.Format.Sessions.
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
	for id, session := range known {
		top := session
		for range 32 { // up to the session that started the subagent, perhaps through other subagents; damage may make a cycle
			parent := known[top.parent]
			if parent == nil {
				break
			}
			top = parent
		}
		session.Top = top.ID
		if top != session {
			session.Lane = id
		}
		all = append(all, transcript.Session{
			Head: transcript.Head{Session: top.ID, Began: time.UnixMilli(session.Created)}, Size: session.size, Open: session.open,
		})
	}
	return all, d.checkUnchanged()
}

// sessions reads the sessions of the database, by id. path is that of the database.
func (d *database) sessions(path string) (map[string]*stored, error) {
	trees := map[string]string{}
	err := d.each("SELECT id, worktree FROM project", func(s *sqlite3.Stmt) { trees[s.ColumnText(0)] = s.ColumnText(1) })
	if err != nil {
		return nil, err
	}
	known := map[string]*stored{}
	err = d.each("SELECT * FROM session", func(s *sqlite3.Stmt) {
		row := map[string]string{} // by column: not every version of the client has all columns
		for i := range s.ColumnCount() {
			row[s.ColumnName(i)] = s.ColumnText(i)
		}
		created, _ := strconv.ParseInt(row["time_created"], 10, 64)
		known[row["id"]] = &stored{path: path, parent: row["parent_id"], session: session{
			ID: row["id"], Directory: row["directory"], Tree: trees[row["project_id"]], Title: row["title"], Agent: row["agent"],
			Created: created, Revert: row["revert"], Entry: entryOf(row["permission"]),
		}, copied: -1}
	})
	if err != nil {
		return nil, err
	}
	// The third column is when a message was written, -1 for a part.
	const sizes = "SELECT session_id, octet_length(data), -1 FROM part UNION ALL SELECT session_id, octet_length(data), time_created FROM message"
	originals := map[int64]bool{} // times of the messages that are not copies
	err = d.each(sizes, func(s *sqlite3.Stmt) {
		session, written := known[s.ColumnText(0)], s.ColumnInt64(2)
		if session == nil {
			return
		}
		session.size += s.ColumnInt64(1)
		if written >= session.Created {
			originals[written] = true
		}
	})
	if err != nil {
		return nil, err
	}
	err = d.each("SELECT session_id, time_created FROM message", func(s *sqlite3.Stmt) {
		fork, written := known[s.ColumnText(0)], s.ColumnInt64(1)
		if fork != nil && written < fork.Created && originals[written] {
			fork.copied = max(fork.copied, written)
		}
	})
	return known, err
}

// entryOf returns the command that started a session, "" if unknown. permission is the JSON of the session's permissions: only the
// command "run" denies all questions in them.
func entryOf(permission string) string {
	var rules []struct{ Permission, Action string }
	_ = json.Unmarshal([]byte(permission), &rules) // there are no rules if permission is empty
	for _, r := range rules {
		if r.Permission == "question" && r.Action == "deny" {
			return "run"
		}
	}
	return ""
}

// inOrder selects the rows of session ?1: messages in the order of their times, each followed by its parts. The order of ids is not
// that of times. Content is read only after sorting. ?2 is stored.copied: the copies that a fork has of older messages, which have new
// ids, are left out.
const inOrder = `
	SELECT kind, id, CASE kind WHEN 'message'
		THEN (SELECT data FROM message WHERE message.rowid = place) ELSE (SELECT data FROM part WHERE part.rowid = place) END
	FROM (
		SELECT 'message' AS kind, id, rowid AS place, time_created AS created, id AS message FROM message WHERE session_id = ?1 AND ifnull(time_created, 0) > ?2
		UNION ALL SELECT 'part', part.id, part.rowid, ifnull(message.time_created, 0), message_id
		FROM part LEFT JOIN message ON message.id = message_id WHERE part.session_id = ?1 AND ifnull(message.time_created, 0) > ?2
		ORDER BY created, message, kind, 2)`

// open starts reading the rows of a session.
func (s *stored) open() (io.ReadCloser, error) {
	d, err := openDatabase(s.path)
	if err != nil {
		return nil, err
	}
	r := &rows{d: d}
	if r.all, _, err = d.Prepare(inOrder); err == nil {
		err = errors.Join(r.all.BindText(1, s.ID), r.all.BindInt64(2, s.copied))
	}
	if err != nil {
		err = d.reason(err) // which reads the files
		r.Close()
		return nil, err
	}
	head, _ := json.Marshal(map[string]any{"session": s.session}) // strings and numbers always encode
	r.row = *bytes.NewReader(append(head, '\n'))
	return r, nil
}

// rows reads the rows of a session, each as a line of JSON. It is not safe for concurrent use.
type rows struct {
	d   *database
	all *sqlite3.Stmt
	row bytes.Reader // the rest of the row being read
	end error        // the error after the last row: io.EOF or another one; nil until the rows end
}

// Read implements io.Reader.
func (r *rows) Read(b []byte) (int, error) {
	for r.row.Len() == 0 {
		if r.end == nil && !r.all.Step() {
			r.end = r.endOfRows()
		}
		if r.end != nil {
			return 0, r.end
		}
		id, _ := json.Marshal(r.all.ColumnText(1)) // a string always encodes
		data := strings.ReplaceAll(r.all.ColumnText(2), "\n", " ")
		if !json.Valid([]byte(data)) { // broken JSON is quoted: unquoted it could add members to the row
			quoted, _ := json.Marshal(data) // a string always encodes
			data = string(quoted)
		}
		r.row = *bytes.NewReader([]byte(`{"` + r.all.ColumnText(0) + `":` + string(id) + `,"data":` + data + "}\n"))
	}
	return r.row.Read(b)
}

// endOfRows returns the error after the last row, io.EOF if all rows were read and the files are unchanged.
func (r *rows) endOfRows() error {
	if err := r.d.reason(r.all.Err()); err != nil {
		return err
	}
	if err := r.d.checkUnchanged(); err != nil {
		return err
	}
	return io.EOF
}

// Close closes the statement and the database.
func (r *rows) Close() error { return errors.Join(r.all.Close(), r.d.Close()) }

package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// rowsOf implements transcript.Format.Rows. Clients before 0.39 store a session as one JSON object in session-*.json. Its rows are the
// object without its messages, and then each message.
func rowsOf(path string, in io.Reader) io.Reader {
	if filepath.Ext(path) != ".json" {
		return in
	}
	return &olderRows{from: json.NewDecoder(io.LimitReader(in, maxOlder)), head: map[string]json.RawMessage{}}
}

// maxOlder bounds the size of a chat of an older client, in bytes.
const maxOlder = 512 << 20

// olderRows reads the rows of an older client's chat, with one message in memory at a time. At damaged JSON it ends with a row that
// describes the damage.
type olderRows struct {
	from    *json.Decoder
	head    map[string]json.RawMessage // the members before the messages
	inside  bool                       // the list of messages is being read
	ended   bool
	pending bytes.Buffer // bytes of rows that were not returned yet
}

// Read implements io.Reader. Its only error is io.EOF.
func (o *olderRows) Read(b []byte) (int, error) {
	for o.pending.Len() == 0 {
		if o.ended {
			return 0, io.EOF
		}
		if err := o.next(); err != nil {
			o.ended = true
			fmt.Fprintf(&o.pending, "damaged: %v\n", err)
		}
	}
	return o.pending.Read(b)
}

// next adds the next row to pending, or sets ended.
func (o *olderRows) next() error {
	if o.inside && o.from.More() {
		return o.row()
	}
	if o.inside {
		o.ended = true
		return nil
	}
	if _, err := o.from.Token(); err != nil { // the brace of the object
		return err
	}
	for o.from.More() {
		name, err := o.from.Token()
		if err != nil {
			return err
		}
		if name == "messages" {
			break
		}
		var value json.RawMessage
		if err := o.from.Decode(&value); err != nil {
			return err
		}
		o.head[fmt.Sprint(name)] = value
	}
	b, err := json.Marshal(o.head)
	if err != nil {
		return err
	}
	o.pending.Write(append(b, '\n'))
	if !o.from.More() {
		o.ended = true
		return nil
	}
	o.inside = true
	_, err = o.from.Token() // the bracket of the list
	return err
}

// row adds the row of a message to pending.
func (o *olderRows) row() error {
	var message json.RawMessage
	if err := o.from.Decode(&message); err != nil {
		return err
	}
	if err := json.Compact(&o.pending, message); err != nil {
		return err
	}
	return o.pending.WriteByte('\n')
}

// maxPath bounds a path in a file of the client, in bytes.
const maxPath = 4 << 10

// rootNear returns the project's directory for the chat at path, from a file that the client keeps beside the folder of chats. If that
// file is missing, the directory of a subagent comes from the chat of its session. The result is "" if unknown. kind is row.Kind.
func rootNear(path, session, kind string) string {
	chats := filepath.Dir(path)
	if kind == subagent {
		chats = filepath.Dir(chats)
	}
	b, err := disk.ReadFile(filepath.Join(filepath.Dir(chats), ".project_root"), maxPath)
	if root := strings.TrimSpace(string(b)); err == nil && filepath.IsAbs(root) {
		return root
	}
	if kind != subagent || len(session) < 8 || !transcript.PlainID(session) {
		return ""
	}
	found, _ := filepath.Glob(filepath.Join(chats, "session-*-"+session[:8]+".jsonl")) // the pattern is valid
	if len(found) == 0 {
		return ""
	}
	rows, file, err := transcript.OpenRows(found[0], rowLimits)
	if err != nil {
		return ""
	}
	defer file.Close()
	parent := newReader("")
	for range 16 { // one of the first rows names the directory
		b, err := rows.Next()
		if err != nil || parent.Root != "" {
			break
		}
		_ = parent.Row(b) // a broken row names nothing
	}
	return parent.Root
}

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

// rowsOf implements transcript.Format.Rows. Clients before 0.39 keep a session as one object, session-*.json: its row is the
// object without its messages, and each message is a row.
func rowsOf(path string, in io.Reader) io.Reader {
	if filepath.Ext(path) != ".json" {
		return in
	}
	return &olderRows{from: json.NewDecoder(io.LimitReader(in, maxOlder)), head: map[string]json.RawMessage{}}
}

// maxOlder bounds a chat of an older client, in bytes: one message is in memory at a time.
const maxOlder = 512 << 20

// olderRows reads the rows of an older client's chat. Where it is damaged, it ends with a row that reports the damage.
type olderRows struct {
	from    *json.Decoder
	head    map[string]json.RawMessage // members before the messages
	inside  bool                       // the messages are being read
	ended   bool
	pending bytes.Buffer
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

// next reads the next row.
func (o *olderRows) next() error {
	if o.inside && o.from.More() {
		return o.row()
	}
	if o.inside {
		o.ended = true
		return nil
	}
	if _, err := o.from.Token(); err != nil { // the object's begin
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
	_, err = o.from.Token() // the list's begin
	return err
}

// row reads a message.
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

// rootNear returns the directory of the project that a chat is of, if the chat itself does not name it: the client keeps it
// beside the chats, and the chat of the session that started a subagent names it. It is empty if unknown.
func rootNear(path, session string, kind string) string {
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
	found, _ := filepath.Glob(filepath.Join(chats, "session-*-"+session[:8]+".jsonl")) // the pattern is a valid one
	if len(found) == 0 {
		return ""
	}
	rows, file, err := transcript.OpenRows(found[0], rowLimits)
	if err != nil {
		return ""
	}
	defer file.Close()
	above := newReader("")
	for range 16 { // it is in the first ones
		b, err := rows.Next()
		if err != nil || above.root != "" {
			break
		}
		_ = above.Row(b) // a broken row does not name it
	}
	return above.root
}

package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"journal/events/text"
)

// Task is one piece of work for a worker. Unknown members of its JSON are kept and written again, so that
// the program that runs workers gets them back.
type Task struct {
	ID      string
	Prompt  string
	Type    string          // kind of worker for it; free text
	Context json.RawMessage // any JSON; dropped by phase 1
	Files   json.RawMessage // any JSON, usually a list of paths; dropped by phase 2
	Phase   int             // 0 for the original task, 1 or 2 for a task that Reduce returned
	// NotAsked is the part of the original prompt that is neither in this task nor in an earlier part of its phase.
	NotAsked string
	Part     int                        // 0 for a task that Reduce returned, from 1 for the parts that Next returns
	size     int                        // limit of the lines of each part that Next returns, in characters
	Rest     map[string]json.RawMessage // unknown members
}

// The known members of a task's JSON.
const (
	keyID       = "id"
	keyPrompt   = "prompt"
	keyType     = "type"
	keyContext  = "context"
	keyFiles    = "files"
	keyPhase    = "_recoveryPhase"
	keyNotAsked = "_notAsked"
)

// UnmarshalJSON parses an object. A member of the wrong type is an error; null counts as missing.
// An id may be a number, whose text becomes the id.
func (t *Task) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return errors.New("a task is a JSON object")
	}
	*t = Task{Context: present(members[keyContext]), Files: present(members[keyFiles])}
	var id any
	for _, m := range []struct {
		key    string
		target any
	}{{keyID, &id}, {keyPrompt, &t.Prompt}, {keyType, &t.Type}, {keyPhase, &t.Phase}, {keyNotAsked, &t.NotAsked}} {
		if raw := members[m.key]; raw != nil {
			if err := json.Unmarshal(raw, m.target); err != nil {
				return fmt.Errorf("member %q cannot be %s", m.key, clip(raw))
			}
		}
	}
	switch id := id.(type) {
	case nil:
	case string:
		t.ID = id
	case float64:
		t.ID = string(bytes.TrimSpace(members[keyID]))
	default:
		return fmt.Errorf("member %q cannot be %s", keyID, clip(members[keyID]))
	}
	for _, key := range []string{keyID, keyPrompt, keyType, keyContext, keyFiles, keyPhase, keyNotAsked} {
		delete(members, key)
	}
	if len(members) > 0 {
		t.Rest = members
	}
	return nil
}

// MarshalJSON returns the task with its known and unknown members.
func (t Task) MarshalJSON() ([]byte, error) {
	all := map[string]any{keyPrompt: t.Prompt}
	for k, v := range t.Rest {
		all[k] = v
	}
	set := func(key string, v any, filled bool) {
		if filled {
			all[key] = v
		}
	}
	set(keyID, t.ID, t.ID != "")
	set(keyType, t.Type, t.Type != "")
	set(keyContext, t.Context, t.Context != nil)
	set(keyFiles, t.Files, t.Files != nil)
	set(keyPhase, t.Phase, t.Phase != 0)
	set(keyNotAsked, t.NotAsked, t.NotAsked != "")
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// HasContext reports whether there is a context that phase 1 can drop.
func (t Task) HasContext() bool { return hasContent(t.Context) }

// HasFiles reports whether there are files that phase 2 can drop.
func (t Task) HasFiles() bool { return hasContent(t.Files) }

// present returns nil for the JSON null, else b.
func present(b json.RawMessage) json.RawMessage {
	if string(bytes.TrimSpace(b)) == "null" {
		return nil
	}
	return b
}

// hasContent reports whether b is JSON other than an empty value: null, false, 0, "", [] or {}.
func hasContent(b json.RawMessage) bool {
	var compact bytes.Buffer
	if len(b) == 0 || json.Compact(&compact, b) != nil {
		return false
	}
	switch compact.String() {
	case "null", "false", "0", `""`, "[]", "{}":
		return false
	}
	return true
}

// clip shortens JSON for an error message.
func clip(b []byte) string {
	const limit = 40 // characters
	if first := text.FirstCharacters(string(b), limit); len(first) < len(b) {
		return first + "…"
	}
	return string(b)
}

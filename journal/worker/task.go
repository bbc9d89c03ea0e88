package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"journal/events/text"
)

// Task is one piece of work for a worker. Members of its JSON that are not named here are kept
// and spelled again, so that an executor gets its own back.
type Task struct {
	ID      string
	Prompt  string
	Type    string          // what kind of worker it is for; free text
	Context json.RawMessage // any JSON; dropped by phase 1
	Files   json.RawMessage // any JSON, usually a list of paths; dropped by phase 2
	Phase   int             // 0 as it was given, 1 or 2 as Reduce made it
	// NotAsked is what of the original prompt neither a reduced task asks nor the parts before it.
	NotAsked string
	Part     int // of a reduced task: 0 what Reduce made, then what Next made
	size     int // how many characters a part may have
	Rest     map[string]json.RawMessage
}

// The members of a task by which its JSON is known.
const (
	keyID      = "id"
	keyPrompt  = "prompt"
	keyType    = "type"
	keyContext = "context"
	keyFiles   = "files"
	keyPhase   = "_recoveryPhase"
	keyLeft    = "_notAsked"
)

// UnmarshalJSON reads an object. A member of the wrong type is an error; null is as good as none.
// An id may be a number, which is kept as its digits.
func (t *Task) UnmarshalJSON(b []byte) error {
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(b, &rest); err != nil {
		return errors.New("a task is a JSON object")
	}
	*t = Task{Context: present(rest[keyContext]), Files: present(rest[keyFiles])}
	var id any
	for _, m := range []struct {
		key string
		to  any
	}{{keyID, &id}, {keyPrompt, &t.Prompt}, {keyType, &t.Type}, {keyPhase, &t.Phase}, {keyLeft, &t.NotAsked}} {
		if raw := rest[m.key]; raw != nil {
			if err := json.Unmarshal(raw, m.to); err != nil {
				return fmt.Errorf("member %q cannot be %s", m.key, clip(raw))
			}
		}
	}
	switch id := id.(type) {
	case nil:
	case string:
		t.ID = id
	case float64:
		t.ID = string(bytes.TrimSpace(rest[keyID]))
	default:
		return fmt.Errorf("member %q cannot be %s", keyID, clip(rest[keyID]))
	}
	for _, key := range []string{keyID, keyPrompt, keyType, keyContext, keyFiles, keyPhase, keyLeft} {
		delete(rest, key)
	}
	if len(rest) > 0 {
		t.Rest = rest
	}
	return nil
}

// MarshalJSON gives the task with everything that it was read with.
func (t Task) MarshalJSON() ([]byte, error) {
	all := map[string]any{keyPrompt: t.Prompt}
	for k, v := range maps.All(t.Rest) {
		all[k] = v
	}
	set := func(key string, v any, there bool) {
		if there {
			all[key] = v
		}
	}
	set(keyID, t.ID, t.ID != "")
	set(keyType, t.Type, t.Type != "")
	set(keyContext, t.Context, t.Context != nil)
	set(keyFiles, t.Files, t.Files != nil)
	set(keyPhase, t.Phase, t.Phase != 0)
	set(keyLeft, t.NotAsked, t.NotAsked != "")
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// HasContext says whether there is a context that phase 1 can drop.
func (t Task) HasContext() bool { return filled(t.Context) }

// HasFiles says whether there are files that phase 2 can drop.
func (t Task) HasFiles() bool { return filled(t.Files) }

// present gives nil for null.
func present(b json.RawMessage) json.RawMessage {
	if string(bytes.TrimSpace(b)) == "null" {
		return nil
	}
	return b
}

// filled says whether JSON holds more than an empty value.
func filled(b json.RawMessage) bool {
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

// clip shortens foreign JSON for a message.
func clip(b []byte) string {
	const most = 40
	if first := text.FirstCharacters(string(b), most); len(first) < len(b) {
		return first + "…"
	}
	return string(b)
}

// blanks are what stands between two sentences of a line.
const blanks = " \t\r\u00a0\u3000"

// shorten gives a line and its length in characters. Of one that may be cut and does not fit into so
// many it gives whole sentences of both its ends, and those that are cut out.
func shorten(line string, room int) (short, cut string, length int) {
	n := text.Characters(line)
	if n <= room || n < LongPrompt {
		return line, "", n
	}
	said := sentences(line)
	from, to := middle(said, room-text.Characters(gap))
	short = strings.TrimRight(strings.Join(said[:from], ""), blanks) + gap + strings.Join(said[to:], "")
	if m := text.Characters(short); from < to && m < n {
		return short, strings.Join(said[from:to], ""), m
	}
	return line, "", n
}

// middle gives which sentences are to be left out so that the others fit into so many characters. The
// first and the last one stay in any case; from there the shorter end grows.
func middle(said []string, room int) (from, to int) {
	from, to = 1, len(said)-1
	head, tail := text.Characters(said[0]), text.Characters(said[to])
	for from < to {
		next := said[from]
		if tail < head {
			next = said[to-1]
		}
		n := text.Characters(next)
		switch {
		case head+tail+n > room:
			return from, to
		case tail < head:
			tail += n
			to--
		default:
			head += n
			from++
		}
	}
	return from, to
}

// ending is where a sentence may end: signs, what closes quotes and brackets, white space.
var ending = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[.!?…。！？｡]+([\"'”’)\\]」』）】》〉]*)([ \t\r\u00a0\u3000]*)")
})

var (
	// goesOn is what follows a sign within a sentence: "approx. 5", "“Why?” he said".
	goesOn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{Ll}\p{Nd}]`) })
	// brief is what stands before a dot that may well end no sentence: "No. A", "Dr. Kim", "2. Item".
	brief = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[^\p{L}\p{Nd}])(\p{Latin}|\p{Lu}\p{Latin}{1,3}|\p{Nd}{1,3}|vs|cf|no)$`)
	})
)

// briefBytes holds the five characters that brief looks at, in UTF-8.
const briefBytes = 20

// sentences parts a line; joined they are the line. In doubt two sentences are one. The rules for
// text in general (UAX #29) are of no use here: they part URLs, code and "Dr. Kim".
func sentences(line string) (all []string) {
	start := 0
	for _, at := range ending().FindAllStringSubmatchIndex(line, -1) {
		sign, next := line[at[0]:at[2]], line[at[1]:]
		parted := at[4] < at[5] || at[2] == at[3] && !strings.ContainsRune(".!?…", lastRune(sign))
		short := sign == "." && brief().MatchString(line[max(0, at[0]-briefBytes):at[0]])
		if parted && !short && next != "" && !goesOn().MatchString(next) {
			all = append(all, line[start:at[1]])
			start = at[1]
		}
	}
	return append(all, line[start:])
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

package transcript

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// Members gives the members of a JSON object as they stand there, names without
// their quotes and values as JSON. It finds where values end and does not check
// what is in them: the payload made of them is read by a parser, and what is in no
// payload is of no interest. It does not allocate. What is no object has none.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		s := skimmer{b: object}
		if !s.take('{') || s.take('}') {
			return
		}
		for {
			s.space()
			name, ok := s.value()
			if !ok || name[0] != '"' || !s.take(':') {
				return
			}
			s.space()
			value, ok := s.value()
			if !ok || !yield(name[1:len(name)-1], value) || !s.take(',') {
				return
			}
		}
	}
}

// Items gives the elements of a JSON array as Members does.
func Items(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := skimmer{b: array}
		if !s.take('[') || s.take(']') {
			return
		}
		for {
			s.space()
			value, ok := s.value()
			if !ok || !yield(value) || !s.take(',') {
				return
			}
		}
	}
}

// Closed says whether b is one object whose brackets and strings are closed: a row
// that was cut is not.
func Closed(b []byte) bool {
	s := skimmer{b: bytes.TrimSpace(b)}
	v, ok := s.value()
	return ok && v[0] == '{' && s.i == len(s.b)
}

type skimmer struct {
	b []byte
	i int
}

func (s *skimmer) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\r' || s.b[s.i] == '\n') {
		s.i++
	}
}

// take steps over c and white space around it.
func (s *skimmer) take(c byte) bool {
	s.space()
	if s.i == len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

// value steps over one value.
func (s *skimmer) value() ([]byte, bool) {
	from := s.i
	if from == len(s.b) {
		return nil, false
	}
	switch s.b[from] {
	case '"':
		if !s.text() {
			return nil, false
		}
	case '{', '[':
		depth := 0
		for {
			if s.i == len(s.b) {
				return nil, false
			}
			switch s.b[s.i] {
			case '"':
				if !s.text() {
					return nil, false
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			s.i++
			if depth == 0 {
				return s.b[from:s.i], true
			}
		}
	default:
		for s.i < len(s.b) && !bytes.ContainsRune(ends, rune(s.b[s.i])) {
			s.i++
		}
	}
	return s.b[from:s.i], s.i > from
}

var ends = []byte(",]}: \t\r\n")

// text steps over a string.
func (s *skimmer) text() bool {
	s.i++
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return false
		}
		end := s.i + n
		slashes := end
		for slashes > s.i && s.b[slashes-1] == '\\' {
			slashes--
		}
		s.i = end + 1
		if (end-slashes)%2 == 0 {
			return true
		}
	}
}

// Unquote gives the text of a JSON string, empty for anything else.
func Unquote(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// Spent is what one request to a model used, as a transcript tells it.
type Spent struct {
	ID    string // of the request: a fork's transcript repeats it
	At    time.Time
	Model string // empty: unknown
	Tokens
}

// Tokens are counted as they are paid: none is in two of them.
type Tokens struct {
	Input      int64 `json:"input"`       // that no cache held
	CacheRead  int64 `json:"cache_read"`  // input that a cache held
	CacheWrite int64 `json:"cache_write"` // input that was put into the cache
	Output     int64 `json:"output"`
}

// Add adds up.
func (t *Tokens) Add(o Tokens) {
	t.Input, t.CacheRead, t.CacheWrite, t.Output = t.Input+o.Input, t.CacheRead+o.CacheRead, t.CacheWrite+o.CacheWrite, t.Output+o.Output
}

// sessionName is how long the id of a session at the end of a transcript's name is, in bytes.
const sessionName = 36

// Kept finds the transcripts of sessions in the folder where the agent keeps them, by the ids in their names. What
// cannot be read is left out.
func (f *Format) Kept(home string) map[string]string {
	all := map[string]string{}
	root, err := filepath.EvalSymlinks(filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(f.Folder, "~/"))))
	if err != nil {
		return all
	}
	// What cannot be read tells nothing: its sessions are unknown.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), f.Ext); ok && err == nil && d.Type().IsRegular() && len(name) >= sessionName {
			all[name[len(name)-sessionName:]] = path
		}
		return nil
	})
	return all
}

package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"journal/journal/disk"
)

// settings is a settings file as a tree. Unchanged parts keep their spelling, white space and comments.
type settings struct {
	src     []byte // the file
	text    []byte // src without a byte order mark; the offsets in root are offsets in text
	root    hujson.Value
	changed bool
	layout  layout
}

// layout is the white space between items: a line end, and the unit of indentation. Both are "" if the file is one line.
type layout struct{ line, unit string }

var byteOrderMark = []byte("\ufeff")

// parse parses settings: one JSON object, perhaps after a byte order mark. An empty file counts as an empty object. comments is
// Settings.Comments. The error is ErrRefused, without the path of the file.
func parse(src []byte, comments bool) (*settings, error) {
	s := &settings{src: src, text: bytes.TrimPrefix(src, byteOrderMark), layout: layout{"\n", "  "}}
	if len(bytes.TrimSpace(s.text)) == 0 {
		s.text = []byte("{}\n")
	}
	if !comments {
		var doc json.RawMessage
		if err := json.Unmarshal(s.text, &doc); err != nil {
			return nil, s.syntaxError(err)
		}
	}
	var err error
	if s.root, err = hujson.Parse(s.text); err != nil {
		var line, column int
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d", &line, &column) // every error of Parse has both
		return nil, &Error{Err: fmt.Errorf("%d:%d: %w: %w", line, column, ErrRefused, errors.Unwrap(err)), Try: repair}
	}
	o, ok := s.root.Value.(*hujson.Object)
	if !ok {
		return nil, s.refuse(s.root.StartOffset, "the settings are not an object", "the file has to hold one JSON object, {…}")
	}
	s.readLayout(o)
	return s, nil
}

// readLayout sets the layout to that of the first member. Without a member the layout stays: agents indent settings by two spaces.
func (s *settings) readLayout(o *hujson.Object) {
	if len(o.Members) == 0 {
		return
	}
	lead := string(o.Members[0].Name.BeforeExtra)
	end := strings.LastIndexByte(lead, '\n')
	switch unit := lead[end+1:]; {
	case end < 0:
		s.layout = layout{}
	case unit != "" && strings.Trim(unit, " \t") == "":
		s.layout.unit = unit
	}
	if end > 0 && lead[end-1] == '\r' {
		s.layout.line = "\r\n"
	}
}

// syntaxError returns a syntax error of encoding/json as an ErrRefused with its position. It returns other errors unchanged.
func (s *settings) syntaxError(err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	// syntax.Offset counts the bytes up to the invalid one, which is included.
	offset := max(int(syntax.Offset)-1, 0)
	if rest := s.text[min(offset, len(s.text)):]; bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) {
		return s.refuse(offset, "a comment is not JSON", "take the comments out, then run the command again")
	}
	return s.refuse(offset, syntax.Error(), repair)
}

const repair = "repair the file, then run the command again; nothing was written"

// refuse returns an ErrRefused about a problem at an offset, with advice.
func (s *settings) refuse(offset int, problem, try string) error {
	line, column := s.position(offset)
	return &Error{Err: fmt.Errorf("%d:%d: %w: %s", line, column, ErrRefused, problem), Try: try}
}

// position returns the line and the column of an offset, both from 1. The column counts characters.
func (s *settings) position(offset int) (line, column int) {
	before := string(s.text[:min(offset, len(s.text))])
	line = strings.Count(before, "\n") + 1
	return line, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}

// bytes returns the content of the file.
func (s *settings) bytes() []byte {
	if !s.changed {
		return s.src
	}
	out := s.root.Pack()
	if bytes.HasPrefix(s.src, byteOrderMark) {
		out = slices.Concat(byteOrderMark, out)
	}
	return out
}

// find returns the value at a path of keys and indexes, nil if there is none.
func (s *settings) find(path ...string) *hujson.Value { return find(&s.root, path...) }

// find returns the value at a path in v, nil if there is none or v is nil.
func find(v *hujson.Value, path ...string) *hujson.Value {
	if v == nil {
		return nil
	}
	return v.Find(pointer(path))
}

// pointer returns a path in the form of RFC 6901.
func pointer(path []string) (p string) {
	for _, key := range path {
		p += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}
	return p
}

// members returns the members of an object, nil for any other value.
func members(v *hujson.Value) []hujson.ObjectMember {
	if v != nil {
		if o, ok := v.Value.(*hujson.Object); ok {
			return o.Members
		}
	}
	return nil
}

// elements returns the elements of a list, nil for any other value.
func elements(v *hujson.Value) []hujson.Value {
	if v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			return a.Elements
		}
	}
	return nil
}

// text returns the text of a string. ok is false for other values, and for nil.
func text(v *hujson.Value) (value string, ok bool) {
	if v == nil || v.Value.Kind() != '"' {
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

// isText reports whether a value is a string equal to want.
func isText(v *hujson.Value, want string) bool {
	got, ok := text(v)
	return ok && got == want
}

// isTrue reports whether a value is true.
func isTrue(v *hujson.Value) bool { return v != nil && v.Value.Kind() == 't' }

// set replaces a value by a string.
func (s *settings) set(v *hujson.Value, value string) {
	if !isText(v, value) {
		v.Value, s.changed = hujson.String(value), true
	}
}

// append adds an item at the end of the list at a path of keys. It creates the list and the objects that lead to it if they are missing.
func (s *settings) append(path []string, item any) {
	for i := range path {
		if s.find(path[:i+1]...) != nil {
			continue
		}
		item = []any{item}
		for _, key := range slices.Backward(path[i+1:]) {
			item = map[string]any{key: item}
		}
		s.add(path[:i+1], item)
		return
	}
	s.add(append(slices.Clone(path), "-"), item)
}

// add adds an item at a path that does not exist. The last element of the path is the key in an object, or "-" for the end of a list.
func (s *settings) add(path []string, item any) {
	l, container := s.layout, s.find(path[:len(path)-1]...)
	if last, _ := lastIn(container); last != nil && !bytes.Contains(last.BeforeExtra, []byte("\n")) {
		l = layout{}
	}
	s.patch("add", path, l.render(item, len(path)))
	last, after := lastIn(container)
	switch {
	case l.line != "":
		if !bytes.HasSuffix(last.BeforeExtra, []byte("\n")) {
			last.BeforeExtra = append(last.BeforeExtra, l.line...)
		}
		last.BeforeExtra = append(last.BeforeExtra, strings.Repeat(l.unit, len(path))...)
		if !bytes.Contains(*after, []byte("\n")) {
			*after = []byte(l.line + strings.Repeat(l.unit, len(path)-1))
		}
	case len(members(container))+len(elements(container)) > 1:
		last.BeforeExtra = append(last.BeforeExtra, ' ')
	}
	if all := members(container); len(all) > 0 {
		all[len(all)-1].Value.BeforeExtra = []byte(" ")
	}
}

// lastIn returns the key of a container's last member, or the container's last element, and the white space before the closing bracket.
// Both are nil for an empty container.
func lastIn(container *hujson.Value) (item *hujson.Value, after *hujson.Extra) {
	switch c := container.Value.(type) {
	case *hujson.Object:
		if n := len(c.Members); n > 0 {
			return &c.Members[n-1].Name, &c.AfterExtra
		}
	case *hujson.Array:
		if n := len(c.Elements); n > 0 {
			return &c.Elements[n-1], &c.AfterExtra
		}
	}
	return nil, nil
}

// render returns the JSON of an item at a depth of the tree.
func (l layout) render(item any, depth int) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if l.line != "" {
		enc.SetIndent(strings.Repeat(l.unit, depth), l.unit)
	}
	_ = enc.Encode(item) // our items always encode
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", l.line)
}

// remove removes the value at a path, and the containers that become empty.
func (s *settings) remove(path ...string) {
	container := s.find(path[:len(path)-1]...)
	if n := len(members(container)) + len(elements(container)); n == 1 && len(path) > 1 {
		s.remove(path[:len(path)-1]...)
		return
	}
	s.patch("remove", path, "null")
	// The comma before a removed last item would stay: hujson writes a trailing comma if the last value has an AfterExtra.
	if all := members(container); len(all) > 0 {
		all[len(all)-1].Value.AfterExtra = nil
	}
	if all := elements(container); len(all) > 0 {
		all[len(all)-1].AfterExtra = nil
	}
}

// patch applies an operation of RFC 6902. It panics if the operation fails, which cannot happen if the container at the path exists.
func (s *settings) patch(op string, path []string, value string) {
	s.changed = true
	quoted := string(hujson.String(pointer(path)))
	if err := s.root.Patch([]byte(`[{"op":"` + op + `","path":` + quoted + `,"value":` + value + `}]`)); err != nil {
		panic("install: " + err.Error())
	}
}

// start returns a plan for the file t.path, without the file's content. mode is the mode of a new file.
func (t target) start(mode fs.FileMode) (Plan, error) {
	real, err := resolveLinks(t.path)
	if err != nil {
		return Plan{}, t.unreadable(err)
	}
	return Plan{Agent: t.agent.Name, Path: t.path, real: real, mode: mode}, nil
}

// read returns a plan for the settings at t.path, with their content in Before.
func (t target) read() (Plan, error) {
	p, err := t.start(0o600) // settings may hold keys
	if err != nil {
		return Plan{}, err
	}
	p.kept = t.keptFor(p.real)
	if p.real != t.path {
		p.Notes = append(p.Notes, fmt.Sprintf("%s is a link; the file that is changed is %s", t.path, p.real))
	}
	info, err := os.Stat(p.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p.makeDirs, err = t.missing(filepath.Dir(p.real)); errors.Is(err, fs.ErrNotExist) {
			p.createErr, err = err, nil
		}
		return p, err
	case err != nil:
		return Plan{}, t.unreadable(err)
	case !info.Mode().IsRegular():
		return Plan{}, t.unreadable(fmt.Errorf("%s is not a file", p.real))
	}
	p.mode = info.Mode().Perm()
	if p.Before, err = disk.ReadFile(p.real, maxSettings); err != nil {
		return Plan{}, t.unreadable(err)
	}
	return p, nil
}

// missing returns the directories to create for dir, outermost first; none if dir exists. The error is fs.ErrNotExist if the parent of
// the outermost is missing too, because then the path is probably a mistake.
func (t target) missing(dir string) ([]string, error) {
	_, err := os.Stat(dir)
	if err == nil {
		return nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, t.unreadable(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, &Error{Err: fmt.Errorf("find the place for %s: %s is a link to nothing", t.path, dir), Try: "make the directory that it leads to"}
	}
	dirs := t.upwards(dir)
	slices.Reverse(dirs)
	parent := filepath.Dir(dirs[0])
	if _, err := os.Stat(parent); err != nil {
		return nil, &Error{Err: fmt.Errorf("find the place for %s: %w", t.path, err), Try: "make the directory " + parent + ", or name another"}
	}
	return dirs, nil
}

// unreadable returns the error for a file that cannot be read.
func (t target) unreadable(err error) error {
	return &Error{Err: fmt.Errorf("read settings: %w", err), Try: "make " + t.path + " a file that you can read"}
}

// parse parses the settings at t.path. src is nil if there is no file.
func (t target) parse(src []byte) (*settings, error) {
	s, err := parse(src, t.agent.Settings.Comments)
	return s, t.withPath(err)
}

// withPath adds the path of the file before the position in an Error. Other errors are unchanged.
func (t target) withPath(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Err: fmt.Errorf("%s:%w", t.path, e.Err), Try: e.Try}
	}
	return err
}

package catalogue

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"sync"

	"github.com/minio/highwayhash"
	"github.com/vmihailenco/msgpack/v5"

	"journal/journal/disk"
	"journal/projections"
)

// Name is the file's name in a journal directory.
const Name = "sessions"

// A table in a file is: magic, a line that says how rows are made, the table as msgpack, checksum of
// all that.
const (
	magic = "journal sessions 1\n"
	// rules is raised when the same events make other rows and neither a projection nor the form of a row
	// tells that.
	rules = 2
)

var fileKey = [highwayhash.Size]byte([]byte("the table of sessions, in a file"))

// maxFile bounds what is read of a table, in bytes: that of a million sessions.
const maxFile = 1 << 30

// errFile is returned for a file that is no table of this program.
var errFile = errors.New("unusable table of sessions")

// stored is a table in a file. What a reader may not need it decodes when it does: a verb about one session asks for
// few rows and for no links.
type stored struct {
	Stream   string
	Seq      uint64
	At       string
	Config   projections.Config
	Links    []byte // a list of projections.SessionRef
	Cleared  []projections.Cleared
	Projects []Project
	Rows     []byte   // each a Row, by their ids and projects
	Ends     []uint32 // of each in Rows
}

// form tells how this program makes rows: by which rules and folds, and of which fields they are.
var form = sync.OnceValue(func() string {
	form := fmt.Sprintf("%d", rules)
	for _, p := range folded {
		form += fmt.Sprintf(" %s %d", p.Name(), p.Version())
	}
	return form + formOf(stored{}, Row{}, projections.SessionRef{})
})

// formOf ends a line about what is in a file.
func formOf(all ...any) string {
	form := ""
	for _, v := range all {
		form += fields(reflect.TypeOf(v))
	}
	return fmt.Sprintf(" %016x\n", highwayhash.Sum64([]byte(form), fileKey[:]))
}

// fields spells a type by its fields.
func fields(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		all := "{"
		for f := range t.Fields() {
			all += f.Name + " " + fields(f.Type) + ";"
		}
		return all + "}"
	case reflect.Slice, reflect.Pointer, reflect.Map:
		return t.Kind().String() + " " + fields(t.Elem())
	}
	return t.String()
}

func (t *Table) encode() ([]byte, error) {
	links := t.Links()
	s := stored{Stream: t.stream, Seq: t.seq, At: t.at, Config: t.config, Cleared: links.Cleared()}
	for _, key := range slices.Sorted(maps.Keys(t.projects)) {
		s.Projects = append(s.Projects, *t.projects[key])
	}
	var err error
	if s.Links, err = packed(nil, slices.Collect(links.All())); err != nil {
		return nil, err
	}
	for _, r := range slices.SortedFunc(maps.Values(t.whole()), func(a, b *Row) int { return a.compare(b.ID, b.Project) }) {
		if s.Rows, err = packed(s.Rows, r); err != nil {
			return nil, err
		}
		s.Ends = append(s.Ends, uint32(len(s.Rows)))
	}
	return seal(magic+form(), s)
}

// packed appends a value as msgpack.
func packed(to []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(to)
	enc := msgpack.NewEncoder(b)
	enc.UseArrayEncodedStructs(true)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// seal gives the bytes of a file: how it was made, what is in it, and a checksum of both.
func seal(made string, v any) ([]byte, error) {
	b, err := packed([]byte(made), v)
	return binary.LittleEndian.AppendUint64(b, highwayhash.Sum64(b, fileKey[:])), err
}

// open reads what seal gave. The error is errFile, or that of reading the file.
func open(path, made string, v any) error {
	b, err := disk.ReadFile(path, maxFile)
	if err != nil {
		return err
	}
	body, ok := bytes.CutPrefix(b, []byte(made))
	if !ok || len(body) < 8 || highwayhash.Sum64(b[:len(b)-8], fileKey[:]) != binary.LittleEndian.Uint64(b[len(b)-8:]) {
		return errFile
	}
	if msgpack.Unmarshal(body[:len(body)-8], v) != nil {
		return errFile
	}
	return nil
}

// table gives the table that was stored.
func (s stored) table() *Table {
	t := New(s.Config, s.Stream)
	t.seq, t.at, t.saved = s.Seq, s.At, s
	for _, p := range s.Projects {
		t.projects[p.Key] = &p
	}
	return t
}

// row gives the n-th row that was stored.
func (t *Table) row(n int) *Row {
	from := uint32(0)
	if n > 0 {
		from = t.saved.Ends[n-1]
	}
	r := &Row{}
	if msgpack.Unmarshal(t.saved.Rows[from:t.saved.Ends[n]], r) != nil {
		return &Row{} // no: its bytes are those that were written
	}
	k := key{r.Project, r.ID}
	if t.rows[k] == nil {
		t.rows[k] = r
	}
	return t.rows[k]
}

// find gives the place of the first row that was stored and is not before a session.
func (t *Table) find(id, project string) int {
	return sort.Search(len(t.saved.Ends), func(n int) bool { return t.row(n).compare(id, project) >= 0 })
}

// whole gives all rows.
func (t *Table) whole() map[key]*Row {
	for n := range t.saved.Ends {
		t.row(n)
	}
	t.saved.Rows, t.saved.Ends = nil, nil
	return t.rows
}

// Links tells how the sessions go on from each other.
func (t *Table) Links() projections.SessionsState {
	if t.saved.Links != nil {
		var all []projections.SessionRef
		_ = msgpack.Unmarshal(t.saved.Links, &all) // its bytes are those that were written
		t.links, t.saved.Links = projections.SessionsOf(all, t.saved.Cleared), nil
	}
	return t.links
}

// load gives the table in a directory, if it is one of a log by some parameters; nil are any.
func load(dir string, log Log, c *projections.Config) (*Table, error) {
	if dir == "" {
		return nil, errFile
	}
	var s stored
	if err := open(filepath.Join(dir, Name), magic+form(), &s); err != nil {
		return nil, err
	}
	if s.Stream != log.Stream() || c != nil && !s.Config.Equal(*c) {
		return nil, errUnlike
	}
	return s.table(), nil
}

// Of gives the table of a log as of its end: what the file in a directory, empty for none, says and what came after it,
// or all of it made anew. c are the parameters of folds; nil are any. show, which may be nil, is told how far
// it has come. The error is the log's.
func Of(ctx context.Context, dir string, log Log, c *projections.Config, show func(done, total int64)) (*Table, error) {
	if t, err := load(dir, log, c); err == nil {
		if err = t.Forward(ctx, log, show); !errors.Is(err, errUnlike) {
			return t, err
		}
	}
	if c == nil {
		c = &projections.Config{}
	}
	t := New(*c, log.Stream())
	return t, t.Forward(ctx, log, show)
}

// Kept gives the table of a log as of its end, nil where it would have to be made anew.
func Kept(ctx context.Context, dir string, log Log) *Table {
	t, err := load(dir, log, nil)
	if err != nil || t.Forward(ctx, log, nil) != nil {
		return nil
	}
	return t
}

// Keeper keeps the table of a log in a file, and its words in another, for the log's owner. It is not safe for concurrent use.
type Keeper struct {
	Dir    string
	Log    Log
	Config func() projections.Config

	kept  uint64 // how far the file was known to go
	words uint64 // of how many stretches that of words was known to be
}

// Keep writes the table when the log holds at least so many records more than it. Nobody has to: the file
// saves a pass over the log. on is asked now and then whether there is time to go on; what was read until then is kept.
func (k *Keeper) Keep(ctx context.Context, least uint64, on func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last < k.kept+least {
		return err
	}
	c := k.Config()
	t, err := load(k.Dir, k.Log, &c)
	if err != nil {
		t = New(c, k.Log.Stream())
	}
	k.kept = t.seq
	if st.Last < k.kept+least {
		return nil
	}
	going, stop := context.WithCancel(ctx)
	defer stop()
	err = t.Forward(going, k.Log, func(_, _ int64) {
		if !on() {
			stop()
		}
	})
	switch {
	case errors.Is(err, errUnlike):
		if err := os.Remove(filepath.Join(k.Dir, Name)); err != nil {
			return fmt.Errorf("table of sessions: %w", err)
		}
		k.kept = 0 // the next time anew
		return nil
	case err != nil && going.Err() == nil, ctx.Err() != nil, t.seq < k.kept+least:
		return err
	}
	b, err := t.encode()
	if err == nil {
		// Written aside and renamed, so that no reader sees a part of it. It is not
		// synced: after a power cut its checksum does not hold.
		err = disk.ReplaceAlone(filepath.Join(k.Dir, Name), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("table of sessions: %w", err)
	}
	k.kept = t.seq
	return nil
}

package catalogue

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"sync"

	"github.com/vmihailenco/msgpack/v5"

	"journal/embedded/store/blocks"
	"journal/journal"
	"journal/projections"
)

// Name is the file's name in a journal directory.
const Name = "sessions"

// rules is raised if the same events make other rows, and neither the version of a projection nor the fields of a row changed.
const rules = 2

// stored is a table in a file. Rows and links are decoded when they are needed: a verb about one session needs few rows and
// no links.
type stored struct {
	Stream   string
	Seq      uint64
	At       string
	Config   projections.Config
	Links    []byte // a list of projections.SessionRef
	Cleared  []projections.Cleared
	Projects []Project
	Rows     []byte   // of each Row, sorted by id and project
	Ends     []uint32 // of each row in Rows
	// Foreign counts the messages that are no events; FirstForeign is the first.
	Foreign, FirstForeign uint64
}

// tableKind describes how this program makes the table: the rules, the folds and the fields.
var tableKind = sync.OnceValue(func() string {
	kind := fmt.Sprintf("journal sessions 2 %d", rules)
	for _, p := range folded {
		kind += fmt.Sprintf(" %s %d", p.Name(), p.Version())
	}
	return kind + formOf(stored{}, Row{}, projections.SessionRef{})
})

// formOf returns a digest of the fields of some types, as the end of a kind.
func formOf(all ...any) string {
	digest := fnv.New64a()
	for _, v := range all {
		_, _ = io.WriteString(digest, fields(reflect.TypeOf(v)))
	}
	return fmt.Sprintf(" %016x", digest.Sum64())
}

// fields describes a type by its fields.
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
	s := stored{Stream: t.stream, Seq: t.seq, At: t.at, Config: t.config, Cleared: links.Cleared(), Foreign: t.saved.Foreign, FirstForeign: t.saved.FirstForeign}
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
	return packed(nil, s)
}

// packed appends a value as msgpack.
func packed(to []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(to)
	enc := msgpack.NewEncoder(b)
	enc.UseArrayEncodedStructs(true)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// open reads a file of a kind. The error is blocks.ErrUnusable, or that of reading the file.
func open(path, kind string, v any) error {
	_, b, err := blocks.OpenPaged(path, kind)
	if err != nil {
		return err
	}
	if msgpack.Unmarshal(b, v) != nil {
		return blocks.ErrUnusable
	}
	return nil
}

// write writes a file of a kind. It is not synced: after a power cut it is made anew.
func write(path, kind string, encode func() ([]byte, error)) error {
	return blocks.WritePaged(path, kind, func(io.Writer) ([]byte, error) { return encode() })
}

// row returns the n-th stored row.
func (t *Table) row(n int) *Row {
	from := uint32(0)
	if n > 0 {
		from = t.saved.Ends[n-1]
	}
	r := &Row{}
	if msgpack.Unmarshal(t.saved.Rows[from:t.saved.Ends[n]], r) != nil {
		return &Row{} // impossible: the checksum was right
	}
	k := key{r.Project, r.ID}
	if t.rows[k] == nil {
		t.rows[k] = r
	}
	return t.rows[k]
}

// find returns the index of the first stored row that is not before a session.
func (t *Table) find(id, project string) int {
	return sort.Search(len(t.saved.Ends), func(n int) bool { return t.row(n).compare(id, project) >= 0 })
}

// whole returns all rows.
func (t *Table) whole() map[key]*Row {
	for n := range t.saved.Ends {
		t.row(n)
	}
	t.saved.Rows, t.saved.Ends = nil, nil
	return t.rows
}

// Links returns how the sessions continue each other.
func (t *Table) Links() projections.SessionsState {
	if t.saved.Links != nil {
		var all []projections.SessionRef
		_ = msgpack.Unmarshal(t.saved.Links, &all) // the checksum was right
		t.links, t.saved.Links = projections.SessionsOf(all, t.saved.Cleared), nil
	}
	return t.links
}

// load returns the table of a log in a directory, if it was made with some parameters; nil means any.
func load(dir string, log Log, c *projections.Config) (*Table, error) {
	if dir == "" {
		return nil, blocks.ErrUnusable
	}
	var s stored
	if err := open(filepath.Join(dir, Name), tableKind(), &s); err != nil {
		return nil, err
	}
	if s.Stream != log.Stream() || c != nil && !s.Config.Equal(*c) {
		return nil, errOtherLog
	}
	t := New(s.Config, s.Stream)
	t.seq, t.at, t.saved = s.Seq, s.At, s
	for _, p := range s.Projects {
		t.projects[p.Key] = &p
	}
	return t, nil
}

// Of returns the table of a log as of its end: the one in a directory, empty for none, moved forward, or a new one. c are the
// parameters of folds; nil means any. show, if not nil, gets the progress. The error is the log's.
func Of(ctx context.Context, dir string, log Log, c *projections.Config, show func(done, total int64)) (*Table, error) {
	if t, err := load(dir, log, c); err == nil {
		if err = t.Forward(ctx, log, show); !errors.Is(err, errOtherLog) {
			return t, err
		}
	}
	t := New(*cmp.Or(c, &projections.Config{}), log.Stream())
	return t, t.Forward(ctx, log, show)
}

// Foreign returns how many messages of a stream are no events, and the first of them, up to a sequence: as far as the file of
// the table knows, which is nothing without one.
func Foreign(dir, stream string) (n, first, until uint64) {
	var s stored
	if err := open(filepath.Join(dir, Name), tableKind(), &s); err != nil || s.Stream != stream {
		return 0, 0, 0
	}
	return s.Foreign, s.FirstForeign, s.Seq
}

// Kept returns the kept table of a log, moved forward to its end; nil if a new one would have to be made.
func Kept(ctx context.Context, dir string, log Log) *Table {
	t, err := load(dir, log, nil)
	if err != nil || t.Forward(ctx, log, nil) != nil {
		return nil
	}
	return t
}

// Keeper keeps the table, the words and what sessions have in common of a log in files, for the owner of the log.
// It is not safe for concurrent use.
type Keeper struct {
	Dir     string
	Log     Log
	Records journal.Records // of the log
	Config  func() projections.Config

	table  uint64 // newest sequence in the file, as far as known
	common uint64 // the same of the file of what sessions have in common
	words  uint64 // the same of the database of words
}

// Keep writes the table if the log has at least so many records more than the file. The file only saves a pass over the log.
// goOn is called now and then, and reports whether to continue; what was read until then is kept.
func (k *Keeper) Keep(ctx context.Context, least uint64, goOn func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last < k.table+least {
		return err
	}
	c := k.Config()
	t, err := load(k.Dir, k.Log, &c)
	if err != nil {
		t = New(c, k.Log.Stream())
	}
	k.table = t.seq
	if st.Last < k.table+least {
		return nil
	}
	going, stop := context.WithCancel(ctx)
	defer stop()
	err = t.Forward(going, k.Log, func(_, _ int64) {
		if !goOn() {
			stop()
		}
	})
	switch {
	case errors.Is(err, errOtherLog):
		if err := os.Remove(filepath.Join(k.Dir, Name)); err != nil {
			return fmt.Errorf("table of sessions: %w", err)
		}
		k.table = 0 // the next call makes a new one
		return nil
	case err != nil && going.Err() == nil, ctx.Err() != nil, t.seq < k.table+least:
		return err
	}
	if err := write(filepath.Join(k.Dir, Name), tableKind(), t.encode); err != nil {
		return fmt.Errorf("table of sessions: %w", err)
	}
	k.table = t.seq
	return nil
}

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
	"journal/journal/disk"
	"journal/projections"
)

// Name is the name of the table's file in a journal directory.
const Name = "sessions"

// rules is the number of the rules by which rows are made. It is raised if the same events make other rows although neither the version of
// a projection nor the fields of a row changed.
const rules = 3

// stored is the content of the file. Rows and links are decoded only when they are needed: a verb about one session needs few rows and no
// links.
type stored struct {
	Stream   string
	Seq      uint64 // Table.seq
	At       string // Table.newest; the field keeps its name, because another one would change tableKind
	Config   projections.Config
	Links    []byte // a list of projections.SessionRef
	Cleared  []projections.ClearedSession
	Projects []Project
	Rows     []byte   // each Row, sorted by id and project
	Ends     []uint32 // offset of the end of each row in Rows
	// Foreign is the number of messages that are no events, and FirstForeign the sequence of the first one.
	Foreign, FirstForeign uint64
}

// tableKind returns the kind of the file. It contains the version of the rules and folds, and a digest of the fields.
var tableKind = sync.OnceValue(func() string {
	kind := fmt.Sprintf("journal sessions 2 %d", rules)
	for _, p := range folded {
		kind += fmt.Sprintf(" %s %d", p.Name(), p.Version())
	}
	return kind + formOf(stored{}, Row{}, projections.SessionRef{})
})

// formOf returns a digest of the fields of some values' types. It is the last part of a kind.
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

// stored returns the content of the file.
func (t *Table) stored() (stored, error) {
	links := t.Links()
	s := stored{Stream: t.stream, Seq: t.seq, At: t.newest, Config: t.config, Cleared: links.Cleared(), Foreign: t.saved.Foreign, FirstForeign: t.saved.FirstForeign}
	for _, key := range slices.Sorted(maps.Keys(t.projects)) {
		s.Projects = append(s.Projects, *t.projects[key])
	}
	var err error
	if s.Links, err = appendMsgpack(nil, slices.Collect(links.All())); err != nil {
		return s, err
	}
	for _, r := range slices.SortedFunc(maps.Values(t.allRows()), func(a, b *Row) int { return a.compare(b.Project, b.ID) }) {
		if s.Rows, err = appendMsgpack(s.Rows, r); err != nil {
			return s, err
		}
		s.Ends = append(s.Ends, uint32(len(s.Rows)))
	}
	return s, nil
}

// appendMsgpack appends a value as msgpack.
func appendMsgpack(to []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(to)
	enc := msgpack.NewEncoder(b)
	enc.UseArrayEncodedStructs(true)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// open reads the value in a file of a kind. The error is blocks.ErrUnusable, or that of reading the file.
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

// save replaces a file by one of a kind with a value. The file is not synced: after a power cut it may be unusable. replace is
// disk.Replace, or disk.ReplaceAlone for a file that only one process writes.
func save(replace func(path string, content []byte) error, path, kind string, v any) error {
	b, err := appendMsgpack(nil, v)
	if err != nil {
		return err
	}
	return replace(path, blocks.WithoutPages(kind, b))
}

// storedRow returns the n-th row of the file.
func (t *Table) storedRow(n int) *Row {
	from := uint32(0)
	if n > 0 {
		from = t.saved.Ends[n-1]
	}
	r := &Row{}
	if msgpack.Unmarshal(t.saved.Rows[from:t.saved.Ends[n]], r) != nil {
		return &Row{} // cannot happen: the checksum was right
	}
	k := key{r.Project, r.ID}
	if t.rows[k] == nil {
		t.rows[k] = r
	}
	return t.rows[k]
}

// find returns the index of the first row of the file that is not before a session. The rows are sorted by id and project.
func (t *Table) find(project, id string) int {
	return sort.Search(len(t.saved.Ends), func(n int) bool { return t.storedRow(n).compare(project, id) >= 0 })
}

// allRows decodes and returns all rows.
func (t *Table) allRows() map[key]*Row {
	for n := range t.saved.Ends {
		t.storedRow(n)
	}
	t.saved.Rows, t.saved.Ends = nil, nil
	return t.rows
}

// Links returns the sessions with their links. A link names the session that another one continues.
func (t *Table) Links() projections.SessionsState {
	if t.saved.Links != nil {
		var all []projections.SessionRef
		_ = msgpack.Unmarshal(t.saved.Links, &all) // the checksum was right
		t.links, t.saved.Links = projections.SessionsOf(all, t.saved.Cleared), nil
	}
	return t.links
}

// load reads the table of a log from its file in a directory. c are the parameters of folds that the table must have; nil accepts any. The
// error is blocks.ErrUnusable, errOtherLog, or that of reading the file.
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
	t.seq, t.newest, t.saved = s.Seq, s.At, s
	for _, p := range s.Projects {
		t.projects[p.Key] = &p
	}
	return t, nil
}

// Of returns the table of a log as of the log's end. It reads the table from the file in dir and completes it, or makes a new table. With
// an empty dir there is no file. c are the parameters of folds; nil accepts those of the file. show, if not nil, gets the progress. The
// error is that of the log.
func Of(ctx context.Context, dir string, log Log, c *projections.Config, show func(done, total int64)) (*Table, error) {
	if t, err := load(dir, log, c); err == nil {
		if err = t.Forward(ctx, log, show); !errors.Is(err, errOtherLog) {
			return t, err
		}
	}
	t := New(*cmp.Or(c, &projections.Config{}), log.Stream())
	return t, t.Forward(ctx, log, show)
}

// Foreign returns the number of messages of a stream that are no events, and the sequence of the first one. Both are those in the table's
// file in dir, which covers the log up to the sequence until. Without a usable file all three are 0.
func Foreign(dir, stream string) (n, first, until uint64) {
	var s stored
	if err := open(filepath.Join(dir, Name), tableKind(), &s); err != nil || s.Stream != stream {
		return 0, 0, 0
	}
	return s.Foreign, s.FirstForeign, s.Seq
}

// Cached returns the table from the file in dir, completed to the log's end. It returns nil if there is no usable file.
func Cached(ctx context.Context, dir string, log Log) *Table {
	t, err := load(dir, log, nil)
	if err != nil || t.Forward(ctx, log, nil) != nil {
		return nil
	}
	return t
}

// Keeper writes the table and the words of a log to files, for the owner of the log. It is not safe for concurrent use.
type Keeper struct {
	Dir    string
	Log    Log
	Config func() projections.Config

	table uint64 // newest sequence in the file of the table, 0 if it is unknown
	words uint64 // newest sequence in the database of words, 0 if it is unknown
}

// Keep writes the table if the log has at least `least` records more than the file, which only saves readers a pass over the log. Keep
// calls goOn now and then, and stops if it returns false. It then writes the part that it has read, if that part has at least `least`
// records.
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
		k.table = 0 // the next call makes a new file
		return nil
	case err != nil && going.Err() == nil, ctx.Err() != nil:
		return err // the reading was not stopped by goOn
	case t.seq < k.table+least: // goOn stopped the reading
		return nil
	}
	if err := t.refoldRewound(ctx, k.Log); err != nil { // Forward does so only at the log's end
		return err
	}
	s, err := t.stored()
	if err != nil {
		return fmt.Errorf("table of sessions: %w", err)
	}
	if err := save(disk.ReplaceAlone, filepath.Join(k.Dir, Name), tableKind(), s); err != nil {
		return fmt.Errorf("table of sessions: %w", err)
	}
	k.table = t.seq
	return nil
}

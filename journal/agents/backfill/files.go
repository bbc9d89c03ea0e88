package backfill

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// File is a file that may be a transcript.
type File struct {
	path  string
	size  int64
	began time.Time
	fork  bool
	form  *transcript.Format
	skip  string // why it is none
	// open gives the rows as far as they went when the file was found: it may grow as fast as it is read.
	open func() (io.ReadCloser, error)
}

// Transcripts lists the files that are named, and those in folders that are, each
// once. Sessions that began earlier come first, so that what belongs to the project
// is folded in the order in which it happened; a fork, which begins with the same
// rows, comes after the session that it took them from. total is their size in bytes.
// Only the transcripts of the agents are looked for. The error is disk.ErrNotRegular for a path that is neither file nor
// folder.
func Transcripts(ctx context.Context, paths, agents []string) (files []File, total int64, err error) {
	seen := map[string]bool{}
	add := func(path string) error {
		all, err := look(ctx, path, agents)
		if err != nil || seen[path] {
			return err
		}
		seen[path] = true
		files = append(files, all...)
		for _, f := range all {
			total += f.size
		}
		return nil
	}
	for _, path := range paths {
		path = filepath.Clean(path)
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, err
		}
		if !info.IsDir() {
			if err := add(path); err != nil {
				return nil, 0, err
			}
			continue
		}
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err = cmp.Or(err, ctx.Err()); err != nil || !d.Type().IsRegular() || !transcript.Named(path, agents) {
				return err
			}
			return add(path)
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		forks := map[bool]int{true: 1}
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(forks[a.fork], forks[b.fork]),
			cmp.Compare(a.size, b.size), strings.Compare(a.path, b.path))
	})
	return files, total, nil
}

// look reads the beginning of a file, and which sessions it holds.
func look(ctx context.Context, path string, agents []string) ([]File, error) {
	f, info, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a row may be of any length
	form, head, err := transcript.Recognise(f, info.Size(), agents)
	if err != nil {
		return []File{{path: path, skip: "no transcript: no row names a session"}}, ctx.Err()
	}
	all := []transcript.Session{{Head: head, Size: info.Size(), Open: func() (io.ReadCloser, error) { return beginning(path, info.Size()) }}}
	if form.Sessions != nil {
		all, err = form.Sessions(path)
	}
	var unfit transcript.Unfit
	if errors.As(err, &unfit) {
		return []File{{path: path, skip: unfit.Error()}}, nil
	}
	files := make([]File, len(all))
	for i, one := range all {
		files[i] = File{path: path, size: one.Size, began: one.Began, fork: one.Fork, form: form, open: one.Open}
	}
	return files, cmp.Or(err, ctx.Err())
}

// beginning opens the first bytes of a file.
func beginning(path string, bytes int64) (io.ReadCloser, error) {
	f, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, bytes), f}, nil
}

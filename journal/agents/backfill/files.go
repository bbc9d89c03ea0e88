package backfill

import (
	"cmp"
	"context"
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
		f, err := look(ctx, path, agents)
		if err != nil || seen[path] {
			return err
		}
		seen[path] = true
		files = append(files, f)
		total += f.size
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

// look reads the beginning of a file.
func look(ctx context.Context, path string, agents []string) (File, error) {
	f, info, err := disk.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a row may be of any length
	one := File{path: path, size: info.Size()}
	form, head, err := transcript.Recognise(f, one.size, agents)
	if err != nil {
		one.skip, one.size = "no transcript: no row names a session", 0
	}
	one.form, one.began, one.fork = form, head.Began, head.Fork
	return one, ctx.Err()
}

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// bench is one run: the programs, the payloads, and a temporary directory that
// holds everything else and is removed at the end.
type bench struct {
	journal, noop, tiny string
	dir                 string
	root                string // of the project that the hooks are about
	hooks               recording
	n                   int // samples of what is quick
	events              int // of the generated log
	null                *os.File
	stores              []*store
	full                *store // with the generated log, once it is needed
	table               table
}

//go:embed testdata/tiny.go
var tinySource []byte

// newBench makes the directory, the project and the programs that serve as
// baselines. Close undoes it.
func newBench(ctx context.Context, journal, recorded string, n, events int) (*bench, error) {
	path, err := filepath.Abs(journal)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the program to measure: %w; run make build", err)
	}
	dir, err := os.MkdirTemp("", "journal-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{journal: path, dir: dir, n: n, events: events, root: filepath.Join(dir, "project")}
	if err := b.prepare(ctx, recorded); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context, recorded string) (err error) {
	if b.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(b.root, ".git"), 0o700); err != nil {
		return err
	}
	if b.hooks, err = load(recorded, b.root); err != nil {
		return err
	}
	source := filepath.Join(b.dir, "tiny.go")
	if err := os.WriteFile(source, tinySource, 0o600); err != nil {
		return err
	}
	if b.tiny, err = b.build(ctx, "tiny", source); err != nil {
		return err
	}
	b.noop, err = b.build(ctx, "noop", "journal/cmd/journal/bench/noop")
	return err
}

// build makes a program in the way that the journal's own is made.
func (b *bench) build(ctx context.Context, name, source string) (string, error) {
	path := filepath.Join(b.dir, name)
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return path, nil
}

// Close ends every owner and removes the directory. An interrupted run comes here
// too.
func (b *bench) Close() error {
	var err error
	for _, s := range b.stores {
		ctx, cancel := context.WithTimeout(context.Background(), ownerWait)
		err = errors.Join(err, s.stop(ctx))
		cancel()
	}
	if b.null != nil {
		err = errors.Join(err, b.null.Close())
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// newStore makes an empty journal directory with a home of its own. Processes get
// this environment and nothing else.
func (b *bench) newStore() *store {
	home := filepath.Join(b.dir, fmt.Sprintf("home%d", len(b.stores)))
	s := &store{bin: b.journal, dir: filepath.Join(home, "journal")}
	s.env = []string{"HOME=" + home, "JOURNAL_DIR=" + s.dir, "JOURNAL_IDLE=2m", "LANG=C", "PATH=" + os.Getenv("PATH")}
	b.stores = append(b.stores, s)
	return s
}

// payload makes the standard input of one process. It is on the disk before the
// process starts, so that nobody else's writing is part of what is measured.
func (b *bench) payload(hook map[string]any) (*os.File, error) {
	body, err := json.Marshal(hook)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(b.dir, "payload-")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(body)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err = errors.Join(err, os.Remove(f.Name())); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// send runs one hook process with a payload.
func (b *bench) send(p process, hook map[string]any, stdout *os.File) (time.Duration, error) {
	stdin, err := b.payload(hook)
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	return p.run(stdin, stdout)
}

// The baselines, as variants to measure beside others.
func (b *bench) hello() variant {
	return b.plain("hello world", process{path: b.tiny})
}

func (b *bench) floor() variant { return b.plain("no-op", process{path: b.noop}) }

func (b *bench) bareAppend() variant {
	return b.plain("bare append", process{path: b.tiny, args: []string{filepath.Join(b.dir, "bare")}})
}

func (b *bench) plain(name string, p process) variant {
	return variant{name: name, run: func(int) (time.Duration, error) { return p.run(b.null, b.null) }}
}

// add puts a line into the table.
func (b *bench) add(l line) {
	l.Load = load1()
	b.table.Lines = append(b.table.Lines, l)
}

package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"journal/journal/disk"
)

// Stdin is what comes in, until ctx ends: nobody knows when a person or a pipe does.
func (t *Terminal) Stdin(ctx context.Context) io.Reader { return disk.Until(ctx, t.In) }

// Given opens what a person named to be read, - is stdin. Reading ends with ctx.
func (t *Terminal) Given(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(t.Stdin(ctx)), nil
	}
	f, err := disk.OpenGiven(name)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{disk.Until(ctx, f), f}, nil
}

// ReadGiven reads at most so many bytes of what a person named; more is an error.
func (t *Terminal) ReadGiven(ctx context.Context, name string, most int64) ([]byte, error) {
	in, err := t.Given(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if name == "-" {
		name = "stdin"
	}
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case int64(len(b)) > most:
		return nil, fmt.Errorf("%s has more than %s", name, Size(uint64(most)))
	}
	return b, nil
}

// WhileWanted gives what f makes, or the error of ctx as soon as that ends. Nothing may depend on f then, which goes on
// until the program does.
func WhileWanted[T any](ctx context.Context, f func() T) (T, error) {
	made := make(chan T, 1)
	go func() { made <- f() }()
	select {
	case is := <-made:
		return is, nil
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// IsFolder says why a path is none from which files are imported.
func IsFolder(path string) error {
	switch fi, err := os.Stat(path); {
	case err != nil:
		return fmt.Errorf("no folder %s", path)
	case !fi.IsDir():
		return fmt.Errorf("%s is not a directory", path)
	}
	return nil
}

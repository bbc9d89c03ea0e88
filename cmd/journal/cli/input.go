package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"journal/journal/disk"
)

// Stdin returns stdin as a reader that ends with ctx: a person or a pipe may never end it.
func (t *Terminal) Stdin(ctx context.Context) io.Reader { return disk.Until(ctx, t.In) }

// Given opens a file that a person named, - is stdin. Reading ends with ctx.
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

// ReadGiven reads a file that a person named, - is stdin. More than most bytes are an error.
func (t *Terminal) ReadGiven(ctx context.Context, name string, most int64) ([]byte, error) {
	said := name
	if name == "-" {
		said = "stdin"
	}
	tooLong := fmt.Errorf("%s has more than %s", said, Size(uint64(most)))
	if fi, err := os.Stat(name); err == nil && fi.Mode().IsRegular() && fi.Size() > most {
		return nil, tooLong // before memory is allocated for it
	}
	in, err := t.Given(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", said, err)
	case int64(len(b)) > most:
		return nil, tooLong
	}
	return b, nil
}

// WhileWanted returns the result of f, or the error of ctx as soon as that ends. In that case f goes on running, and
// nothing may depend on it.
func WhileWanted[T any](ctx context.Context, f func() T) (T, error) {
	made := make(chan T, 1)
	go func() { made <- f() }()
	select {
	case result := <-made:
		return result, nil
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// IsFolder returns an error if a path is not a folder.
func IsFolder(path string) error {
	switch fi, err := os.Stat(path); {
	case err != nil:
		return fmt.Errorf("no folder %s", path)
	case !fi.IsDir():
		return fmt.Errorf("%s is not a directory", path)
	}
	return nil
}

// Confirm asks a person and returns an error unless the answer is yes. again is the command to run without a terminal.
func (t *Terminal) Confirm(ctx context.Context, confirmed bool, question, again string) error {
	if confirmed {
		return nil
	}
	if !term.IsTerminal(int(t.In.Fd())) {
		return WithHint(errors.New("cannot ask for confirmation without a terminal"), again)
	}
	answer, err := t.Yes(ctx, question)
	if answer || err != nil {
		return err
	}
	return errors.New("not confirmed; nothing is done")
}

// Yes asks on the terminal; any answer but yes is a no.
func (t *Terminal) Yes(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(t.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(t.Stdin(ctx)).ReadString('\n') // the end of stdin means no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", ctx.Err()
}

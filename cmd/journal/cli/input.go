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

// Stdin returns stdin as a reader that ends with ctx, because a person or a pipe may never end it.
func (t *Terminal) Stdin(ctx context.Context) io.Reader { return disk.Until(ctx, t.In) }

// OpenInput opens a file that a person named; "-" means stdin. Reading ends with ctx.
func (t *Terminal) OpenInput(ctx context.Context, name string) (io.ReadCloser, error) {
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

// ReadInput reads a file that a person named; "-" means stdin. More than limit bytes are an error.
func (t *Terminal) ReadInput(ctx context.Context, name string, limit int64) ([]byte, error) {
	label := name
	if name == "-" {
		label = "stdin"
	}
	tooLong := fmt.Errorf("%s has more than %s", label, Size(uint64(limit)))
	if fi, err := os.Stat(name); name != "-" && err == nil && fi.Mode().IsRegular() && fi.Size() > limit {
		return nil, tooLong // before memory is allocated for it
	}
	in, err := t.OpenInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", label, err)
	case int64(len(b)) > limit:
		return nil, tooLong
	}
	return b, nil
}

// Await runs f and returns its result. If ctx ends first, it returns the error of ctx at once; f goes on running in its
// goroutine, and its result is dropped.
func Await[T any](ctx context.Context, f func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case result := <-done:
		return result, nil
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// Confirm asks a person and returns an error unless the answer is yes. If confirmed is set, a flag was the answer, and it does
// not ask. Without a terminal it cannot ask: the error has command as its hint.
func (t *Terminal) Confirm(ctx context.Context, confirmed bool, question, command string) error {
	if confirmed {
		return nil
	}
	if !term.IsTerminal(int(t.In.Fd())) {
		return WithHint(errors.New("cannot ask for confirmation without a terminal"), command)
	}
	answer, err := t.Yes(ctx, question)
	if answer || err != nil {
		return err
	}
	return errors.New("not confirmed; nothing is done")
}

// Yes asks a question on the terminal and reports whether the answer is y or yes. It returns the error of ctx.
func (t *Terminal) Yes(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(t.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(t.Stdin(ctx)).ReadString('\n') // the end of stdin means no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", ctx.Err()
}

package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"journal/events/text"
)

// However a text is cut into writes, the same arrives, and nothing in it steers.
func TestDisplayWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		said := rapid.StringOf(rapid.RuneFrom([]rune("ab한é👩\u200d\u200c\n\t\x1b\u202e\u200b\u009b\u2028·\ufeff"))).Draw(rt, "text")
		var whole, parts strings.Builder
		if _, err := (&display{to: &whole}).Write([]byte(said)); err != nil {
			rt.Fatal(err)
		}
		d := &display{to: &parts}
		for b := []byte(said); len(b) > 0; {
			n := rapid.IntRange(1, len(b)).Draw(rt, "n")
			if _, err := d.Write(b[:n]); err != nil {
				rt.Fatal(err)
			}
			b = b[n:]
		}
		if parts.String() != whole.String() {
			rt.Fatalf("in parts %q, else %q", &parts, &whole)
		}
		if got := text.Printable(said); got != whole.String() || text.Printable(got) != got {
			rt.Fatalf("got %q of %q", &whole, said)
		}
		if strings.ContainsAny(whole.String(), "\x1b\u202e\u200b\u009b\u2028\ufeff") {
			rt.Fatalf("steers: %q", &whole)
		}
		if keep := "ab한é👩\u200d\u200c\n\t"; strings.Trim(said, keep) == "" && whole.String() != said {
			rt.Fatalf("%q became %q", said, &whole)
		}
	})
}

// fullDisk takes no writes.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// The error of writing the line above is kept like that of writing the text below it, also after the copy was read.
func TestDisplayKeepsErrors(t *testing.T) {
	t.Parallel()
	a := &App{Terminal: Terminal{Out: &display{to: fullDisk{}}}}
	read := func() error {
		fmt.Fprintln(a.Out, "said")
		return nil // most verbs ignore the error
	}
	if err := a.ReadCopy(TeamCopy{}, true, read); err != nil || !errors.Is(writeError(a.Out), syscall.ENOSPC) {
		t.Errorf("got %v, then %v", err, writeError(a.Out))
	}
}

// Each copy's line stands above its text, and above nothing of another copy.
func TestDisplayAbove(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	a := &App{Terminal: Terminal{Out: &display{to: &shown}}}
	for _, said := range []string{"a\n", "", "b\n"} {
		err := a.ReadCopy(TeamCopy{Device: Device{"m", "d" + strings.TrimSpace(said)}}, true, func() error {
			err := writeSequences(a.Out, said)
			fmt.Fprint(a.Out, said)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	fmt.Fprintln(a.Out, "end")
	if got, want := shown.String(), "m/da, up to #0\na\na\nm/db, up to #0\nb\nb\nend\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package sock_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/journal/wire/sock"
)

func TestPathIsShortAndItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the temporary directory alone may be too long")
	}
	dirs := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zé ]{1,40}`), 1, 8).Draw(t, "parts"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := dirs.Draw(t, "a"), dirs.Draw(t, "b")
		pa, pb := sock.Path(a), sock.Path(b)
		if len(pa) > sock.MaxPath {
			t.Fatalf("%d bytes: %s", len(pa), pa)
		}
		if inside := filepath.Join(a, "owner.sock"); len(inside) <= sock.MaxPath && pa != inside {
			t.Fatalf("short enough, but at %s", pa)
		}
		if (pa == pb) != (a == b) {
			t.Fatalf("%s and %s have %s and %s", a, b, pa, pb)
		}
	})
}

func TestPathBoundary(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths begin with a volume")
	}
	for length, inside := range map[int]bool{sock.MaxPath: true, sock.MaxPath + 1: false} {
		dir := "/" + strings.Repeat("d", length-len("//owner.sock"))
		if got := sock.Path(dir); strings.HasPrefix(got, dir) != inside {
			t.Errorf("%d bytes: %s", length, got)
		}
	}
}

func TestPathOfARelativeDirectory(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("x/", 60)
	for _, dir := range []string{"x", deep, "./y/../x/"} {
		if got, want := sock.Path(dir), sock.Path(filepath.Join(wd, dir)); got != want {
			t.Errorf("%s: %s, absolute %s", dir, got, want)
		}
	}
}

package agents

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBelow: a file of the project has one path, whether the client names it, or the project, by a link or not.
func TestBelow(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(real, "shop", "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ root, path, want string }{
		{link + "/shop", real + "/shop/src/a.go", link + "/shop/src/a.go"},
		{real + "/shop", link + "/shop/src/a.go", real + "/shop/src/a.go"},
		{link + "/shop", link + "/shop/src/a.go", link + "/shop/src/a.go"},
		{link + "/shop", real + "/a.go", real + "/a.go"},
		{link + "/shop", "/nowhere/a.go", "/nowhere/a.go"},
		{link + "/shop", "src/a.go", "src/a.go"},
		{"", real + "/a.go", real + "/a.go"},
		{dir + "/gone", real + "/a.go", real + "/a.go"},
	} {
		if got := below(filepath.FromSlash(c.root), filepath.FromSlash(c.path)); got != filepath.FromSlash(c.want) {
			t.Errorf("%s below %s is %s, want %s", c.path, c.root, got, c.want)
		}
	}
}

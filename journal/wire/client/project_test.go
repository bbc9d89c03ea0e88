package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"journal/events"
	"journal/journal/wire/client"
)

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProjectKey(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	one, two := mkdir(t, filepath.Join(root, "one", "web")), mkdir(t, filepath.Join(root, "two", "web"))
	key := client.ProjectKey(one)
	if !strings.HasPrefix(key, "web-") || len(key) != len("web-")+8 {
		t.Errorf("key is %q, want web- and eight digits", key)
	}
	if other := client.ProjectKey(two); other == key {
		t.Errorf("two directories have the key %q", key)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(one, link); err != nil {
		t.Skip(err)
	}
	for _, same := range []string{link, one + "/", filepath.Join(one, "..", "web"), one + "/."} {
		if got := client.ProjectKey(same); got != key {
			t.Errorf("ProjectKey(%q) = %q, want %q", same, got, key)
		}
	}
	if got := client.ProjectKey(""); got != events.None {
		t.Errorf("no path has the key %q", got)
	}
}

// TestProjectKeyOfRelativePath: "." is another project in every directory.
func TestProjectKeyOfRelativePath(t *testing.T) {
	root := t.TempDir()
	dir := mkdir(t, filepath.Join(root, "web", "src"))
	t.Chdir(dir)
	for rel, abs := range map[string]string{".": dir, "..": filepath.Dir(dir), "gone": filepath.Join(dir, "gone")} {
		if got, want := client.ProjectKey(rel), client.ProjectKey(abs); got != want {
			t.Errorf("ProjectKey(%q) = %q, want %q", rel, got, want)
		}
	}
}

// TestProjectKeyOfWindows: a directory of Windows has one key, however a client spells it and wherever the program runs.
func TestProjectKeyOfWindows(t *testing.T) {
	t.Chdir(t.TempDir())
	for first, others := range map[string][]string{
		`C:\Users\me\shop`: {`c:\Users\me\shop`, `C:/Users/me/shop`, `c:\Users\me\shop\`, `C:\Users\me\.\shop`, `\\?\C:\Users\me\shop`, `\\?\c:\Users\me\shop\`},
		`\\nas\work\shop`:  {`\\nas\work\shop\`, `\\?\UNC\nas\work\shop`},
	} {
		key := client.ProjectKey(first)
		if !strings.HasPrefix(key, "shop-") {
			t.Errorf("ProjectKey(%q) = %q", first, key)
		}
		for _, other := range others {
			if got := client.ProjectKey(other); got != key {
				t.Errorf("ProjectKey(%q) = %q, want %q", other, got, key)
			}
		}
		t.Chdir("/")
		if got := client.ProjectKey(first); got != key {
			t.Errorf("in another directory ProjectKey(%q) = %q, want %q", first, got, key)
		}
	}
}

// TestProjectKeyOfComposedNames: a directory has one key, whether its characters are composed or not.
func TestProjectKeyOfComposedNames(t *testing.T) {
	t.Parallel()
	for composed, decomposed := range map[string]string{"/gone/caf\u00e9": "/gone/cafe\u0301", "/\u30c9\u30e9/shop": "/\u30c8\u3099\u30e9/shop"} {
		if a, b := client.ProjectKey(composed), client.ProjectKey(decomposed); a != b {
			t.Errorf("%q is %s, %q is %s", composed, a, decomposed, b)
		}
	}
}

func TestProjectKeyOfWeirdNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	seen := map[string]string{}
	for _, name := range []string{
		"a b", "a*b", "a>b", "a.b", "프로젝트", strings.Repeat("긴", 60), strings.Repeat("x", 200), "\xff\xfe", "no\nline", "-", "missing",
	} {
		path := filepath.Join(root, name)
		if name != "missing" {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Log(err) // not every file system has every name; the key exists all the same
			}
		}
		key := client.ProjectKey(path)
		if seen[key] != "" {
			t.Errorf("%q and %q have the key %q", name, seen[key], key)
		}
		seen[key] = name
		if len(key) > 48+9 || !utf8.ValidString(key) || strings.ContainsAny(key, "*> \n/") {
			t.Errorf("the key of %q is %q", name, key)
		}
		if repeated := client.ProjectKey(path); repeated != key {
			t.Errorf("the key of %q is %q and then %q", name, key, repeated)
		}
	}
	if key := client.ProjectKey("/"); key == "" || strings.Contains(key, "/") {
		t.Errorf("the key of / is %q", key)
	}
}

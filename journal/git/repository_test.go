package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"https://github.com/Acme/Web.git":         "github.com/Acme/Web",
		"https://alice:ghp_secret@GitHub.com/a/b": "github.com/a/b",
		"git@github.com:a/b.git":                  "github.com/a/b",
		"ssh://git@github.com:22/a/b.git/":        "github.com/a/b",
		"git@[::1]:a":                             "",
		"gitlab.acme.org:group/sub/x":             "gitlab.acme.org/group/sub/x",
		"/srv/git/x.git":                          "",
		"../x":                                    "",
		`C:\work\x`:                               "",
		"file:///srv/x":                           "",
		"":                                        "",
		"https://github.com":                      "",
	} {
		if got := normalise(remote); got != want {
			t.Errorf("normalise(%q) = %q, want %q", remote, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	one, two := []string{"a"}, []string{"a", "b"}
	for name, c := range map[string]struct {
		a, b Identity
		want bool
	}{
		"both":               {Identity{Commits: one, Remote: "h/x"}, Identity{Commits: one, Remote: "h/x"}, true},
		"a fork":             {Identity{Commits: one, Remote: "h/x"}, Identity{Commits: one, Remote: "h/y"}, true},
		"no address":         {Identity{Commits: one}, Identity{Commits: one}, true},
		"begun anew":         {Identity{Commits: one, Remote: "h/x"}, Identity{Commits: two, Remote: "h/x"}, true},
		"a shallow clone":    {Identity{Remote: "h/x"}, Identity{Commits: one, Remote: "h/x"}, true},
		"neither":            {Identity{Commits: two, Remote: "h/y"}, Identity{Commits: one, Remote: "h/x"}, false},
		"shallow, other":     {Identity{Remote: "h/y"}, Identity{Commits: one, Remote: "h/x"}, false},
		"nothing known":      {Identity{}, Identity{}, false},
		"a name":             {Identity{Name: "n"}, Identity{Name: "n"}, true},
		"two names":          {Identity{Name: "n", Remote: "h/x"}, Identity{Name: "m", Remote: "h/x"}, false},
		"a name and none":    {Identity{Name: "n"}, Identity{Commits: one, Remote: "h/x"}, false},
		"a fork by its name": {Identity{Name: "n", Commits: one}, Identity{Commits: one, Remote: "h/x"}, false},
	} {
		if got, turned := c.a.Same(c.b), c.b.Same(c.a); got != c.want || turned != c.want {
			t.Errorf("%s: %t, and %t the other way, want %t", name, got, turned, c.want)
		}
	}
}

// runner returns a function that runs git in a directory, without the settings of the person.
func runner(t *testing.T) (run func(dir string, args ...string)) {
	return func(dir string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v, %s", args, err, out)
		}
	}
}

// TestNothingIsFetched: git does not ask the remote for what a partial clone lacks.
func TestNothingIsFetched(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root, run := t.TempDir(), runner(t)
	whole, partial := filepath.Join(root, "whole"), filepath.Join(root, "partial")
	run(root, "init", "-q", whole)
	if err := os.WriteFile(filepath.Join(whole, "f"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(whole, "config", "uploadpack.allowFilter", "true")
	run(whole, "add", "f")
	run(whole, "commit", "-q", "-m", "f")
	run(root, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+whole, partial)
	if out, err := Output(t.Context(), partial, 100, "cat-file", "-p", "HEAD:f"); err == nil {
		t.Errorf("it has fetched %q", out)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root, run := t.TempDir(), runner(t)
	look := func(name string) Identity {
		t.Helper()
		id, err := Identify(t.Context(), filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if err := os.Mkdir(filepath.Join(root, "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	if id := look("web"); id.Same(Identity{}) || id.Remote != "" || len(id.Commits) != 0 {
		t.Errorf("a directory without a repository is %+v", id)
	}
	web := filepath.Join(root, "web")
	run(web, "init", "-q")
	run(web, "remote", "add", "origin", "git@acme.org:web.git")
	if id := look("web"); id.Remote != "acme.org/web" || len(id.Commits) != 0 {
		t.Errorf("without a commit it is %+v", id)
	}
	run(web, "commit", "-q", "--allow-empty", "-m", "begin")
	run(web, "commit", "-q", "--allow-empty", "-m", "go on")
	run(root, "clone", "-q", "file://"+web, "clone")
	run(root, "clone", "-q", "--depth", "1", "file://"+web, "shallow")
	run(filepath.Join(root, "clone"), "remote", "set-url", "origin", "https://acme.org/web")
	run(filepath.Join(root, "shallow"), "remote", "set-url", "origin", "https://acme.org/web")
	id, clone, shallow := look("web"), look("clone"), look("shallow")
	if len(id.Commits) != 1 || !slices.Equal(id.Commits, clone.Commits) || !id.Same(clone) {
		t.Errorf("%+v and its clone %+v", id, clone)
	}
	if len(shallow.Commits) != 0 || !id.Same(shallow) {
		t.Errorf("%+v and its shallow clone %+v", id, shallow)
	}
}

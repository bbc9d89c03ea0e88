package compile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/journal/worker/compile"
)

// repo is a repository of a test. Its commits are a minute apart.
type repo struct {
	t     *testing.T
	dir   string
	clock time.Time
	puts  int
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	r := &repo{t: t, dir: t.TempDir(), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	r.git("init", "-q", "-b", "main", ".")
	return r
}

func (r *repo) git(args ...string) {
	r.t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=a@b.example", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"}, args...)...)
	c.Dir = r.dir
	date := fmt.Sprintf("%d +0000", r.clock.Unix())
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	if out, err := c.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// put writes files that are other than they were.
func (r *repo) put(files ...string) {
	r.t.Helper()
	r.puts++
	for _, f := range files {
		name := filepath.Join(r.dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "%s %d\n", f, r.puts), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

// commit puts files and commits everything there is.
func (r *repo) commit(files ...string) {
	r.t.Helper()
	r.clock = r.clock.Add(time.Minute)
	r.put(files...)
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "x")
}

func (r *repo) plan(o compile.Options) compile.Plan {
	r.t.Helper()
	p, err := compile.Make(r.t.Context(), r.dir, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// want compares targets, each as "path mode language: reasons".
func (r *repo) want(o compile.Options, want ...string) compile.Plan {
	r.t.Helper()
	p := r.plan(o)
	got := []string{}
	for _, t := range p.Targets {
		got = append(got, fmt.Sprintf("%s %s %s: %s", t.Path, t.Mode, t.Language, strings.Join(t.Reasons, " ")))
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		r.t.Errorf("targets (-want +got):\n%s", diff)
	}
	return p
}

// TestS2_1Targets: uncommitted, outdated and without source, each reason kept, whole
// paths.
func TestS2_1Targets(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("src/fresh/CLAUDE.md", "src/fresh/a.go", "src/old/CLAUDE.md", "src/old/a.go", "src/edited/CLAUDE.md", "src/edited/a.go")
	r.commit("src/fresh/CLAUDE.md", "src/old/CLAUDE.md")
	r.commit("src/fresh/a.go", "src/a-b/CLAUDE.md", "src/a/b/CLAUDE.md", "src/a/b/IMPLEMENTS.md", "docs/x.md")
	r.put("src/edited/CLAUDE.md", "src/a-b/CLAUDE.md", "src/old/a.go")
	p := r.want(compile.Options{},
		"src/a-b create Go: uncommitted no_source",
		"src/a/b create : no_source",
		"src/edited update Go: uncommitted",
		"src/old update Go: outdated",
	)
	if want := (compile.Summary{Total: 5, Uncommitted: 2, Outdated: 1, UpToDate: 1, NoSource: 2}); p.Summary != want {
		t.Errorf("summary %+v, want %+v", p.Summary, want)
	}
	if o := p.Outdated[0]; o.Reason != "spec_newer" || o.SpecTime != "2026-03-01T09:02:00Z" || o.SourceTime != "2026-03-01T09:01:00Z" || o.SpecCommit == o.SourceCommit {
		t.Errorf("outdated: %+v", o)
	}
	if u := p.UpToDate[0]; u.Path != "src/fresh" || u.Reason != "source_newer" {
		t.Errorf("up to date: %+v", u)
	}
	r.want(compile.Options{All: true, Below: "src/fresh"}, "src/fresh update Go: all")
}

// Ancestry decides, whatever the times of the commits are.
func TestClocksThatWentBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("a/CLAUDE.md", "a/a.go", "b/CLAUDE.md", "b/b.go")
	r.clock = r.clock.Add(-time.Hour)
	r.commit("a/CLAUDE.md")
	r.clock = r.clock.Add(-time.Hour)
	r.commit("b/CLAUDE.md")
	r.clock = r.clock.Add(-time.Hour)
	r.commit("b/b.go")
	r.want(compile.Options{}, "a update Go: outdated")
}

// On two branches that were merged neither change comes after the other: the times
// decide. Where one side has both, its order counts, whatever the other did before.
func TestBranches(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("old/CLAUDE.md", "old/a.go", "new/CLAUDE.md", "new/a.go", "both/CLAUDE.md", "both/a.go")
	r.git("checkout", "-q", "-b", "side")
	r.commit("old/a.go", "both/a.go")
	r.git("checkout", "-q", "main")
	r.commit("old/CLAUDE.md", "new/CLAUDE.md", "both/CLAUDE.md")
	r.commit("both/a.go")
	r.git("checkout", "-q", "side")
	r.clock = r.clock.Add(time.Hour)
	r.commit("new/a.go")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "-X", "ours", "--no-edit", "side")
	r.want(compile.Options{}, "old update Go: outdated")
	r.commit("README.md")
	r.want(compile.Options{}, "old update Go: outdated")
	// What is written when branches are merged is a change as well.
	r.git("checkout", "-q", "-b", "third")
	r.commit("other.txt")
	r.git("checkout", "-q", "main")
	r.clock = r.clock.Add(-24 * time.Hour)
	r.git("merge", "-q", "--no-ff", "--no-commit", "third")
	r.commit("old/a.go")
	r.want(compile.Options{})
}

// Everything that a repository can be besides an ordinary one has a clear answer.
func TestUnusualRepositories(t *testing.T) {
	t.Parallel()
	noted := func(t *testing.T, p compile.Plan, want string) {
		t.Helper()
		if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("notes %q do not say %q", p.Notes, want)
		}
	}
	t.Run("no commit yet", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.put("a/CLAUDE.md", "a/a.py", "b/CLAUDE.md")
		noted(t, r.want(compile.Options{}, "a update Python: uncommitted", "b create Python: uncommitted no_source"), "no commit yet")
	})
	t.Run("no repository", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.put("a/CLAUDE.md", "a/a.py", "b/CLAUDE.md", "node_modules/x/CLAUDE.md")
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		noted(t, r.want(compile.Options{}, "a update Python: all", "b create Python: no_source"), "not a git repository")
	})
	t.Run("renamed", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("a/CLAUDE.md", "a/a.go", "c/CLAUDE.md", "c/c.go")
		r.git("mv", "a", "b c")
		r.want(compile.Options{}, "b c update Go: uncommitted")
		r.commit()
		r.git("mv", "c/c.go", "c/d.go")
		r.commit()
		r.want(compile.Options{})
	})
	t.Run("untracked since the last commit", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("a/CLAUDE.md", "a/a.go")
		r.commit("a/CLAUDE.md")
		r.git("rm", "-q", "--cached", "a/a.go")
		r.want(compile.Options{}, "a update Go: outdated")
	})
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("a/CLAUDE.md", "a/a.go", "b/CLAUDE.md", "b/b.go")
		for _, f := range []string{"a/CLAUDE.md", "b/b.go"} {
			if err := os.Remove(filepath.Join(r.dir, f)); err != nil {
				t.Fatal(err)
			}
		}
		r.want(compile.Options{}, "b create : no_source")
	})
	t.Run("submodule", func(t *testing.T) {
		t.Parallel()
		inner := newRepo(t)
		inner.commit("CLAUDE.md", "x.go")
		r := newRepo(t)
		r.git("submodule", "--quiet", "add", inner.dir, "lib")
		r.commit("a/CLAUDE.md")
		noted(t, r.want(compile.Options{}, "a create : no_source"), "lib is a submodule")
	})
	t.Run("worktree", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("a/CLAUDE.md", "a/a.go")
		tree := *r
		tree.dir = filepath.Join(t.TempDir(), "tree")
		r.git("worktree", "add", "-q", "-b", "other", tree.dir)
		tree.commit("a/CLAUDE.md")
		tree.want(compile.Options{}, "a update Go: outdated")
		r.want(compile.Options{})
	})
	t.Run("below the top", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("p/a/CLAUDE.md", "p/a/a.go", "CLAUDE.md", "p/한글 b/CLAUDE.md")
		r.commit("p/a/CLAUDE.md")
		r.put("p/b/CLAUDE.md")
		below := *r
		below.dir = filepath.Join(r.dir, "p")
		below.want(compile.Options{}, "a update Go: outdated", "b create Go: uncommitted no_source", "한글 b create Go: no_source")
	})
	t.Run("shallow", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.commit("a/CLAUDE.md", "a/a.go")
		r.commit("a/CLAUDE.md")
		clone := *r
		clone.dir = filepath.Join(t.TempDir(), "clone")
		r.git("clone", "-q", "--depth", "1", "file://"+r.dir, clone.dir)
		noted(t, clone.want(compile.Options{}), "shallow")
	})
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t)
		r.git("clone", "-q", "--bare", ".", "x.git")
		if _, err := compile.Make(t.Context(), filepath.Join(r.dir, "x.git"), compile.Options{}); err == nil {
			t.Error("a plan of a bare repository")
		}
	})
}

// The environment of a git hook leads git to another repository.
func TestInAHookOfGit(t *testing.T) {
	r := newRepo(t)
	r.commit("a/CLAUDE.md", "a/a.go")
	t.Setenv("GIT_DIR", filepath.Join(r.dir, "elsewhere"))
	if p, err := compile.Make(t.Context(), r.dir, compile.Options{}); err != nil || p.Summary.Total != 1 {
		t.Errorf("%+v, %v", p.Summary, err)
	}
}

// A git that is killed while it checks for commits is an error.
func TestGitIsKilled(t *testing.T) {
	r := newRepo(t)
	r.commit("a/CLAUDE.md", "a/a.go")
	real, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no git, or none that a script can stand for")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in *--verify*) kill -9 $$;; esac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if p, err := compile.Make(t.Context(), r.dir, compile.Options{}); err == nil {
		t.Errorf("the plan is %+v, %q", p.Targets, p.Notes)
	}
}

// TestS2_3Language: own files, then those above, then those beside, then a question.
func TestS2_3Language(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.put("own/CLAUDE.md", "own/a.rs", "own/b.rs", "own/c.py", "own/deep/er.rs",
		"above/CLAUDE.md", "above/a.ts", "above/x/y/CLAUDE.md",
		"mixed/CLAUDE.md", "mixed/a.go", "mixed/b.py",
		"beside/a/CLAUDE.md", "beside/a/a.kt", "beside/b/CLAUDE.md", "beside/b/b.kt", "beside/c/CLAUDE.md", "beside/c/README.md",
		"none/deep/CLAUDE.md")
	languages := map[string]string{}
	for _, target := range r.plan(compile.Options{}).Targets {
		languages[target.Path] = target.Language
	}
	want := map[string]string{
		"own": "Rust", "above": "TypeScript", "above/x/y": "TypeScript", "mixed": "",
		"beside/a": "Kotlin", "beside/b": "Kotlin", "beside/c": "Kotlin", "none/deep": "",
	}
	if diff := cmp.Diff(want, languages); diff != "" {
		t.Error(diff)
	}
}

// TestS2_2Implements: what is missing is listed, and written only when asked for; a
// file that is there stays.
func TestS2_2Implements(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.put("a/CLAUDE.md", "b/CLAUDE.md", "b/IMPLEMENTS.md", "c/CLAUDE.md")
	p := r.plan(compile.Options{})
	if !slices.Equal(p.MissingImplements, []string{"a", "c"}) {
		t.Fatalf("missing: %q", p.MissingImplements)
	}
	r.put("c/IMPLEMENTS.md") // meanwhile
	written, err := p.WriteImplements(r.dir)
	if err != nil || !slices.Equal(written, []string{"a/IMPLEMENTS.md"}) {
		t.Errorf("written %q, %v", written, err)
	}
	if b, _ := os.ReadFile(filepath.Join(r.dir, "c", "IMPLEMENTS.md")); !strings.HasPrefix(string(b), "c/IMPLEMENTS.md") {
		t.Errorf("c/IMPLEMENTS.md is %q", b)
	}
	if p = r.plan(compile.Options{}); len(p.MissingImplements) != 0 {
		t.Errorf("still missing: %q", p.MissingImplements)
	}
	// Compilers write into it: that alone is no reason to compile.
	r.commit("a/a.go", "b/b.go", "c/c.go")
	r.commit("a/IMPLEMENTS.md")
	r.put("b/IMPLEMENTS.md")
	r.want(compile.Options{})
}

// BenchmarkMake plans 200 directories with 400 commits.
func BenchmarkMake(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("no git")
	}
	dir := b.TempDir()
	script := `git init -q -b main . && for i in $(seq 200); do mkdir -p src/m$i && echo $i > src/m$i/CLAUDE.md && echo $i > src/m$i/a.go; done &&
git add -A && git commit -qm all && for i in $(seq 200); do echo $i >> src/m$i/CLAUDE.md; git commit -qam $i; [ $((i % 2)) = 0 ] || { echo $i >> src/m$i/a.go; git commit -qam $i; }; done`
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=a@b.example", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=a@b.example")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		p, err := compile.Make(b.Context(), dir, compile.Options{})
		if err != nil || len(p.Targets) != 100 {
			b.Fatalf("%d targets, %v", len(p.Targets), err)
		}
	}
}

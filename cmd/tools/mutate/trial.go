package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fate is what became of a mutation.
type fate int

const (
	survived  fate = iota
	byOwn          // the tests of its package failed
	byUsers        // those said nothing, and tests of packages that use it failed
	byScripts      // neither said anything, and a script failed
	broken         // it does not compile
	same           // the compiler makes the same code of it
)

func (f fate) String() string {
	return [...]string{"survived", "noticed", "noticed by users", "noticed by a script", "does not compile", "is the same code"}[f]
}

// trial is where the mutations of a package are tried.
type trial struct {
	pkg     pkg
	dir     string
	content string        // the compiler's result of the source as it is
	slow    string        // the package's tests that take long, as an expression; none when empty
	own     time.Duration // that the package's own tests take
	suite   time.Duration // that others may take
}

// quick is how long a test takes at most that runs before those that take longer: most
// changes are noticed by it.
const quick = 300 * time.Millisecond

// margin is added to four times what tests take before a mutation counts as one that
// does not end, which is noticed.
const margin = 30 * time.Second

// newTrial runs the package's own tests without a change: they have to pass.
func newTrial(ctx context.Context, p pkg) (*trial, error) {
	// Sockets lie in it, and their paths are short.
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		return nil, err
	}
	t := &trial{pkg: p, dir: dir, suite: 10 * time.Minute}
	if t.content, err = t.compile(ctx, dir, ""); err == nil {
		began := time.Now()
		if out, passed := t.ownTests(ctx, dir, "", 10*time.Minute); !passed {
			err = fmt.Errorf("the tests of %s fail without a change:\n%s", p.ImportPath, out)
		} else {
			t.slow = slowOf(out)
		}
		t.own = time.Since(began)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *trial) close() { _ = os.RemoveAll(t.dir) }

// of tries one mutation; names are those of the scripts that may run on it.
func (t *trial) of(ctx context.Context, m mutation, names string) (fate, error) {
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		return survived, err
	}
	defer os.RemoveAll(dir)
	defer endLeft(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	doc, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, m.source, 0o600), os.WriteFile(overlay, doc, 0o600))
	}
	if err != nil {
		return survived, err
	}
	content, err := t.compile(ctx, dir, overlay)
	switch {
	case ctx.Err() != nil:
		return survived, ctx.Err()
	case err != nil:
		return broken, nil
	case content == t.content:
		return same, nil
	}
	if _, passed := t.ownTests(ctx, dir, overlay, 4*t.own+margin); !passed {
		return byOwn, ctx.Err()
	}
	for _, user := range t.pkg.users {
		if _, passed := t.test(ctx, dir, overlay, t.suite, user); !passed {
			return byUsers, ctx.Err()
		}
	}
	if names != "" {
		if _, passed := t.test(ctx, dir, overlay, t.suite, scripts(names)...); !passed {
			return byScripts, ctx.Err()
		}
	}
	return survived, ctx.Err()
}

// compile compiles the package and gives the digest of the result. Positions are part of
// it as lines, so that a change within a line shows only where the code changes.
func (t *trial) compile(ctx context.Context, dir, overlay string) (content string, err error) {
	out, err := t.command(ctx, dir, overlay, "go", "list", "-export", "-f", "{{.BuildID}}", t.pkg.ImportPath).Output()
	if err != nil {
		return "", fmt.Errorf("go list -export %s: %w", t.pkg.ImportPath, err)
	}
	_, content, _ = strings.Cut(strings.TrimSpace(string(out)), "/")
	return content, nil
}

// ownTests links the package's own tests once and runs them until one fails: the quick
// ones first.
func (t *trial) ownTests(ctx context.Context, dir, overlay string, limit time.Duration) (out []byte, passed bool) {
	binary := filepath.Join(dir, "own.test")
	if out, err := t.command(ctx, dir, overlay, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, t.pkg.ImportPath).CombinedOutput(); err != nil {
		return out, false
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, true // it has none
	}
	stages := [][]string{nil}
	if t.slow != "" {
		stages = [][]string{{"-test.skip", t.slow}, {"-test.run", t.slow}}
	}
	for _, stage := range stages {
		flags := append([]string{"-test.v", "-test.failfast", "-test.parallel", parallel, "-test.timeout", limit.String()}, stage...)
		c := t.command(ctx, dir, overlay, binary, flags...)
		c.Dir = t.pkg.Dir
		stage, err := c.CombinedOutput()
		if out = append(out, stage...); err != nil {
			return out, false
		}
	}
	return out, true
}

// slowOf gives the tests that are not quick, out of what they printed, as an expression.
func slowOf(out []byte) string {
	var slow []string
	for _, passed := range regexp.MustCompile(`(?m)^--- PASS: (\w+) \((.*)\)$`).FindAllSubmatch(out, -1) {
		if took, err := time.ParseDuration(string(passed[2])); err == nil && took > quick {
			slow = append(slow, string(passed[1]))
		}
	}
	if slow == nil {
		return ""
	}
	return "^(" + strings.Join(slow, "|") + ")$"
}

// parallel is how many tests of one package run beside each other: they wait for
// processes and disks far more than they count.
const parallel = "8"

// test runs tests until the first fails.
func (t *trial) test(ctx context.Context, dir, overlay string, limit time.Duration, args ...string) (out []byte, passed bool) {
	var b bytes.Buffer
	line := append([]string{"test", "-count=1", "-p=1", "-parallel=" + parallel, "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", limit.String()}, args...)
	c := t.command(ctx, dir, overlay, "go", line...)
	c.Stdout, c.Stderr = &b, &b
	err := c.Run()
	return b.Bytes(), err == nil
}

// command makes a call in which the overlay holds for the go command, also for every call
// of it that tests make in their turn.
func (t *trial) command(ctx context.Context, dir, overlay, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = t.pkg.Module.Dir
	c.Env = append(os.Environ(), "TMPDIR="+dir, markOf(dir))
	if overlay != "" {
		c.Env = append(c.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	c.WaitDelay = margin
	return c
}

// markOf marks what runs for a mutation.
func markOf(dir string) string { return "JOURNAL_MUTATION=" + dir }

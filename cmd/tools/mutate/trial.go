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

// fate is the outcome of a mutation.
type fate int

const (
	survived  fate = iota
	byOwn          // tests of its package failed
	byUsers        // those passed, and tests of packages that use it failed
	byScripts      // both passed, and a script failed
	broken         // it does not compile
	same           // the compiler produces the same code
)

// String describes the outcome.
func (f fate) String() string {
	return [...]string{"survived", "noticed", "noticed by users", "noticed by a script", "does not compile", "is the same code"}[f]
}

// trial tries the mutations of a package.
type trial struct {
	pkg     pkg
	dir     string        // for temporary files
	content string        // digest of the code without a mutation
	slow    string        // a regular expression of the package's tests that are not quick; empty for none
	own     time.Duration // that the package's own tests take
	suite   time.Duration // bound of the time of other tests
}

// quick bounds the duration of each test that runs first; the slower ones follow. Quick tests notice most mutations.
const quick = 300 * time.Millisecond

// margin is added to four times the time that the package's own tests take. A mutation with which they take longer counts as
// noticed.
const margin = 30 * time.Second

// newTrial runs the package's own tests without a change: they have to pass.
func newTrial(ctx context.Context, p pkg) (*trial, error) {
	// The tests make sockets in it, whose paths must be short.
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

// close removes the trial's files.
func (t *trial) close() { _ = os.RemoveAll(t.dir) }

// outcome tries a mutation. names is the regular expression of the scripts to run, or empty.
func (t *trial) outcome(ctx context.Context, m mutation, names string) (fate, error) {
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		return survived, err
	}
	defer os.RemoveAll(dir)
	defer killLeftover(dir)
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

// compile compiles the package and returns a digest of the code. The code has line numbers but no columns, so the digest of a
// mutation within a line only differs if the code does.
func (t *trial) compile(ctx context.Context, dir, overlay string) (content string, err error) {
	out, err := t.command(ctx, dir, overlay, "go", "list", "-export", "-f", "{{.BuildID}}", t.pkg.ImportPath).Output()
	if err != nil {
		return "", fmt.Errorf("go list -export %s: %w", t.pkg.ImportPath, err)
	}
	_, content, _ = strings.Cut(strings.TrimSpace(string(out)), "/")
	return content, nil
}

// ownTests runs the package's own tests until one fails, the quick ones first.
func (t *trial) ownTests(ctx context.Context, dir, overlay string, limit time.Duration) (out []byte, passed bool) {
	binary := filepath.Join(dir, "own.test")
	if out, err := t.command(ctx, dir, overlay, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, t.pkg.ImportPath).CombinedOutput(); err != nil {
		return out, false
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, true // the package has no tests
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

// slowOf returns a regular expression of the tests that are not quick, by the output of the tests.
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

// parallel is the number of tests of one package that run at once: they wait for
// processes and disks far more than they compute.
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

// command returns a command with an environment in which every go command, also those that tests run, uses the overlay.
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

// markOf returns the environment variable that marks the processes of a mutation.
func markOf(dir string) string { return "JOURNAL_MUTATION=" + dir }

package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// document writes the files for every archive into dir, which becomes r.docs.
func (r *release) document(dir string) error {
	r.docs = dir
	if err := r.goTool(nil, "run", "-tags", "docs", "-ldflags", r.ldflags(), "./cmd/journal", "docs", dir); err != nil {
		return err
	}
	for _, name := range []string{"README.md", "LICENSE"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ldflags returns the flags for the linker.
func (r *release) ldflags() string { return "-s -w -X main.release=" + r.version }

// build builds the programs for a system into a directory, and adds the modules that they link to r.modules. The programs get the
// time of the release (frame.built), by which a newer one replaces an owner of an older one.
func (r *release) build(system, dir string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", fmt.Sprint(r.ldflags(), " -X journal/journal/wire/frame.built=", r.at.Unix()),
		"-o", dir + string(filepath.Separator)}
	programs := []string{"./cmd/journal", "./cmd/journal-hook"}
	if goos == "windows" { // it has no exec, which journal-hook needs: hooks call journal
		programs = programs[:1]
	}
	if err := r.goTool(env, append(args, programs...)...); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := buildinfo.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		for _, m := range info.Deps {
			r.modules[m.Path] = m.Version
		}
		r.modules["std"] = info.GoVersion
	}
	return nil
}

// goTool runs the go command.
func (r *release) goTool(env []string, args ...string) error {
	c := exec.Command("go", args...)
	c.Env = append(append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10)), env...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

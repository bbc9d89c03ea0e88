// Command dist makes the archives of a release: the two programs, their man pages and
// completions for each system, and the checksums of all of it. The same source gives the
// same bytes.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// systems are what a release is built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	version := flag.String("version", "", "of the release, as journal version prints it")
	out := flag.String("out", "dist", "directory of the archives")
	only := flag.String("only", "", "one system, as OS/ARCH")
	flag.Parse()
	if err := run(*version, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(version, out, only string) error {
	if version == "" {
		return fmt.Errorf("no -version")
	}
	at, err := epoch()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "journal-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	shared := filepath.Join(work, "shared")
	ldflags := "-s -w -X main.release=" + version
	if err := tool(at, nil, "run", "-tags", "docs", "-ldflags", ldflags, "./cmd/journal", "docs", shared); err != nil {
		return err
	}
	for _, name := range []string{"README.md", "LICENSE"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(shared, name), b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	var sums strings.Builder
	for _, system := range systems {
		if only != "" && system != only {
			continue
		}
		goos, goarch, _ := strings.Cut(system, "/")
		built := filepath.Join(work, goos+"-"+goarch) + string(filepath.Separator)
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
		build := func(to string, programs ...string) error {
			args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", fmt.Sprint(ldflags, " -X journal/journal/wire/frame.built=", at.Unix()), "-o", to}
			return tool(at, env, append(args, programs...)...)
		}
		small, programs := built, []string{"./cmd/journal-hook", "./cmd/journal-hook-alone"}
		if goos == "windows" { // there it is journal-hook itself
			small, programs = built+"journal-hook.exe", programs[1:]
		}
		if err := errors.Join(build(built, "./cmd/journal"), build(small, programs...)); err != nil {
			return err
		}
		b, name, err := archive(fmt.Sprintf("journal-%s-%s-%s", version, goos, goarch), goos == "windows", at, built, shared)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), name)
		fmt.Printf("%s  %.1f MiB\n", filepath.Join(out, name), float64(len(b))/(1<<20))
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// epoch is the time that every file of an archive has: SOURCE_DATE_EPOCH, else that of the
// commit.
func epoch() (time.Time, error) {
	s := os.Getenv("SOURCE_DATE_EPOCH")
	if s == "" {
		b, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not set, and this is no checkout: %w", err)
		}
		s = strings.TrimSpace(string(b))
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(n, 0).UTC(), nil
}

// tool runs the go command.
func tool(at time.Time, env []string, args ...string) error {
	c := exec.Command("go", args...)
	c.Env = append(append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(at.Unix(), 10)), env...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

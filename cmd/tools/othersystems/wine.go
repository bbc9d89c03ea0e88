package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// random is the source of a library with the one function that Wine 8 lacks and every Go program needs.
//
//go:embed wine/random.c
var random []byte

// differs has lines "TEST: REASON" for the tests that cannot pass under Wine.
//
//go:embed wine/differs.txt
var differs string

// wine runs the tests for Windows in a Wine prefix of its own.
func wine(args []string) error {
	const compiler = "x86_64-w64-mingw32-gcc"
	for _, name := range []string{"wine", "wineboot", compiler} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is not installed (Debian: wine, gcc-mingw-w64-x86-64): %w", name, err)
		}
	}
	dir, err := os.MkdirTemp("", "journal-wine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{"WINEPREFIX": dir, "WINEDEBUG": "-all"} {
		os.Setenv(name, value)
	}
	source := filepath.Join(dir, "random.c")
	if err := os.WriteFile(source, random, 0o600); err != nil {
		return err
	}
	library := filepath.Join(dir, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	for _, line := range [][]string{{"wineboot", "--init"}, {compiler, "-shared", "-o", library, source, "-ladvapi32"}} {
		if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line[0], err, out)
		}
	}
	overlay, err := removalOverlay(dir)
	if err != nil {
		return err
	}
	known, names := map[string]string{}, []string{}
	for line := range strings.Lines(differs) {
		name, why, _ := strings.Cut(strings.TrimSpace(line), ": ")
		known[name], names = why, append(names, name)
	}
	// Processes that Wine leaves running keep the output open, so it goes into a file.
	run := filepath.Join(dir, "run.sh")
	if err := os.WriteFile(run, []byte("wine \"$@\" > \"$1.out\" 2>&1\ncode=$?\ncat \"$1.out\"\nexit $code\n"), 0o600); err != nil {
		return err
	}
	flags := []string{"-overlay", overlay, "-exec", "sh " + run, "-skip", "^(" + strings.Join(names, "|") + ")$"}
	return test("windows/amd64", append(flags, args...), known)
}

// removalOverlay returns the file of an overlay for the go command that makes Go remove directories as on a Windows before 10.
// Wine 8 answers the newer system call with an error that Go does not recognise as "not supported".
func removalOverlay(dir string) (overlay string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	b, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	const unknown = "case STATUS_INVALID_INFO_CLASS,"
	const notImplemented = " NTStatus(0xC0000002)," // the error of Wine
	changed := strings.Replace(string(b), unknown, unknown+notImplemented, 1)
	if changed == string(b) {
		return "", fmt.Errorf("%s: this Go removes files in another way: no %q", source, unknown)
	}
	replacement, overlay := filepath.Join(dir, "at_windows.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: replacement}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(replacement, []byte(changed), 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, list, 0o600)
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// A hook whose native program cannot be started ends with 0, as one without the program does.
func TestLaunchFails(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the launchers need node, and a file that must not be executed")
	}
	dir := t.TempDir()
	platform := "own-" + runtime.GOOS + "-" + npmName(runtime.GOARCH)
	put := func(name string, body []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	launcher, _ := npmFiles.ReadFile("npm/launch.js")
	native, _ := npmFiles.ReadFile("npm/native.js")
	put("own/native.js", native)
	put("own/package.json", []byte(`{"name":"own","version":"1.0.0"}`))
	put(platform+"/package.json", []byte(`{}`))
	for name, want := range map[string]int{"journal": 1, "journal-hook": 0} {
		put("own/bin/"+name, launcher)
		put(platform+"/bin/"+name, nil)
		c := exec.Command("node", filepath.Join(dir, "own", "bin", name))
		if out, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != want {
			t.Errorf("%s ends with %v, want %d: %s", name, c.ProcessState, want, out)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"journal/cmd/journal/cli"
	"journal/journal/agents/install"
)

// pluginDir holds the plugin of the agent that takes plugins from repositories.
const pluginDir = "../../.claude-plugin/journal"

// pluginSince is the first version of the agent that the plugin is made for: it ignores
// names of events that it does not know, so that one list is right for all from there on.
const pluginSince = "2.1.101"

// pluginMissing is what a session says at its start when the programs are not there.
const pluginMissing = "journal is a plugin here, and its programs are not on this machine: nothing of this session is recorded. " +
	"Install them by a package of a release (npm, apt, dnf, brew, scoop) or by `make install` in a checkout of journal, or disable the plugin."

// pluginHooks is the file of hooks of the plugin.
type pluginHooks struct {
	Description string                   `json:"description"`
	Hooks       map[string][]pluginGroup `json:"hooks"`
}

type pluginGroup struct {
	Hooks []pluginHook `json:"hooks"`
}

type pluginHook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// installedForPlugin is what journal install would write for the person: settings, and the
// skill, which calls the program by its name because the plugin puts that on PATH.
func installedForPlugin(t *testing.T) (hooks pluginHooks, skill string) {
	t.Helper()
	plans, err := install.Installation(t.Context(), install.Options{
		Agent: claude[0], Scope: install.Project, Dir: t.TempDir(), Home: t.TempDir(), Bin: "journal", NoStatusLine: true,
		ClientVersion: pluginSince, Verbs: cli.AgentVerbs(cli.NewApp().Commands()), Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plans[0].After, &hooks); err != nil {
		t.Fatal(err)
	}
	skill, _, _ = strings.Cut(string(plans[1].After), "<!-- written by journal install")
	return hooks, skill
}

// The plugin says what journal install does: the same events, time limits and skill. Only
// the program is looked for.
func TestPluginSaysTheSame(t *testing.T) {
	t.Parallel()
	hooks, skill := installedForPlugin(t)
	hooks.Description = "Records what the session does, and gives back after a compaction what it took"
	for _, groups := range hooks.Hooks {
		h := &groups[0].Hooks[0]
		// What the client tells with an answer is a short call.
		if h.Command == "journal hook "+claude[0]+"||:" {
			h.Command = `"${CLAUDE_PLUGIN_ROOT}/bin/journal"` + strings.TrimPrefix(h.Command, "journal")
			continue
		}
		_, otherwise, ok := strings.Cut(h.Command, " hook "+claude[0]+";")
		if !ok {
			t.Fatalf("installed: %s", h.Command)
		}
		if otherwise == ":" {
			otherwise = "true"
		} else {
			said, _ := json.Marshal(map[string]string{"systemMessage": pluginMissing})
			otherwise = "printf %s " + install.Quote(string(said))
		}
		// A plugin's folder goes away while sessions run that began before an update,
		// and a shell that cannot read what it is told to ends with 2, which blocks.
		h.Command = `f="${CLAUDE_PLUGIN_ROOT}/find.sh"; [ -r "$f" ] && . "$f" && find_program journal-hook && exec "$program" ` + claude[0] + "; " + otherwise
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(hooks); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"hooks/hooks.json": b.String(), "skills/journal/SKILL.md": skill} {
		path = filepath.Join(pluginDir, filepath.FromSlash(path))
		if *updateScripts {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what journal install writes (-update): %v", path, err)
		}
	}
}

// pluginLines gives the command of each event.
func pluginLines(t testing.TB) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(pluginDir, "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks pluginHooks
	if err := json.Unmarshal(b, &hooks); err != nil || len(hooks.Hooks) == 0 {
		t.Fatal(err, string(b))
	}
	lines := map[string]string{}
	for event, groups := range hooks.Hooks {
		lines[event] = groups[0].Hooks[0].Command
	}
	return lines
}

// pluginShell runs a line as the client does, on a machine that has in its home what is
// given.
func pluginShell(t *testing.T, home, root, line string, env ...string) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell that runs programs by their first line")
	}
	root, err = filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(sh, "-c", line)
	c.Dir, c.Stdin = home, strings.NewReader("payload")
	c.Env = append([]string{"HOME=" + home, "PATH=" + filepath.Join(home, "on path"), "CLAUDE_PLUGIN_ROOT=" + root}, env...)
	out, err := c.Output() // a client reads the other only of a hook that failed
	if err != nil {
		t.Errorf("%s: %v, %s", line, err, out)
	}
	return string(out)
}

// notInstalled skips a test where the machine has the programs in a place of all its users.
func notInstalled(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin"} {
		for _, name := range []string{"journal", "journal-hook"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Skip(name, "is in", dir)
			}
		}
	}
}

// Without the programs no hook fails or says anything, but for the start of a session; the
// same where the plugin is gone (S0.8).
func TestPluginWithoutProgram(t *testing.T) {
	t.Parallel()
	notInstalled(t)
	home := t.TempDir()
	for _, root := range []string{pluginDir, filepath.Join(home, "gone")} {
		for event, line := range pluginLines(t) {
			out := pluginShell(t, home, root, line)
			if event != "SessionStart" {
				if out != "" {
					t.Errorf("%s says %q", event, out)
				}
				continue
			}
			var said map[string]string
			if err := json.Unmarshal([]byte(out), &said); err != nil || len(said) != 1 || said["systemMessage"] != pluginMissing {
				t.Errorf("%s says %q, %v", event, out, err)
			}
		}
	}
}

// The plugin's MCP server is that of the program, and without the program one that has no
// tools and does not fail.
func TestPluginServer(t *testing.T) {
	t.Parallel()
	notInstalled(t)
	if runtime.GOOS == "windows" {
		t.Skip("no shell that runs programs by their first line")
	}
	root, err := filepath.Abs(pluginDir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, ".mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var servers struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(bytes.ReplaceAll(b, []byte("${CLAUDE_PLUGIN_ROOT}"), []byte(root)), &servers); err != nil {
		t.Fatal(err)
	}
	line := servers.MCPServers["journal"]
	w := newWorld(t)
	for bin, has := range map[string]bool{w.bin: true, "/nowhere/journal": false} {
		c := exec.Command(line.Command, line.Args...)
		c.Dir, c.Env = t.TempDir(), append(w.env, "PATH=/nowhere", "JOURNAL_BIN="+bin)
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
		if err != nil {
			t.Errorf("%s: %v", bin, err)
			continue
		}
		if offers := s.InitializeResult().Capabilities.Tools != nil; offers != has {
			t.Errorf("%s: offers tools: %t", bin, offers)
		}
		if err := s.Ping(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", bin, err)
		}
		if _, err := s.ListTools(t.Context(), nil); (err == nil) != has {
			t.Errorf("%s: lists tools: %v", bin, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", bin, err)
		}
	}
}

// The programs are found in all places, in their order, and never in the working directory.
func TestPluginFinds(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	place := func(dir string) {
		t.Helper()
		dir = filepath.Join(home, dir)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"journal", "journal-hook"} {
			text := "#!/bin/sh\nread -r in\necho \"" + dir + " $1 $in\"\n"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	// From the last place to the first: what is found is always the newest.
	place(".")
	for _, dir := range []string{".volta/bin", ".npm-global/bin", "pnpm", "nvm/v20/bin", "go/bin", ".local/bin", "on path", "a dir*"} {
		place(dir)
		env := []string{
			"JOURNAL_BIN=journal", // a bare name, which means PATH
			"NVM_BIN=" + filepath.Join(home, "nvm", "v20", "bin"), "PNPM_HOME=" + filepath.Join(home, "pnpm"),
		}
		if dir == "a dir*" {
			env = []string{"JOURNAL_BIN=" + filepath.Join(home, dir, "journal")}
		}
		for event, line := range pluginLines(t) {
			if got, want := pluginShell(t, home, pluginDir, line, env...), filepath.Join(home, dir)+" claude payload\n"; got != want {
				t.Errorf("%s: %q instead of %q", event, got, want)
			}
		}
	}
	// The plugin's own folder is first on the PATH of the client's shell.
	own, err := filepath.Abs(filepath.Join(pluginDir, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + own + ":" + filepath.Join(home, "on path")
	if got, want := pluginShell(t, home, pluginDir, "journal decide", path), filepath.Join(home, "on path")+" decide payload\n"; got != want {
		t.Errorf("%q instead of %q", got, want)
	}
}

package pi

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/journal/agents/install"
)

// TestPlugin: what the client reports is passed on once, in order, and each answer reaches the model in the next request, or the
// person.
func TestPlugin(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the extension is JavaScript, and there is no node here")
	}
	dir := t.TempDir()
	hook, path := filepath.Join(dir, "hook"), filepath.Join(dir, "journal.mjs")
	script := `#!/bin/sh
call=$(cat)
printf '%s\n' "$call" >>"${0%/*}/calls"
case $call in
*'"hook":"session_start"'*) printf '{"context":"START"}';;
*'"hook":"compacted"'*) printf '{"context":"TEXT"}';;
*'"tool":"bash"'*) printf '{"context":"NOTICE"}';;
*'"hook":"agent_settled"'*) printf '{"person":"promote"}';;
esac
`
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	words, err := json.Marshal([]string{hook, "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(install.Caller+plugin, "{{hook}}", string(words))), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "plugin", "driver.mjs"), path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`"(pid|timestamp)":\d+`).ReplaceAllString(string(out)+string(calls), `"$1":42`)
	agentstest.Golden(t, "plugin/calls.golden", got)
}

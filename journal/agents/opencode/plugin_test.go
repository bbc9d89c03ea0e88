package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/agentstest"
	"journal/journal/agents/install"
)

// plugged writes the plugin with a shell script for a hook, which finds its own directory in that of $0.
func plugged(t *testing.T, script string) (path, dir string) {
	t.Helper()
	dir = t.TempDir()
	hook := filepath.Join(dir, "hook")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	words, err := json.Marshal([]string{hook, "x"})
	if err != nil {
		t.Fatal(err)
	}
	return written(t, dir, string(words)), dir
}

func written(t *testing.T, dir, hook string) string {
	t.Helper()
	path := filepath.Join(dir, "journal.mjs")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(install.Caller+plugin, "{{hook}}", hook)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// driven plays the recorded steps of a day through the plugin and returns what its hooks left in their outputs.
func driven(t *testing.T, path string) (outputs []string) {
	t.Helper()
	return run(t, filepath.Join("testdata", "plugin", "driver.mjs"), path, filepath.Join("testdata", "plugin", "steps.jsonl"))
}

// run returns the lines that a script prints.
func run(t *testing.T, script string, args ...string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the plugin is JavaScript, and there is no node here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
	var errOut bytes.Buffer
	c.Stderr = &errOut
	out, err := c.Output()
	if err != nil || errOut.Len() > 0 {
		t.Fatalf("%v: %s", err, &errOut)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestPlugin: every call of the client is passed on once, in order, with the needed members; the answers reach the
// model and the person.
func TestPlugin(t *testing.T) {
	t.Parallel()
	path, dir := plugged(t, `dir=${0%/*}
call=$(cat)
printf '%s\n' "$call" >> "$dir/calls"
case $call in
*'"hook":"session.created"'*|*'"hook":"session.compacted"'*|*'"hook":"experimental.session.compacting"'*|*'"tool":"write"'*)
	printf '{"context":"TEXT %s"}' "$(wc -l < "$dir/calls" | tr -d ' ')";;
*'"hook":"session.idle"'*) printf '{"person":"promote"}';;
esac
`)
	outputs := driven(t, path)
	b, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`"pid":\d+`).ReplaceAll(b, []byte(`"pid":42`))
	agentstest.Golden(t, "plugin/calls.jsonl", string(calls))
	var systems, tools, contexts []string
	for _, line := range outputs {
		switch {
		case strings.Contains(line, "system.transform"):
			systems = append(systems, line)
		case strings.Contains(line, "tool.execute.after"):
			tools = append(tools, line)
		case strings.Contains(line, "session.compacting"):
			contexts = append(contexts, line)
		}
	}
	if len(systems) != 3 || !strings.Contains(systems[0], `["the client's own","TEXT 1"]`) || strings.Contains(systems[1], "TEXT 1\"") || !strings.Contains(systems[1], "TEXT") {
		t.Errorf("texts in the system prompt: %v", systems)
	}
	if len(tools) != 4 || strings.Contains(tools[0], "TEXT") || !strings.Contains(tools[1], `Wrote file successfully.\n\nTEXT`) {
		t.Errorf("texts behind tools: %v", tools)
	}
	if len(contexts) != 1 || !strings.Contains(contexts[0], "TEXT") {
		t.Errorf("guidance: %v", contexts)
	}
	if all := strings.Join(outputs, "\n"); !strings.Contains(all, `"JOURNAL_SESSION":"ses_e066`) || !strings.Contains(all, `{"shown":["promote"`) {
		t.Errorf("what shells and the person get: %s", all)
	}
}

// TestPluginOfAFork: the failed calls that a fork copies from its parent are not reported again.
func TestPluginOfAFork(t *testing.T) {
	t.Parallel()
	path, dir := plugged(t, `cat >>"${0%/*}/calls"`)
	failed := func(call string, end int) string {
		return fmt.Sprintf(`{"hook":"event","input":{"event":{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"tool","tool":"bash","callID":%q,"state":{"status":"error","error":"no","time":{"start":1,"end":%d}}}}}}}`, call, end)
	}
	steps := filepath.Join(dir, "steps.jsonl")
	rows := `{"hook":"event","input":{"event":{"type":"session.created","properties":{"sessionID":"s","info":{"id":"s","time":{"created":2000}}}}}}` + "\n" + failed("copied", 1000) + "\n" + failed("own", 3000) + "\n"
	if err := os.WriteFile(steps, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, filepath.Join("testdata", "plugin", "driver.mjs"), path, steps)
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil || strings.Contains(string(calls), "copied") || !strings.Contains(string(calls), `"own"`) {
		t.Errorf("%v: %s", err, calls)
	}
}

// TestPluginBreaksNothing: whatever is wrong with the program, no call of the client fails or is changed.
func TestPluginBreaksNothing(t *testing.T) {
	t.Parallel()
	var quiet []string
	{
		path, _ := plugged(t, "exit 0\n")
		quiet = driven(t, path)
	}
	for name, script := range map[string]string{
		"garbage": "echo '{\"context\": '\n", "a failure": "echo no >&2; exit 2\n", "a fault": "kill -SEGV $$\n", "ears closed": "exec 0<&-; exit 0\n",
		"nothing in JSON": "echo null\n",
	} {
		path, _ := plugged(t, script)
		if got := driven(t, path); strings.Join(got, "\n") != strings.Join(quiet, "\n") {
			t.Errorf("%s changes what the client gets:\n%s\nwant\n%s", name, got, quiet)
		}
	}
	if got := driven(t, written(t, t.TempDir(), `["/no/such/program"]`)); strings.Join(got, "\n") != strings.Join(quiet, "\n") {
		t.Errorf("without the program: %s", got)
	}
}

// scripted plays a few calls through the plugin, by a script in which hooks are the plugin's.
func scripted(t *testing.T, path, code string) []string {
	t.Helper()
	script := filepath.Join(filepath.Dir(path), "calls.mjs")
	head := `const { Journal } = await import(process.argv[2])
const hooks = await Journal({ directory: "/p", worktree: "/p", client: {} })
const tool = (metadata) => ({ output: "said", metadata })
const call = { tool: "bash", sessionID: "s", callID: "c", args: {} }
`
	if err := os.WriteFile(script, []byte(head+code), 0o644); err != nil {
		t.Fatal(err)
	}
	return run(t, script, path)
}

// TestPluginTextInPieces: a text arrives whole although its pieces end within characters.
func TestPluginTextInPieces(t *testing.T) {
	t.Parallel()
	path, dir := plugged(t, "cat > /dev/null\ncat \"${0%/*}/answer\"\n")
	want := strings.Repeat("빛", 50_000)
	if err := os.WriteFile(filepath.Join(dir, "answer"), []byte(`{"context":"`+want+`"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	got := scripted(t, path, `const out = tool({})
await hooks["tool.execute.after"](call, out)
console.log(out.output.endsWith("빛") && !out.output.includes("\ufffd"), out.output.length)
`)
	if want := "true 50006"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPluginHangs: a call waits for at most one hanging hook, not for all before it.
func TestPluginHangs(t *testing.T) {
	t.Parallel()
	path, _ := plugged(t, "exec tail -f /dev/null\n")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b = bytes.Replace(b, []byte("PATIENCE = 5000"), []byte("PATIENCE = 100"), 1); os.WriteFile(path, b, 0o644) != nil {
		t.Fatal(err)
	}
	got := scripted(t, path, `for (let n = 0; n < 40; n++) hooks.event({ event: { type: "todo.updated", properties: { sessionID: "s", todos: [] } } })
const began = Date.now()
const out = tool({}), system = { system: ["own"] }
await hooks["chat.message"]({ sessionID: "s" }, { parts: [] })
await hooks["tool.execute.after"](call, out)
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
console.log(out.output, system.system, Date.now() - began < 3000)
`)
	if want := "said [ 'own' ] true"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// report is what the plugin sent to a program that appends its input to a file.
type report struct{ Hook, Session, Lane, Said string }

// reportsIn returns the reports in the file sent of a directory.
func reportsIn(t *testing.T, dir string) (all []report) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "sent"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r report
		if json.Unmarshal([]byte(line), &r) == nil {
			all = append(all, r)
		}
	}
	return all
}

// TestPluginResumed: a session of an earlier process is resumed, whatever its first sign is; a subagent of one that goes on stays a
// lane of its parent, which does not end with the process if it did not go on in it.
func TestPluginResumed(t *testing.T) {
	t.Parallel()
	path, dir := plugged(t, "cat >> \"$(dirname \"$0\")/sent\"\necho >> \"$(dirname \"$0\")/sent\"\necho '{}'\n")
	head := `const parents = { child: "reverted", grandchild: "child", alone: "elsewhere" }
const others = await Journal({ directory: "/p", worktree: "/p", client: { session: { get: async ({ path: { id } }) => ({ data: { id, parentID: parents[id] } }) } } })
const event = (type, properties) => others.event({ event: { type, properties } })
const says = (sessionID) => others["chat.message"]({ sessionID }, { parts: [{ type: "text", text: "go on" }] })
`
	scripted(t, path, head+`await event("message.part.updated", { sessionID: "command", part: { type: "tool", tool: "bash", state: { status: "completed" } } })
await says("command")
await event("session.updated", { sessionID: "reverted", info: { revert: { messageID: "m" } } })
await says("reverted")
await says("grandchild")
await says("child")
await says("alone")
await others["experimental.session.compacting"]({ sessionID: "compacted" }, { context: [] })
await event("session.compacted", { sessionID: "compacted" })
await says("compacted")
await says("compacted")
await others.dispose()
`)
	var got []string
	for _, r := range reportsIn(t, dir) {
		got = append(got, strings.TrimSpace(r.Hook+" "+r.Session+" "+r.Lane))
	}
	want := []string{
		"session.resumed command", "chat.message command", "session.resumed reverted", "chat.message reverted",
		"chat.message reverted grandchild", "chat.message reverted child", "chat.message elsewhere alone", "session.resumed compacted",
		"experimental.session.compacting compacted", "session.compacted compacted", "chat.message compacted", "chat.message compacted",
		"dispose command", "dispose reverted", "dispose compacted",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPluginTitle: a request for a title gets no text of a start.
func TestPluginTitle(t *testing.T) {
	t.Parallel()
	path, _ := plugged(t, "cat > /dev/null\necho '{\"context\":\"TEXT\"}'\n")
	got := scripted(t, path, `await hooks["chat.message"]({ sessionID: "s" }, { parts: [] })
const title = { system: ["You are a title generator. You output ONLY a thread title. Nothing else."] }, system = { system: ["own"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, title)
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
console.log(title.system.length, system.system.length > 1)
`)
	if want := "1 true"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPluginCircle: a value that JSON cannot encode loses only its own report and leaves no process.
func TestPluginCircle(t *testing.T) {
	t.Parallel()
	path, _ := plugged(t, "cat > /dev/null\necho '{\"context\":\"TEXT\"}'\n")
	got := scripted(t, path, `const circle = {}, out = tool(circle), next = tool({})
circle.circle = circle
await hooks["tool.execute.after"](call, out)
await hooks["tool.execute.after"](call, next)
console.log(JSON.stringify([out.output, next.output]))
`)
	if want := `["said","said\n\nTEXT"]`; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPluginStopped: an interruption has the agent's last words, and the idle session after it does not tell them as an
// answer. A subagent that is stopped ends.
func TestPluginStopped(t *testing.T) {
	t.Parallel()
	path, dir := plugged(t, "cat >> \"$(dirname \"$0\")/sent\"\necho >> \"$(dirname \"$0\")/sent\"\necho '{}'\n")
	scripted(t, path, `const event = (type, properties) => hooks.event({ event: { type, properties: { sessionID: "s", ...properties } } })
await event("session.created", { sessionID: "c", info: { parentID: "s" } })
await event("session.error", { sessionID: "c", error: { name: "MessageAbortedError" } })
await event("session.idle", { sessionID: "c" })
const text = (output) => hooks["experimental.text.complete"]({ sessionID: "s", messageID: "m" }, output)
await hooks["chat.message"]({ sessionID: "s" }, { parts: [] })
await text({ text: "First the rafters." })
await event("session.error", { error: { name: "MessageAbortedError" } })
await event("session.idle")
await hooks["chat.message"]({ sessionID: "s" }, { parts: [] })
await text({ text: "Now the roof." })
await event("session.idle")
await hooks.dispose()
`)
	var got []string
	for _, r := range reportsIn(t, dir) {
		if r.Hook == "session.error" || r.Hook == "session.idle" {
			got = append(got, r.Hook+" "+r.Lane+": "+r.Said)
		}
	}
	if want := []string{"session.error c: ", "session.idle c: ", "session.error : First the rafters.", "session.idle : Now the roof."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

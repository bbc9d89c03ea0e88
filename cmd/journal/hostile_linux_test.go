package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"journal/cmd/journal/cli"
)

// hostile are texts that steer a terminal, hide what they say, or turn round what stands
// beside them: colours, a link and a clipboard (OSC 8, OSC 52), the same in one-byte
// controls, overrides of the direction, a bell, a line that is written over, and what
// nobody sees.
const hostile = "\x1b[31mred\x1b[2J \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b]52;c;ZXZpbA==\a \u009b2J\u009d0;title\u009c " +
	"\u202egnp.exe\u202c \u2066isolated\u2069 \u061cmark\u200e\u200f over\rwritten \b\x7f zero\u200bwidth\ufeff\u2060\U000e0041 \u2028\u2029 end"

// steering finds the first character of a text that a terminal must not get.
func steering(s string) string {
	for i, r := range s {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\u200c' && r != '\u200d' {
			return fmt.Sprintf("%U in %q", r, s[max(0, i-60):min(len(s), i+20)])
		}
	}
	return ""
}

// progress is what a verb shows of itself on a machine so busy that it takes long.
var progress = regexp.MustCompile(`\r(?:[a-z ]+ \d+%)?\x1b\[K`)

// No text that was recorded steers the terminal of the person who looks at it, whichever
// verb shows it; JSON has all of it, escaped as JSON escapes.
func TestHostileText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const session = "evil\x1b]0;owned\a\u202e\nsession"
	project := filepath.Join(t.TempDir(), "p\x1b[31m\u202e")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	hook := func(event string, more map[string]any) (answer string) {
		t.Helper()
		payload := map[string]any{"session_id": session, "hook_event_name": event, "cwd": project}
		maps.Copy(payload, more)
		b, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		return w.hook(string(b))
	}
	long := strings.Repeat(hostile, 1<<20/len(hostile)+1)
	hook("SessionStart", map[string]any{"source": "startup" + hostile, "model": "m" + hostile})
	hook("UserPromptSubmit", map[string]any{"prompt": "do it " + hostile})
	hook("UserPromptSubmit", map[string]any{"prompt": "a long line " + long})
	hook("PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "u1", "tool_input": map[string]any{"command": "cat " + hostile}, "tool_response": map[string]any{"stdout": long}})
	hook("PostToolUseFailure", map[string]any{"tool_name": "Bash", "tool_use_id": "u2", "tool_input": map[string]any{"command": "make " + hostile}, "error": "Exit code 2\n" + hostile})
	hook("PostToolUse", map[string]any{"tool_name": "Write", "tool_use_id": "u3", "tool_input": map[string]any{"file_path": project + "/f" + hostile + ".go", "content": "x"}, "tool_response": map[string]any{}})
	hook("PostToolUse", map[string]any{"tool_name": "TodoWrite", "tool_use_id": "u4", "tool_input": map[string]any{"todos": []any{map[string]any{"content": "todo " + hostile, "status": "pending"}}}, "tool_response": map[string]any{}})
	hook("Nobody"+hostile, map[string]any{"strange\x1b[0m": hostile})
	w.env = append(w.env, "COLUMNS=100", "JOURNAL_SESSION="+session, "CLAUDE_PROJECT_DIR="+project)
	for _, line := range [][]string{
		{"note", "note " + hostile, "--heading", "head" + hostile}, {"decide", "decided " + hostile}, {"checkpoint", "at " + hostile},
		{"port", "define", "po\u202ert", "--title", "title " + hostile, "--item", "item " + hostile}, {"port", "start", "po\u202ert"},
		{"phase", "enter", "--skill", "sk\x1b[1mill", "--phase", "1", "--name", hostile, "--output", "out" + hostile, "--next", hostile},
	} {
		if _, errOut, code := w.run("", line...); code != cli.ExitOK {
			t.Logf("%q: %s", line[0], errOut) // a name may be refused
		}
	}
	hook("PreCompact", map[string]any{"trigger": "auto" + hostile, "custom_instructions": hostile})
	hook("SessionStart", map[string]any{"source": "compact"})
	hook("PostCompact", map[string]any{"trigger": "auto" + hostile, "compact_summary": "Nothing of note. " + hostile})
	hook("UserPromptSubmit", map[string]any{"prompt": "go on " + hostile})

	for _, line := range append([]string{
		"log", "recover", "recover --lang ko", "restore --lost", "restore --dropped", "audit --csv", "replay --diff 5..20", "audit --html -", "show 2", "show 4", "show 5",
		"show 6", "show 8", "show no-such-\x1b[31m", "log --session no\x1b[31m\u202e", "log --session evil --type no\x1b[2J", "audit no\u202esuch",
		"forget --dry-run --session " + session, "work status", "no-such-verb\x1b[31m", "log --no\x1b[2Jflag", "__complete log --session e", "import --dry-run " + project,
	}, linesOfText...) {
		words := strings.Split(strings.ReplaceAll(line, "HOME", filepath.Dir(w.dir)), " ")
		out, person := terminal(t, 100)
		c := w.command(words...)
		c.Env = append(slices.Clone(c.Env), "NO_COLOR=1", "TERM=dumb")
		c.Dir, c.Stdout, c.Stderr = project, out, out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		read := make(chan string)
		go func() {
			b, _ := io.ReadAll(person) // it ends with an error when nobody has the other end open
			read <- string(b)
		}()
		_ = c.Wait() // whatever its exit code
		out.Close()
		shown := progress.ReplaceAllString(strings.ReplaceAll(<-read, "\r\n", "\n"), "") // as terminals end lines
		if bad := steering(shown); bad != "" {
			t.Errorf("journal %q shows %s", line, bad)
		}
	}

	// A client shows the person what a hook says to them.
	notes := filepath.Join(project, ".claude", "context", "progress.md")
	if err := os.MkdirAll(filepath.Dir(notes), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notes, []byte("# Progress\n\n## learned \u202e\u200b\x1b[31m "+hostile+"\ntext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hook("UserPromptSubmit", map[string]any{"prompt": "and on"})
	var said struct{ SystemMessage string }
	answer := hook("Stop", map[string]any{"last_assistant_message": "done"})
	if err := json.Unmarshal([]byte(answer), &said); err != nil || !strings.Contains(said.SystemMessage, "learned") {
		t.Errorf("no advice for the person: %v, %q", err, answer)
	}
	if bad := steering(said.SystemMessage); bad != "" {
		t.Errorf("the hook says to the person %s", bad)
	}

	out, _, _ := w.run("", "show", "3", "--json")
	var doc struct{ Data struct{ Text string } }
	if err := json.Unmarshal([]byte(out), &doc); err != nil || !strings.Contains(doc.Data.Text, "\u202e") || !strings.Contains(doc.Data.Text, "\u200b") {
		t.Errorf("JSON does not keep what was recorded: %v, %.300q", err, doc.Data.Text)
	}
}

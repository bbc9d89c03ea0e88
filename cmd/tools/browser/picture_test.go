package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestPictures takes the pictures of README: the session of the demo, whose transcript shows that the recovery texts arrived, so
// that the chart shows what was restored.
func TestPictures(t *testing.T) {
	needsBrowser(t)
	j := newJournal(t)
	stream, err := os.ReadFile(filepath.Join("..", "..", "journal", "testdata", "streams", "claude-2.1.329.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "claude")
	var rows []string
	for line := range strings.Lines(strings.ReplaceAll(string(stream), "/home/dev/.claude", home)) {
		var answer struct {
			Output struct{ AdditionalContext json.RawMessage } `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(j.exec("journal-hook", line, "claude")), &answer) == nil {
			rows = append(rows, `{"type":"system","subtype":"compact_boundary","uuid":"c`+string(rune('0'+len(rows)))+`"}`,
				`{"type":"attachment","attachment":{"type":"hook_additional_context","hookEvent":"SessionStart","content":[`+string(answer.Output.AdditionalContext)+`]}}`)
		}
	}
	var first struct {
		Transcript string `json:"transcript_path"`
	}
	line, _, _ := strings.Cut(strings.ReplaceAll(string(stream), "/home/dev/.claude", home), "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(first.Transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(first.Transcript, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, "en")
	b.size(1280, 720, false)
	b.open(j.serve("--session", "10cf952f"))
	b.until(`document.querySelector('.compaction text').textContent.startsWith('+')`)
	b.key(kb.End)
	b.shoot("readme-session-light", false)
	b.click(".views [href$=compactions]")
	b.until(`document.querySelector('.headline')?.textContent.includes('restored')`)
	b.shoot("readme-light", false)
	b.size(1280, 720, true)
	b.shoot("readme-dark", false)
}

package page_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/page"
)

// A real browser takes the page as it is meant: it asks for nothing, complains of
// nothing, and no text of an item has become an element.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no browser here")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "audit.html")
	var b bytes.Buffer
	if err := page.Write(&b, session()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--enable-logging=stderr", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+file)
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	if strings.Contains(errOut.String(), "CONSOLE") {
		t.Errorf("the browser complains:\n%s", errOut.String())
	}
	for what, want := range map[string]int{
		"<tbody>": 4, "<tr>": 14, "<details class=\"bad\">": 1, "<details class=\"evidence\">": 2, "<b>": 2, "<i>": 0, "<script": 0,
		"<path class=\"curve\"": 1, "<svg class=\"bar\"": 3, "<rect class=\"gone\"": 2, "<g class=\"compaction\"": 2, "<g class=\"phase\">": 2,
		"<rect class=\"prompt\"": 3, "<g class=\"subagent": 2,
	} {
		if got := strings.Count(out.String(), what); got != want {
			t.Errorf("the browser sees %d of %s, want %d", got, what, want)
		}
	}
}

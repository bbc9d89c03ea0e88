package browser

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// looks opens every page at two widths, light and dark, and some in the other languages. axe checks each, and nothing may be
// wider than the screen.
func looks(t *testing.T, b *browser, origin, path string) {
	pages := map[string]string{"today": "/", "sessions": "/sessions", "session": path, "past": path + "?at=20", "compactions": path + "/compactions", "survey": "/compactions", "cost": "/cost", "search": "/search?q=bucket", "talk": path + "/talk", "projects": "/projects", "project": strings.Split(path, "/s/")[0]}
	screens(t, b, origin, pages)
	for _, lang := range []string{"ko", "ja"} {
		b.size(1440, 900, false)
		b.run(chromedp.Evaluate(fmt.Sprintf(`document.cookie = 'journal-lang=%s; path=/; samesite=strict'`, lang), nil))
		for _, name := range []string{"today", "sessions", "session", "talk", "compactions", "survey", "projects"} {
			b.open(origin + pages[name])
			b.settle()
			if got := js[string](b, "document.documentElement.lang"); got != lang {
				t.Errorf("the page is in %s, want %s", got, lang)
			}
			b.shoot(fmt.Sprintf("%s-1440-%s", name, lang), false)
		}
	}
	b.run(chromedp.Evaluate(`document.cookie = 'journal-lang=en; path=/; samesite=strict'`, nil))
	// The button switches from light to dark whatever the system prefers, also on the next page.
	b.open(origin + "/")
	b.click("[data-theme-switch]")
	b.open(origin + "/projects")
	if got := js[string](b, "document.documentElement.dataset.theme"); got != "dark" {
		t.Errorf("the next page is %q", got)
	}
	b.run(chromedp.Evaluate(`document.cookie = 'journal-theme=; path=/; max-age=0'`, nil))
}

// screens looks at pages at two widths, light and dark.
func screens(t *testing.T, b *browser, origin string, pages map[string]string) {
	t.Helper()
	axe := axeSource(t)
	for name, at := range pages {
		for _, width := range []int64{390, 1440} {
			for _, dark := range []bool{false, true} {
				b.look(axe, name, origin+at, width, dark)
			}
		}
	}
}

// look opens a page on a screen, where nothing is wider, and lets axe look at it.
func (b *browser) look(axe, name, address string, width int64, dark bool) {
	b.Helper()
	b.size(width, 900, dark)
	b.open(address)
	b.settle()
	name = fmt.Sprintf("%s-%d-%s", name, width, map[bool]string{false: "light", true: "dark"}[dark])
	b.shoot(name, false)
	if wide := js[int64](b, `document.documentElement.scrollWidth`); wide > width {
		b.Errorf("%s has %d pixels", name, wide)
	}
	for _, finding := range violations(b, axe) {
		b.Errorf("axe, %s: %s", name, finding)
	}
}

// violations lists what axe finds by its rules, also those of best practice.
func violations(b *browser, axe string) []string {
	b.Helper()
	if axe == "" {
		return nil
	}
	b.run(chromedp.Evaluate(axe, nil))
	return js[[]string](b, `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations
		.map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 4).map(n => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`)
}

// axe-core is under the MPL-2.0 and no part of this repository: npm fetches it once. Its digest is that of the version that was
// looked at.
const (
	axeVersion = "4.14.1"
	axeDigest  = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// axeSource returns the script, empty if npm does not have it: then the pages are tested without it.
func axeSource(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Log("axe is not run: ", err)
		return ""
	}
	dir = filepath.Join(dir, "journal-e2e")
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("npm", "pack", "axe-core@"+axeVersion)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Logf("axe is not run, because npm did not fetch it: %v %s", err, out)
			return ""
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != axeDigest {
		t.Fatalf("%s has another digest than %s", file, axeDigest)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("axe-core has no axe.min.js")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/axe.min.js" {
			source, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			return string(source)
		}
	}
}

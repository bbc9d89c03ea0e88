package ui_test

import (
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/ui"
)

// remembering returns a site that remembers browsers in a directory.
func remembering(t *testing.T, dir string, life time.Duration) *site {
	return newSite(t, newMemory(t, work...), func(c *ui.Config) { c.Dir, c.Remember = dir, life })
}

// A browser that was let in stays so through the next process, as a digest in a file for its person alone, until its time
// is over or it is forgotten.
func TestRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "browsers.json")
	first := remembering(t, dir, time.Hour).let()
	cookie := first.Jar.Cookies(must(http.NewRequest(http.MethodGet, first.URL, nil)).URL)[0]
	b, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(b), cookie.Value) {
		t.Fatalf("kept is %s (%v)", b, err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v)", fi.Mode(), err)
	}
	again := func(life time.Duration) int {
		next := remembering(t, dir, life)
		code, _ := next.ask(http.MethodGet, "/", nil, http.Header{"Cookie": {"journal-" + port(next) + "=" + cookie.Value}})
		return code
	}
	if code := again(time.Hour); code != http.StatusOK {
		t.Errorf("the next process answers with %d", code)
	}
	if code := again(0); code != http.StatusForbidden {
		t.Errorf("where nothing is remembered it is let in: %d", code)
	}
	// An address that is used again takes the place of what was known of this browser.
	first.let()
	if code := again(time.Hour); code != http.StatusForbidden {
		t.Errorf("the cookie before is good still: %d", code)
	}
	// What is forgotten is so at once.
	if err := os.WriteFile(file, []byte("null"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _ := first.ask(http.MethodGet, "/", nil, nil); code != http.StatusForbidden {
		t.Errorf("a forgotten browser is answered with %d", code)
	}
	short := remembering(t, dir, time.Nanosecond)
	short.let()
	if code, _ := short.ask(http.MethodGet, "/", nil, nil); code != http.StatusForbidden {
		t.Errorf("after its time a browser is answered with %d", code)
	}
}

// Where nothing can be kept a browser is let in for this process.
func TestNotRemembered(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nowhere")
	s := remembering(t, dir, time.Hour).let()
	s.page("/", "limiter")
	// Once the file can be written, a new cookie replaces the one of this process.
	cookie := s.Jar.Cookies(must(http.NewRequest(http.MethodGet, s.URL, nil)).URL)[0]
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.let().Jar = nil
	if code, _ := s.ask(http.MethodGet, "/", nil, http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}); code != http.StatusForbidden {
		t.Errorf("the replaced cookie is answered with %d", code)
	}
}

// Who is refused is told what to do: a person in a page of their language, a script in a line.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...))
	s.Jar, _ = cookiejar.New(nil)
	for lang, want := range map[string]string{"en": "journal ui --open", "ko": "허용되지 않았습니다", "ja": "許可されていません"} {
		code, body := s.ask(http.MethodGet, "/", nil, http.Header{"Accept": {"text/html"}, "Accept-Language": {lang}})
		if code != http.StatusForbidden || !strings.Contains(body, want) || !strings.Contains(body, `lang="`+lang+`"`) {
			t.Errorf("%s: %d %s", lang, code, body)
		}
	}
	if _, body := s.ask(http.MethodGet, "/", nil, nil); strings.Contains(body, "<") {
		t.Errorf("a script is told %s", body)
	}
}

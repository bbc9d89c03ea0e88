package ui

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"journal/events/text"
	"journal/journal/disk"
)

// browser is an admitted browser.
type browser struct {
	Digest string    `json:"digest"` // of its cookie
	Until  time.Time `json:"until"`  // it is admitted before this time
}

const (
	maxBrowsers     = 64       // the last admitted ones are kept
	maxBrowsersFile = 64 << 10 // bytes
)

// browsersFile returns the path of the file of admitted browsers.
func browsersFile(dir string) string { return filepath.Join(dir, "browsers.json") }

// readBrowsers reads the list of admitted browsers. If it cannot be read it is empty: browsers have to be admitted again.
func readBrowsers(dir string) (all []browser) {
	b, err := disk.ReadFile(browsersFile(dir), maxBrowsersFile)
	if err != nil || json.Unmarshal(b, &all) != nil {
		return nil
	}
	return all
}

// writeBrowsers replaces the list of admitted browsers.
func writeBrowsers(dir string, all []browser) error {
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return disk.Replace(browsersFile(dir), b)
}

// browsers holds the admitted browsers. Those in the file are read again each time, so that --forget-browsers takes effect at
// once. It is safe for concurrent use.
type browsers struct {
	dir  string        // the journal directory
	life time.Duration // how long a browser stays admitted; 0: as long as this process runs, and the file is not used

	mu        sync.Mutex
	temporary []browser // admitted by this process as long as it runs
}

// admitted reports whether the browser with a cookie was admitted. It compares digests, so that the time of the answer reveals
// nothing.
func (b *browsers) admitted(cookie string) bool {
	digest := text.Digest(cookie)
	matches := func(b browser) bool { return b.Digest == digest && time.Now().Before(b.Until) }
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.temporary, matches) || b.life > 0 && slices.ContainsFunc(readBrowsers(b.dir), matches)
}

// forever is longer than any process runs.
const forever = 100 * 365 * 24 * time.Hour

// admit admits a browser with a new cookie, which replaces its old one, if it had any. If the file cannot be written, the browser is
// admitted as long as this process runs, and an old cookie in the file stays admitted until its time is over.
func (b *browsers) admit(cookie, old string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.temporary = slices.DeleteFunc(b.temporary, func(t browser) bool { return t.Digest == text.Digest(old) })
	if b.life > 0 && writeBrowsers(b.dir, added(readBrowsers(b.dir), cookie, old, b.life)) == nil {
		return
	}
	b.temporary = added(b.temporary, cookie, old, forever)
}

// added returns the admitted browsers with one more. It removes the one with the old cookie, and those whose time is over.
func added(all []browser, cookie, old string, life time.Duration) []browser {
	replaced, now := text.Digest(old), time.Now()
	all = slices.DeleteFunc(all, func(b browser) bool { return b.Digest == replaced || now.After(b.Until) })
	all = append(all, browser{text.Digest(cookie), now.Add(life)})
	return all[max(0, len(all)-maxBrowsers):]
}

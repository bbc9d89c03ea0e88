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
	Until  time.Time `json:"until"`
}

const (
	maxBrowsers  = 64       // how many are remembered, the last admitted ones
	maxRemembers = 64 << 10 // bytes of their file
)

func browsersFile(dir string) string { return filepath.Join(dir, "browsers.json") }

// readBrowsers reads which browsers were admitted. If that cannot be read, none was: they have to be admitted again.
func readBrowsers(dir string) (all []browser) {
	b, err := disk.ReadFile(browsersFile(dir), maxRemembers)
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
	return disk.Replace(browsersFile(dir), b, 0o600)
}

// browsers are the admitted browsers. The remembered ones are read again each time, so that --forget-browsers takes
// effect at once. It is safe for concurrent use.
type browsers struct {
	dir  string        // the journal directory
	life time.Duration // how long one is remembered; 0: as long as this process runs

	mu        sync.Mutex
	temporary []browser // of this process alone
}

// admitted reports whether the browser with a cookie was admitted. It compares digests, so that the time of the answer reveals nothing.
func (b *browsers) admitted(cookie string) bool {
	digest := text.Digest(cookie)
	matches := func(b browser) bool { return b.Digest == digest && time.Now().Before(b.Until) }
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.temporary, matches) || b.life > 0 && slices.ContainsFunc(readBrowsers(b.dir), matches)
}

// forever is longer than any process runs.
const forever = 100 * 365 * 24 * time.Hour

// admit admits a browser with a new cookie, which replaces the one that it had.
func (b *browsers) admit(cookie, had string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.life > 0 && writeBrowsers(b.dir, added(readBrowsers(b.dir), cookie, had, b.life)) == nil {
		return
	}
	b.temporary = added(b.temporary, cookie, had, forever) // nothing is to be remembered, or cannot be
}

// added returns the admitted browsers with one more, without the one that it replaces and those whose time is over.
func added(all []browser, cookie, had string, life time.Duration) []browser {
	old, now := text.Digest(had), time.Now()
	all = slices.DeleteFunc(all, func(b browser) bool { return b.Digest == old || now.After(b.Until) })
	all = append(all, browser{text.Digest(cookie), now.Add(life)})
	return all[max(0, len(all)-maxBrowsers):]
}

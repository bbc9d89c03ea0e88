package install

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// version is a release number. The zero value is older than every release.
type version struct {
	major, minor, patch int
}

var versionPattern = regexp.MustCompile(`(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z])?`)

// parseVersion finds the first release number in what a client prints, such
// as "2.1.329 (Claude Code)". A pre-release counts as the release before it:
// whether it has what the release has is not known.
func parseVersion(s string) (version, bool) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return version{}, false
	}
	var n [3]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(m[i+1]); err != nil {
			return version{}, false
		}
	}
	if m[4] != "" {
		n[2]--
	}
	return version{n[0], n[1], n[2]}, true
}

// less reports whether v was released before w.
func (v version) less(w version) bool {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch)) < 0
}

// String returns the number as it is usually written.
func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

package cli

import (
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// builtAs is what a release was built as; empty in any other build.
var builtAs string

// pseudo is what the go command gives a commit that has no tag.
var pseudo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}`) })

// isRelease says whether the version of a module is that of a tag.
func isRelease(v string) bool { return strings.HasPrefix(v, "v") && !pseudo().MatchString(v) }

// Version is the release that was built, or that the go command installed; else what the
// build knows of its source.
func Version() string {
	if builtAs != "" {
		return builtAs
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, dirty := info.Main.Version, ""
	if isRelease(v) {
		return v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) > 12:
			v = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+"
		}
	}
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return v + dirty
}

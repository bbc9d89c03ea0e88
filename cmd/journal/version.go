package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// release is set when a release is built.
var release string

// pseudo is what the go command gives a commit that has no tag.
var pseudo = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}`)

// isRelease says whether the version of a module is that of a tag.
func isRelease(v string) bool { return strings.HasPrefix(v, "v") && !pseudo.MatchString(v) }

// version is the release that was built, or that the go command installed; else what the
// build knows of its source.
func version() string {
	if release != "" {
		return release
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

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		GroupID: installing,
		Short:   "the version of this program",
		Long:    "Prints the version of this program, what it was built with and for.\n\nExit codes: 0.",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			doc := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.print(doc, func() { fmt.Fprintf(a.out, "journal %s (%s, %s)\n", doc.Version, doc.Go, doc.System) })
		},
	}
	a.jsonFlag(c)
	return c
})

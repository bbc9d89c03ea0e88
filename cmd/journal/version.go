package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set when a release is built.
var release string

// version is the release, else what the build knows of its source.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, dirty := info.Main.Version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) > 12:
			v = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+"
		}
	}
	if v == "" {
		return "devel"
	}
	return v + dirty
}

var _ = verb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: installing,
		Short:   "the version of this program",
		Args:    args(cobra.NoArgs),
		Run:     func(*cobra.Command, []string) { fmt.Fprintln(a.out, "journal", version()) },
	}
})

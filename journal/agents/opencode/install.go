package opencode

import (
	_ "embed"
	"path/filepath"

	"journal/journal/agents/install"
)

//go:embed journal.js
var plugin string

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  dir,
	Files: []install.File{{
		Path: "plugin/journal.js", Text: install.Caller + plugin, Comment: [2]string{"// ", ""},
	}},
})

// dir implements install.Agent.Dir.
func dir(at install.Location) string {
	if at.Scope == install.Project {
		return filepath.Join(at.Project, ".opencode")
	}
	if dir := at.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "opencode")
	}
	return filepath.Join(at.Home, ".config", "opencode")
}

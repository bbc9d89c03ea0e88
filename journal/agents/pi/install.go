package pi

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
		Path: "extensions/journal.js", Text: install.Caller + plugin, Comment: [2]string{"// ", ""},
	}},
})

// dir implements install.Agent.Dir.
func dir(at install.Location) string {
	if at.Scope == install.Project {
		return filepath.Join(at.Project, ".pi")
	}
	return install.Folder(filepath.Join(".pi", "agent"), "PI_CODING_AGENT_DIR")(at)
}

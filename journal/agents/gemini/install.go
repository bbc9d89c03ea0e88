package gemini

import (
	"path/filepath"

	"journal/journal/agents/install"
)

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  dir,
	Settings: &install.Settings{
		File:     "settings.json",
		Comments: true,
		Timeout:  10_000, // milliseconds
		Name:     "journal",
		Events:   eventsFor,
	},
})

// dir returns the directory of the person or of the project.
func dir(at install.Location) string {
	if at.Scope == install.Project {
		return filepath.Join(at.Project, ".gemini")
	}
	return filepath.Join(at.Home, ".gemini")
}

// eventsFor implements install.Settings. PreCompress is not a default: it is called before every request to the model,
// mostly without a compression, and the client waits for it.
func eventsFor(_ string, all bool) (events, notes []string) {
	events = []string{"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"}
	if all {
		events = append(events, "Notification", "PreCompress")
	}
	return events, nil
}

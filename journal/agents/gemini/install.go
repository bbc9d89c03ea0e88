package gemini

import (
	"strings"

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
		// Notification and PreCompress are installed only on request. The client calls PreCompress before every request to the model,
		// mostly without a compression, and waits for it.
		Events:   install.Events([]string{"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"}, "Notification", "PreCompress"),
		Disabled: disabled,
	},
})

// dir implements install.Agent.Dir. GEMINI_CLI_HOME takes the place of the home directory.
func dir(at install.Location) string {
	if home := at.Getenv("GEMINI_CLI_HOME"); home != "" && at.Scope == install.User {
		at.Home = home
	}
	return install.Folder(".gemini", "")(at)
}

// disabled implements install.Settings.Disabled. The client's command /hooks writes both settings.
func disabled(_ string, value func(path ...string) string) string {
	switch {
	case strings.TrimSpace(value("hooksConfig", "enabled")) == "false":
		return `"hooksConfig.enabled" is false`
	case strings.Contains(value("hooksConfig", "disabled"), `"journal"`):
		return `"hooksConfig.disabled" has journal`
	}
	return ""
}

package gemini

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".gemini", ""),
	Settings: &install.Settings{
		File:     "settings.json",
		Comments: true,
		Timeout:  10_000, // milliseconds
		Name:     "journal",
		// PreCompress is not a default: it is called before every request to the model, mostly without a compression, and the
		// client waits for it.
		Events: install.Events([]string{"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"}, "Notification", "PreCompress"),
	},
})

package projections

import (
	"strings"

	"journal/events"
)

// SkillFiles says whether a skill that keeps a progress file was seen: the file, in any session of the project, or in this
// one a command of the plugin that writes it. Such a skill asks for its session's id.
var SkillFiles = Declare("skill-files", 1, Session, "whether skills that keep progress files were seen",
	OnIn(Project, func(seen bool, e events.FileObserved, _ At) bool { return seen || e.Kind == events.SkillFile }),
	On(func(seen bool, e events.PromptSubmitted, _ At) bool {
		return seen || strings.HasPrefix(e.Text, "/cpm:")
	}),
)

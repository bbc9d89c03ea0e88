package team

import "slices"

// Choice is something that the sessions of a project tell those of others in the same repository, and
// hear of them, where both have chosen it. It counts only for what is shared.
type Choice int

// The choices.
const (
	Handover  Choice = iota // what is unfinished
	Decisions               // what is decided
)

// of returns the projects of a choice.
func (c Choice) of(s *Share) *[]string {
	if c == Decisions {
		return &s.Decisions
	}
	return &s.Handover
}

// Has says whether it was chosen for a project that is shared.
func (c Choice) Has(s Share, project string) bool {
	return slices.Contains(*c.of(&s), project) && s.Covers(Share{Projects: []string{project}})
}

// Begin chooses it for a project.
func (c Choice) Begin(s Share, project string) Share {
	*c.of(&s) = append(slices.Clone(*c.of(&s)), project)
	return s
}

// End ends it for a project.
func (c Choice) End(s Share, project string) Share {
	*c.of(&s) = slices.DeleteFunc(slices.Clone(*c.of(&s)), func(p string) bool { return p == project })
	return s
}

package events

import "errors"

// CompilePlanned says which directories are to be compiled from their CLAUDE.md
// (S2.1). The paths of targets are keys: below the project's root, with slashes,
// whole, because src/a-b and src/a/b are two targets (S2.4).
type CompilePlanned struct {
	Targets  []CompileTarget `json:"targets"`
	Conflict string          `json:"conflict"` // what is done with files that exist: skip, overwrite
	All      bool            `json:"all,omitempty"`
}

// CompileTarget is one directory that is to be compiled.
type CompileTarget struct {
	Path     string   `json:"path"`               // "." is the root
	Reasons  []string `json:"reasons"`            // uncommitted, outdated, no_source, all: every one that holds
	Mode     string   `json:"mode"`               // create, update
	Language string   `json:"language,omitempty"` // empty: the person has to say
	// Spec is the digest of its CLAUDE.md: a target that was compiled from this very
	// text is not begun again by another plan.
	Spec string `json:"spec,omitempty"`
	// Bare says that it has no IMPLEMENTS.md.
	Bare bool `json:"bare,omitempty"`
}

func (CompilePlanned) event() {}

func (c CompilePlanned) validate() error {
	if !oneOf(c.Conflict, "skip", "overwrite") {
		return errors.New(`conflict is "skip" or "overwrite"`)
	}
	for _, t := range c.Targets {
		if !oneOf(t.Mode, "create", "update") {
			return errors.New(`mode is "create" or "update"`)
		}
		if err := isTarget(t.Path); err != nil {
			return err
		}
	}
	return nil
}

var _ = declare("compile.planned", "directories are to be compiled from their CLAUDE.md", appendable[CompilePlanned]())

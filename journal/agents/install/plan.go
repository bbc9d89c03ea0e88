package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"journal/journal/disk"
)

// Plan is a planned change to a file. Planning does not change the file, so repeating it makes an equal plan.
type Plan struct {
	// Agent is the name of the agent that the file belongs to.
	Agent string

	// Path is the path of the file. It may be a link.
	Path string

	// Before is the file's content; nil if it does not exist.
	Before []byte

	// After is the new content; nil if the file is to be removed, or does not exist and is not needed.
	After []byte

	// Changed is set if Before and After differ.
	Changed bool

	// Events lists the events that call journal once the plan is applied, in the order of Settings.Events.
	Events []string

	// Command is the path of journal by which the agent runs its verbs, not quoted.
	Command string

	// Rules lists our rules for the agent. Asked lists those of them that the settings lack once the plan is applied: the agent asks
	// the person before the calls that such a rule would allow.
	Rules, Asked []string

	// Program is the path of the program that the hooks call: journal-hook, or journal if there is none.
	Program string

	// Version is the release of the agent for which Events were chosen; "" if it is unknown or does not matter.
	Version string

	// Notes are sentences that a person should read before agreeing.
	Notes []string

	kept      keptFile    // the file of the original settings, with its planned content
	real      string      // Path with links resolved: the file that is written
	mode      fs.FileMode // the file's permission bits
	createErr error       // the reason why the file cannot be created, nil if it can
	makeDirs  []string    // directories to create if missing, outermost first
	dropDirs  []string    // directories to remove if empty, innermost first
}

// Installation plans an installation, or the update of an earlier one: one plan per file, in the order in which to apply them.
//
// It may run the agent for up to 30 s to ask for its version. The error is [ErrRefused] for settings that cannot be edited safely.
func Installation(ctx context.Context, o Options) ([]Plan, error) {
	return o.plans(false, func(t target) (Plan, error) { return t.installed(ctx, o) })
}

// Removal plans to remove an installation. The order is the reverse of that of Installation, so that each directory is empty when it is
// removed.
func Removal(o Options) ([]Plan, error) { return o.plans(true, target.removed) }

// plans plans the change of each file, or the removal if remove is set. The function settings plans the change of the agent's settings.
func (o Options) plans(remove bool, settings func(target) (Plan, error)) (plans []Plan, err error) {
	t, err := o.resolve()
	if err != nil {
		return nil, err
	}
	add := func(p Plan, planErr error) {
		p.Agent, p.Program, p.Command = t.agent.Name, t.program(), t.bin
		plans, err = append(plans, p), errors.Join(err, planErr)
	}
	var granted []string
	if t.agent.Settings != nil {
		add(settings(t))
		granted = slices.DeleteFunc(slices.Clone(plans[0].Rules), func(rule string) bool { return slices.Contains(plans[0].Asked, rule) })
	}
	for _, f := range t.agent.Files {
		if !f.Skill || !o.NoSkill {
			add(t.plan(f, granted, remove))
		}
	}
	if remove {
		slices.Reverse(plans)
	}
	return plans, err
}

// installed plans the settings of an installation. It corrects existing entries in place, adds missing ones, and removes those of
// events that are no longer wanted. Besides, it changes only the status line, our rules, and the version that the file must have.
func (t target) installed(ctx context.Context, o Options) (Plan, error) {
	clientVersion := o.ClientVersion
	if clientVersion == "" && t.agent.DetectVersion != nil {
		// An agent that does not answer has an unknown version, which Events handles. Some agents rewrite their settings when
		// they start, so the settings are read afterwards.
		clientVersion, _ = t.agent.DetectVersion(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Plan{}, fmt.Errorf("plan installation: %w", err)
	}
	t.path = t.file(t.agent.Settings.File)
	p, err := t.read()
	if err != nil {
		return Plan{}, err
	}
	if p.createErr != nil {
		return Plan{}, p.createErr
	}
	if v, ok := ParseVersion(clientVersion); ok {
		p.Version = v.String()
	}
	var notes []string
	t.events, notes = t.agent.Settings.Events(clientVersion, o.All)
	p.Events, p.Program, p.Rules = t.events, t.program(), t.rules(clientVersion)
	p.Notes = append(p.Notes, notes...)

	s, err := t.parse(p.Before)
	if err != nil {
		return Plan{}, err
	}
	if err := t.check(s, true); err != nil {
		return Plan{}, t.withPath(err)
	}
	if o.Allow {
		if err := t.checkAllow(s); err != nil {
			return Plan{}, t.withPath(err)
		}
	}
	former, known, err := t.withoutJournal(p)
	if err != nil {
		return Plan{}, err
	}
	granted := t.granted(s, p.Rules, o.Allow)
	if known { // begin anew from the bytes of the person
		if s, err = t.parse(former.Before); err != nil {
			return Plan{}, err
		}
	}
	t.install(s)
	if t.agent.Settings.StatusLine {
		if o.NoStatusLine {
			t.removeStatusLine(s)
		} else if note := t.installStatusLine(s); note != "" {
			p.Notes = append(p.Notes, t.path+": "+note)
		}
	}
	t.allow(s, granted)
	p.Asked = slices.DeleteFunc(slices.Clone(p.Rules), func(rule string) bool { return slices.Contains(granted, rule) })

	p.After = s.bytes()
	if known {
		former.After, former.Earlier = digest(p.After), digest(p.Before)
		p.kept.write = &former
	} else {
		p.kept = keptFile{} // Apply leaves the earlier original, which shows which rules are the person's
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	p.Notes = append(p.Notes, t.notes(s, o.PolicyPath)...)
	if t.scope == Project {
		p.Notes = append(p.Notes, o.userSettingsNotes()...)
	}
	return p, nil
}

// removed plans the settings without our hooks, rules and status line. If the file was not changed since the installation, After is its
// earlier content, or nil if it did not exist.
func (t target) removed() (Plan, error) {
	t.path = t.file(t.agent.Settings.File)
	p, err := t.read()
	if err != nil {
		return Plan{}, err
	}
	p.makeDirs = nil
	former, _, err := t.withoutJournal(p)
	if err != nil {
		return Plan{}, err
	}
	p.After = former.Before
	if p.After == nil && former.MadeDir {
		p.dropDirs = t.upwards(filepath.Dir(p.real))
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	if !p.Changed {
		p.Notes = append(p.Notes, "nothing of journal is in "+p.Path)
	}
	return p, nil
}

// Diff returns the change as a unified diff for people, "" if there is none.
func (p Plan) Diff() string {
	name := func(content []byte) string {
		if content == nil {
			return os.DevNull
		}
		return p.Path
	}
	d := diff.Diff(name(p.Before), p.Before, name(p.After), p.After)
	// The first line, which has the name of a diff program, is left out.
	_, d, _ = bytes.Cut(d, []byte("\n"))
	return string(d)
}

// notes lists the reasons why installed hooks do not run, or do not see all calls, or do not work for other people.
func (t target) notes(s *settings, policyPath string) []string {
	var notes []string
	for _, key := range t.agent.Settings.Off {
		if isTrue(s.find(key)) {
			notes = append(notes, fmt.Sprintf("%q is true in %s: no hook runs until it is taken out", key, t.path))
		}
	}
	if t.agent.Settings.Disabled != nil {
		value := func(path ...string) string {
			if v := s.find(path...); v != nil {
				return v.String()
			}
			return ""
		}
		if reason := t.agent.Settings.Disabled(t.dir, value); reason != "" {
			notes = append(notes, reason+": no hook of journal runs until that is changed")
		}
	}
	if events := t.limited(s); len(events) > 0 {
		notes = append(notes, "a matcher that was there before lets journal see only a part of "+strings.Join(events, ", "))
	}
	if t.scope == Project && filepath.IsAbs(t.bin) {
		notes = append(notes, fmt.Sprintf("%s is usually shared: the others need journal at %s too, or `--bin journal` and journal on their PATH", t.path, t.bin))
	}
	policyPath = cmp.Or(policyPath, t.agent.Settings.Policy)
	// An unreadable policy is ignored: only the administrator can repair it.
	if src, err := disk.ReadFile(policyPath, maxSettings); err == nil {
		if policy, err := parse(src, t.agent.Settings.Comments); err == nil {
			for _, key := range t.agent.Settings.PolicyOff {
				if isTrue(policy.find(key)) {
					notes = append(notes, fmt.Sprintf("%q is true in %s: hooks from %s do not run; ask the administrator", key, policyPath, t.path))
				}
			}
		}
	}
	return notes
}

package main

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const (
	summary     = "keeps what coding agents do, and restores what a compaction took"
	description = summary + `
Every hook of a coding agent is recorded in a log on this machine, and after a
compaction the agent gets back what it lost. Begin with: journal install.
Before you remove the package: journal uninstall, which removes the hooks from
the agents' settings. The log stays in ~/.local/state/journal.`
)

// tagged matches the version of a commit with a tag, or of one after it.
var tagged = regexp.MustCompile(`^v(\d+\.\d+\.\d+.*)$`)

// semantic returns the version for package managers. A version without a tag comes before every release.
func (r *release) semantic() string {
	if m := tagged.FindStringSubmatch(r.version); m != nil {
		return m[1]
	}
	return "0.0.0-g" + r.version
}

// linuxPackages makes a .deb and a .rpm for a processor from the programs in built.
func (r *release) linuxPackages(goarch, built string) error {
	for format, p := range map[string]nfpm.Packager{"deb": deb.Default, "rpm": rpm.DefaultRPM} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "journal", Arch: goarch, Platform: "linux", Version: r.semantic(), Release: "1", Section: "utils", Priority: "optional",
			Maintainer: "journal <" + r.site + ">", Description: description, Homepage: r.site, License: "MIT", MTime: r.at,
		})
		info.Contents = r.installed(built)
		info.RPM.BuildHost, info.RPM.Summary = "localhost", summary
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := p.Package(info, &out); err != nil {
			return err
		}
		if err := r.save(p.ConventionalFileName(info), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// installed returns the files of a Linux package with their paths on the system.
func (r *release) installed(built string) (all files.Contents) {
	put := func(packager, from, to string, mode fs.FileMode) {
		all = append(all, &files.Content{Packager: packager, Source: from, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.at}})
	}
	completions := filepath.Join(r.docs, "completions")
	put("", filepath.Join(built, "*"), "/usr/bin/", 0o755)
	put("", filepath.Join(r.docs, "man", "*.1"), "/usr/share/man/man1/", 0o644)
	put("", filepath.Join(completions, "journal.bash"), "/usr/share/bash-completion/completions/journal", 0o644)
	put("", filepath.Join(completions, "journal.fish"), "/usr/share/fish/vendor_completions.d/journal.fish", 0o644)
	put("deb", filepath.Join(completions, "_journal"), "/usr/share/zsh/vendor-completions/_journal", 0o644)
	put("rpm", filepath.Join(completions, "_journal"), "/usr/share/zsh/site-functions/_journal", 0o644)
	put("", filepath.Join(r.docs, "README.md"), "/usr/share/doc/journal/README.md", 0o644)
	put("deb", filepath.Join(r.docs, "LICENSE"), "/usr/share/doc/journal/copyright", 0o644)
	put("rpm", filepath.Join(r.docs, "LICENSE"), "/usr/share/licenses/journal/LICENSE", 0o644)
	return all
}

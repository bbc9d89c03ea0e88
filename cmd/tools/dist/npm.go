package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npmFiles has the files of the main package, which find and start the native programs.
//
//go:embed npm
var npmFiles embed.FS

// npmNames holds npm's names of systems and processors where they differ from Go's.
var npmNames = map[string]string{"windows": "win32", "amd64": "x64"}

// manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	License     string            `json:"license"`
	Bin         map[string]string `json:"bin,omitempty"`
	Man         []string          `json:"man,omitempty"`
	Scripts     map[string]string `json:"scripts,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	// Unplugged makes package managers unpack the package, so that its programs can be started.
	Unplugged bool `json:"preferUnplugged,omitempty"`
	Private   bool `json:"private,omitempty"` // keeps npm from publishing the package
}

// manifest returns the manifest of the package with a name.
func (r *release) manifest(name string) manifest {
	return manifest{Name: name, Version: r.semantic(), Description: summary, Homepage: r.site, License: "MIT", Private: r.homeless()}
}

// npmName returns npm's name of a system or processor.
func npmName(name string) string {
	if other, ok := npmNames[name]; ok {
		return other
	}
	return name
}

// npmPlatform makes the package with the programs for one system.
func (r *release) npmPlatform(goos, goarch, built string) error {
	goos, goarch = npmName(goos), npmName(goarch)
	m := r.manifest(strings.Join([]string{r.npm, goos, goarch}, "-"))
	m.OS, m.CPU, m.Unplugged = []string{goos}, []string{goarch}, true
	t := r.tree()
	if err := t.putAll("package/bin", built); err != nil {
		return err
	}
	return r.npmPackage(m, t)
}

// npmMain makes the package that people install.
func (r *release) npmMain() error {
	m, t := r.manifest(r.npm), r.tree()
	m.Scripts = map[string]string{"postinstall": "node install.js"}
	m.Bin, m.Optional = map[string]string{}, map[string]string{}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		m.Optional[strings.Join([]string{r.npm, npmName(goos), npmName(goarch)}, "-")] = m.Version
	}
	launcher, err := npmFiles.ReadFile("npm/launch.js")
	if err != nil {
		return err
	}
	for _, name := range []string{"journal", "journal-hook"} {
		m.Bin[name] = "bin/" + name
		t.put("package/bin/"+name, launcher)
	}
	for _, name := range []string{"native.js", "install.js", "README.md"} {
		b, err := npmFiles.ReadFile("npm/" + name)
		if err != nil {
			return err
		}
		t.put("package/"+name, b)
	}
	license, err := os.ReadFile(filepath.Join(r.docs, "LICENSE"))
	if err != nil {
		return err
	}
	t.put("package/LICENSE", license)
	if err := t.putAll("package/man", filepath.Join(r.docs, "man")); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if man, ok := strings.CutPrefix(name, "package/man/"); ok {
			m.Man = append(m.Man, "man/"+man)
		}
	}
	return r.npmPackage(m, t)
}

// npmPackage writes a package with the name that npm pack would use.
func (r *release) npmPackage(m manifest, t tree) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	t.put("package/package.json", append(b, '\n'))
	made, err := t.tarGz()
	if err != nil {
		return err
	}
	return r.save(fmt.Sprintf("%s-%s.tgz", strings.ReplaceAll(strings.TrimPrefix(m.Name, "@"), "/", "-"), m.Version), made)
}

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"text/template"
)

//go:embed journal.rb
var formula string

// recipes makes the formula for Homebrew and the manifest for Scoop, which download archives.
func (r *release) recipes() error {
	t, err := template.New("journal.rb").Funcs(template.FuncMap{
		"url": func(system string) string { return r.url(r.archive(system) + ".tar.gz") },
		"sha": func(system string) string { return r.sums[r.archive(system)+".tar.gz"] },
	}).Parse(formula)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]string{"Version": r.semantic(), "Site": r.site}); err != nil {
		return err
	}
	if err := r.save("journal.rb", b.Bytes()); err != nil {
		return err
	}
	type download struct {
		URL    string `json:"url"`
		Hash   string `json:"hash"`
		Folder string `json:"extract_dir"`
	}
	scoop := struct {
		Version     string              `json:"version"`
		Description string              `json:"description"`
		Homepage    string              `json:"homepage"`
		License     string              `json:"license"`
		Notes       string              `json:"notes"`
		Systems     map[string]download `json:"architecture"`
		Bin         []string            `json:"bin"`
	}{r.semantic(), summary, r.site, "MIT", "Begin with: journal install. Before you remove it: journal uninstall.",
		map[string]download{}, []string{"journal.exe"}}
	for name, system := range map[string]string{"64bit": "windows/amd64", "arm64": "windows/arm64"} {
		file := r.archive(system) + ".zip"
		scoop.Systems[name] = download{r.url(file), r.sums[file], r.archive(system)}
	}
	made, err := json.MarshalIndent(scoop, "", "  ")
	if err != nil {
		return err
	}
	return r.save("journal.json", append(made, '\n'))
}

// url returns the URL of a file of the release.
func (r *release) url(file string) string {
	return r.site + "/releases/download/" + r.version + "/" + file
}

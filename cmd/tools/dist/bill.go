package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// component is a component of a bill of materials in the format of CycloneDX 1.5.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref,omitempty"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
}

// bill writes the bill of materials, with every module that a program links. It has no serial number, which would be different
// each time.
func (r *release) bill() error {
	var doc struct {
		Format   string `json:"bomFormat"`
		Spec     string `json:"specVersion"`
		Version  int    `json:"version"`
		Metadata struct {
			Timestamp string    `json:"timestamp"`
			Component component `json:"component"`
		} `json:"metadata"`
		Components []component `json:"components"`
	}
	doc.Format, doc.Spec, doc.Version = "CycloneDX", "1.5", 1
	doc.Metadata.Timestamp = r.at.Format(time.RFC3339)
	doc.Metadata.Component = component{"application", "journal", "journal", r.version, ""}
	for _, path := range slices.Sorted(maps.Keys(r.modules)) {
		purl := fmt.Sprintf("pkg:golang/%s@%s", path, r.modules[path])
		doc.Components = append(doc.Components, component{"library", purl, path, r.modules[path], purl})
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return r.save("journal-"+r.version+".cdx.json", append(b, '\n'))
}

// checksums returns the checksums of the release's files, in the format of sha256sum -c.
func (r *release) checksums() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", r.sums[name], name)
	}
	return b.String()
}

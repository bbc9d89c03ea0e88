package replay

import (
	"io/fs"
	"strings"
)

// Languages lists the built-in languages, sorted.
func Languages() []string {
	names, err := fs.Glob(builtin, "templates/*.tmpl")
	if err != nil {
		panic(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(n, "templates/"), ".tmpl")
	}
	return names
}

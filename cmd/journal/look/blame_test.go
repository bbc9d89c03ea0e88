package look

import (
	"slices"
	"testing"

	"journal/events"
)

// A line is of the change that wrote it, and not of one that wrote a line like it elsewhere.
func TestWroteLine(t *testing.T) {
	t.Parallel()
	lines := []string{"package p", "", "func a() {", "\tif x {", "\t} else {", "", "\t}", "}", "func b() {", "\tgo a()", "}"}
	change := func(old, new string) events.Passage {
		p, _ := events.PassageOf(old, new)
		return p
	}
	for what, one := range map[string]struct {
		change events.Passage
		wrote  []int
	}{
		"a function":               {change("", "func a() {\n\tif x {\n\t} else {\n\n\t}\n}"), []int{3, 4, 5, 7, 8}},
		"within":                   {change("func b() {\n}", "func b() {\n\tgo a()\n}"), []int{10}},
		"a beginning of lines":     {change("x", "}"), []int{7, 8, 11}},
		"a line that is gone":      {change("", "func c() {\n}"), nil},
		"something was removed":    {change("func b() {\n\tdefer a()\n\tgo a()", "func b() {\n\tgo a()"), nil},
		"what followed is other":   {change("go old()\n// end", "func a() {\n// end"), []int{3}},
		"more than the file has":   {change("", "func b() {\n\tgo a()\n}\n\n\n"), []int{9, 10, 11}},
		"a line of another indent": {change("", "    go a()"), []int{10}},
	} {
		var wrote []int
		for n := 1; n <= len(lines); n++ {
			if lines[n-1] != "" && wroteLine(one.change, lines, n) {
				wrote = append(wrote, n)
			}
		}
		if !slices.Equal(wrote, one.wrote) {
			t.Errorf("%s: %+v wrote %v, not %v", what, one.change, wrote, one.wrote)
		}
	}
}

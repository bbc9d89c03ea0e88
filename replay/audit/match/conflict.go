package match

import (
	"regexp"
	"strings"
)

// conflictLines are lines in which git names a file with a conflict.
var conflictLines = regexp.MustCompile(`(?m)^CONFLICT \([^)]*\): Merge conflict in (\S+)$`)

// conflicted finds one of the files that a merge could not join, in an entry that tells
// of conflicts or stands under one that does.
func (m *Matcher) conflicted(detail string) *Match {
	for _, found := range conflictLines.FindAllStringSubmatch(detail, maxDiagnoses) {
		file := strings.ToLower(found[1])
		for _, t := range m.summary.tokens {
			if !strings.Contains(t.form, "/") || t.form != file && !strings.HasSuffix(file, "/"+t.form) {
				continue
			}
			if m.tells(t.sentence, conflicting.has) {
				return m.summary.whole(t.sentence)
			}
		}
	}
	return nil
}

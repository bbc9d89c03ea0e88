package knowledge

import (
	"slices"
	"strings"

	"journal/events"
	"journal/projections"
)

// Committed are the files of which git knew no change after they were written last, in one item. It
// comes with those of File, and the files are items of their own in audits.
const Committed Kind = "committed"

// maxCommitted bounds the paths that one item names, in UTF-16 units: it is never cut, and the
// other files are listed as files.
const maxCommitted = 3000

var _ = declare(Def{
	Kind: Committed,
	Text: Text{Place: 82, Turn: 73, Form: Line, Units: 400, Whole: maxCommitted, Grow: 9, Tiers: Tiers{Best: Useful, First: 1}, Summary: true},
})

// settled says whether git knew no change of a file when it was asked after the file was used last: it was
// committed, is ignored, or is gone.
func settled(git projections.GitState, f projections.FileState) bool {
	below, in := strings.CutPrefix(f.Path, git.Top+"/")
	return in && f.LastSeq < git.Seq && !git.Unknown && git.More == 0 && !slices.ContainsFunc(git.Changes, func(c events.GitChange) bool {
		return below == c.Path || strings.HasSuffix(c.Path, "/") && strings.HasPrefix(below, c.Path)
	})
}

package knowledge

import (
	"slices"
	"strings"

	"journal/events"
	"journal/projections"
)

// Committed is one item for all files without uncommitted changes since their last write. It comes with the items of File;
// audits look for each file on its own.
const Committed Kind = "committed"

// maxCommitted bounds the paths in a Committed item, in UTF-16 units: the item is never cut, and the remaining files are
// listed as File.
const maxCommitted = 3000

var _ = declare(Def{
	Kind: Committed,
	Text: Text{Form: Line, Units: 400, Whole: maxCommitted, Tiers: Tiers{Best: Useful, First: 1}, Unasked: true},
})

// settled reports whether git showed no uncommitted change of a file after its last use: the file was committed, ignored or
// removed.
func settled(git projections.GitState, f projections.FileState) bool {
	below, inside := strings.CutPrefix(projections.Slashed(f.Path), projections.Slashed(git.Top)+"/")
	return inside && f.LastSeq < git.Seq && !git.Unknown && git.More == 0 && !slices.ContainsFunc(git.Changes, func(c events.GitChange) bool {
		return below == c.Path || strings.HasSuffix(c.Path, "/") && strings.HasPrefix(below, c.Path)
	})
}

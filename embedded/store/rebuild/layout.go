package rebuild

import (
	"path/filepath"
	"time"

	"journal/embedded/store/scrub"
)

// The names inside a journal directory that this package reads and writes.
const (
	storeName   = "store"
	archiveName = "archive"
	spoolName   = "spool"
	newSuffix   = ".new"     // a copy that is being made
	suspect     = ".suspect" // a copy that was replaced; the time follows
	headName    = "head"     // the sequence that is remembered, see client.Head
	formatName  = "format"
	planName    = "rebuild" // the steps of an exchange, while there are some
	rebuiltName = "rebuilt" // when the store was rebuilt, and why
)

// Bounds of what is read of a file, in bytes.
const (
	maxPlan  = 16 << 20 // planName, rebuiltName
	maxAside = 64 << 20 // a file set aside from the spool: whatever somebody put there
)

// derivedNames are files and directories of what follows from the log or saves
// work: all of it comes again, and may hold what is forgotten. Versions before wrote
// snapshots.
var derivedNames = []string{"snapshots", "index", "sessions", "audits", "words", "observed", "usage", scrub.Name, scrub.VerifiedName, "store.kept", filepath.Join("team", "store")}

// suspectTime is the form of a time in the name of a replaced copy.
const suspectTime = "20060102T150405.000Z"

// suspectOf gives the name that a copy gets when it is replaced.
func suspectOf(name string, at time.Time) string {
	return name + suspect + "-" + at.UTC().Format(suspectTime)
}

// Suspects lists the replaced copies in a directory, whole paths, oldest first
// for each kind.
func Suspects(dir string) []string {
	var all []string
	for _, name := range []string{archiveName, storeName} {
		// The one error is a bad pattern.
		found, _ := filepath.Glob(filepath.Join(dir, name+suspect+"-*"))
		all = append(all, found...)
	}
	return all
}

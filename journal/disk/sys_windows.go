package disk

import "os"

// NoFollow is 0: there is no such flag.
const NoFollow = 0

// Sync is SyncDir of an open directory. It does nothing: Windows cannot flush a
// directory, and writes names through its own journal.
func Sync(*os.File) error { return nil }

func openNow(path string) (*os.File, error) { return os.Open(path) }

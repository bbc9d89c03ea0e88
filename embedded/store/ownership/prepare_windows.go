package ownership

import "io/fs"

// checkOwner accepts every directory: mode bits say nothing on Windows, where
// the user's profile passes on its access list.
func checkOwner(string, fs.FileInfo) error { return nil }

//go:build !unix

package install

// syncDir does nothing: a directory cannot be synced here, and Windows orders
// changes of names in its own journal.
func syncDir(string) error { return nil }

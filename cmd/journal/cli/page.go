package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// WritePage writes a page to a file, and prints the path with a summary of the page. "-" means stdout, without a summary. A link
// stays: the file behind it is written. A link without a file, a device or a pipe, which a new file would replace, is refused.
func WritePage(a *App, path, summary string, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.Document())
	}
	var html bytes.Buffer
	if err := write(&html); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return WithHint(fmt.Errorf("write the page: %s is not a file", path), "name a new file; - is stdout")
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = path
		if _, err := os.Lstat(path); err == nil {
			return WithHint(fmt.Errorf("write the page: %s is a link to no file", path), "name a new file; - is stdout")
		}
	}
	if err := disk.Replace(target, html.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	fmt.Fprintf(a.Out, "%s: %s\n", path, summary)
	return nil
}

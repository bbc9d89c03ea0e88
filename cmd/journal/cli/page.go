package cli

import (
	"bytes"
	"fmt"
	"io"

	"journal/journal/disk"
)

// WritePage writes a page to a file, and prints the path with a summary of the page. "-" means stdout, without a summary.
func WritePage(a *App, path, summary string, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.Document())
	}
	var html bytes.Buffer
	if err := write(&html); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := disk.Replace(path, html.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	fmt.Fprintf(a.Out, "%s: %s\n", path, summary)
	return nil
}

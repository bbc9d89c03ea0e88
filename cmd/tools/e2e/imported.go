package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// importAdds checks that an import of what the client stores below its home adds nothing to what hooks reported.
func importAdds(kept ...string) check {
	return check{"an import adds", func(ctx context.Context, w *world) (string, bool) {
		out, err := w.journal(ctx, "import", filepath.Join(append([]string{w.home}, kept...)...), "--dry-run", "--json")
		var doc struct{ Sessions, Events int }
		if err == nil {
			err = json.Unmarshal([]byte(out), &doc)
		}
		return fmt.Sprint(doc.Events), err == nil && doc.Sessions == 1 && doc.Events == 0
	}}
}

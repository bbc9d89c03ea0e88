package recovery

import (
	"sync"
	"testing"
	"text/template"
)

// TestTemplateOnce: concurrent callers get the same template, with parts. A text of another copy, without its parts, would be
// empty.
func TestTemplateOnce(t *testing.T) {
	parsed.Clear()
	var all [8]*template.Template
	var started sync.WaitGroup
	begin := make(chan struct{})
	for i := range all {
		started.Go(func() {
			<-begin
			all[i], _ = Template("ko", "")
		})
	}
	close(begin)
	started.Wait()
	for _, tmpl := range all {
		if tmpl == nil || newPieces(tmpl) == nil {
			t.Fatal("a concurrent caller got another template")
		}
	}
}

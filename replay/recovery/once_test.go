package recovery

import (
	"sync"
	"testing"
	"text/template"
)

// TestTemplateOnce: concurrent callers get the same template. Another one would count as a person's own and be printed
// whole, and a built-in one has nothing but its parts: the text would be empty.
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
	for _, one := range all {
		if one == nil || newPieces(one) == nil {
			t.Fatal("a template that was asked for at the same time is not the built-in one")
		}
	}
}

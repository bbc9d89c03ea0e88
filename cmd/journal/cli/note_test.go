package cli

import (
	"fmt"
	"io"
	"sync"
	"testing"
)

// The pages of journal ui read logs on many goroutines, and each may find something that cannot be read.
func TestNotesAtOnce(t *testing.T) {
	t.Parallel()
	a := &App{Terminal: Terminal{Err: &display{to: io.Discard}}}
	var wg sync.WaitGroup
	for reader := range 8 {
		wg.Go(func() {
			for i := range 1000 {
				a.Note(fmt.Sprint(reader, i))
			}
		})
	}
	wg.Wait()
}

package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"runtime"
)

//go:embed testdata/spin.go
var spinSource string

// busy is row 10: a hook on a machine with as many spinning processes as it has cores, which stand for the builds and tests of an
// agent.
func (b *bench) busy() []line {
	s, cores := b.newStore(), runtime.NumCPU()
	b.start(s)
	group := b.both(s, bar{beyond: 4})
	for i := range group {
		group[i].name += fmt.Sprintf(", %d cores busy", cores)
	}
	spin := b.build("spin", spinSource)
	for range cores {
		c := exec.CommandContext(b.ctx, spin)
		stdin := must(c.StdinPipe()) // the process ends when it is closed
		check(c.Start())
		defer func() {
			_ = stdin.Close()
			_ = c.Wait() // an error if it was killed with the run
		}()
	}
	return b.measure(b.n, group...)
}

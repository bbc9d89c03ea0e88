package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"runtime"
)

//go:embed testdata/spin.go
var spinSource string

// busy is row 10: a hook on a machine that is kept busy by as many spinning processes
// as it has cores, as by the builds and tests that an agent runs meanwhile.
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
		held := must(c.StdinPipe()) // it ends when nobody holds this any more
		check(c.Start())
		defer func() {
			_ = held.Close()
			_ = c.Wait() // or it was killed with the run
		}()
	}
	return b.measure(b.n, group...)
}

package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

//go:embed testdata/peak.go
var peakSource string

// sizes returns lines with the peak memory of a hook process, and with the file size, of each program. The bar is that of
// journal-hook.
func (b *bench) sizes(s *store) []line {
	const most, samples = 8, 11
	peak := b.build("peak", peakSource)
	memory := func(p process, session int) (mb float64) {
		var all []float64
		for i := range samples {
			out := must(os.Create(b.file("peak-memory")))
			measured := process{args: append([]string{peak}, p.args...), env: p.env}
			must(b.send(measured, b.calls(session)(i), out))
			check(out.Close())
			all = append(all, must(strconv.ParseFloat(string(must(os.ReadFile(out.Name()))), 64))/(1<<20))
		}
		slices.Sort(all)
		return all[samples/2]
	}
	file := func(path string) float64 { return float64(must(os.Stat(path)).Size()) / (1 << 20) }
	size := func(what, path string, mb float64) line {
		l := line{What: what + " of " + filepath.Base(path), Value: fmt.Sprintf("%.1f MB", mb)}
		if path == b.small.path {
			l = l.reached(fmt.Sprintf("<= %d MB", most), mb <= most)
		}
		return l
	}
	return []line{
		size("peak memory of a hook", b.small.path, memory(s.hook(), 6)), size("peak memory of a hook", b.journal.path, memory(s.largeHook(), 7)),
		size("file", b.small.path, file(b.small.path)), size("file", b.journal.path, file(b.journal.path)),
	}
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// transcriptBytes is the size of the transcript in afterCompaction.
const transcriptBytes = 20 << 20

// afterCompaction is row 11 of the table of results: the owner's CPU time for a hook before and after a compaction in a session of
// 10,000 events with a long transcript. The transcript never shows the recovery text, so that the owner goes on looking for it. This
// row is measured only where the system has the time of each thread.
func (b *bench) afterCompaction() []line {
	s, path := b.newStore(), b.file("transcript.jsonl")
	b.generate(s, blockEvents, blockEvents)
	writeTranscript(path, sessionName(0))
	b.start(s)
	pid, n := s.status(b.ctx).Owner.PID, 0
	call := func(hook payload) payload { return hook.with(payload{"transcript_path": path}) }
	perHook := func() float64 {
		before := threadTime(pid)
		for range b.n {
			n++
			must(b.send(s.hook(), call(b.hooks.toolCall(sessionName(0), blockEvents+n)), b.null))
		}
		return ms(threadTime(pid)-before) / float64(b.n)
	}
	if threadTime(pid) == 0 {
		return []line{{What: "CPU of the owner for a hook", Value: "not known"}}
	}
	perHook() // what the owner reads only once is not measured
	calm := perHook()
	must(b.send(s.hook(), call(b.hooks.named("PreCompact")[0].with(payload{"session_id": sessionName(0)})), b.null))
	b.restart(s, sessionName(0), payload{"transcript_path": path})
	after := perHook()
	text, met := bar{within: 0.2}.compare(after, calm, "before")
	return []line{
		{What: "CPU of the owner for a hook", Value: fmt.Sprintf("%.2f ms", calm)},
		line{
			What: "the same after a compaction", Value: fmt.Sprintf("%.2f ms", after),
			Baseline: fmt.Sprintf("before %.2f", calm), Beyond: fmt.Sprintf("%+.2f (%.2fx)", after-calm, after/calm),
		}.reached(text, met),
	}
}

// writeTranscript writes the transcript of a session of many tool calls.
func writeTranscript(path, session string) {
	f := must(os.Create(path))
	w := bufio.NewWriter(f)
	result := strings.Repeat("ok  \tlimiter\t0.4s ", 100)
	for i, size := 0, 0; size < transcriptBytes; i++ {
		size += must(fmt.Fprintf(w, `{"type":"user","uuid":"%08x-0000-4000-8000-00000000000f","sessionId":%q,"timestamp":"2026-01-01T00:00:00.000Z",`+
			`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%q}]}}`+"\n", i, session, i, result))
	}
	check(w.Flush())
	check(f.Close())
}

// threadTime returns the CPU time of a process's threads, 0 on a system without /proc.
func threadTime(pid int) (sum time.Duration) {
	for _, path := range must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))) {
		var ran time.Duration // in nanoseconds: the first number of schedstat
		if b, err := os.ReadFile(path); err == nil {
			_, _ = fmt.Sscan(string(b), (*int64)(&ran))
		}
		sum += ran
	}
	return sum
}

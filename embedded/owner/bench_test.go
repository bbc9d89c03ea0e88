package owner_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire/client"
)

// BenchmarkHandle stores one event, synced, inside the owner.
func BenchmarkHandle(b *testing.B) {
	h := newHome(b)
	for b.Loop() {
		h.handle(prompt(b, about(0), "x"))
	}
}

// BenchmarkHandleOverSocket is what a hook does beside reading its input:
// connect, append one event, learn where it is.
func BenchmarkHandleOverSocket(b *testing.B) {
	h := newHome(b)
	h.serve()
	a := client.Open(h.dir, client.Options{})
	for b.Loop() {
		r, err := a.Send(context.Background(), request(b, prompt(b, about(0), "x")), 0)
		if err != nil || r.Spooled {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}

// BenchmarkHooksAtOnce is what 40 hooks do, 20 of them at once: each connects and appends
// one event.
func BenchmarkHooksAtOnce(b *testing.B) {
	h := newHome(b)
	h.serve()
	for b.Loop() {
		var hooks sync.WaitGroup
		room := make(chan struct{}, 20)
		for range 40 {
			r := request(b, prompt(b, about(0), "x"))
			room <- struct{}{}
			hooks.Go(func() {
				defer func() { <-room }()
				got, err := client.Open(h.dir, client.Options{}).Send(context.Background(), r, 0)
				if err != nil || got.Spooled {
					b.Errorf("%+v, %v", got, err)
				}
			})
		}
		hooks.Wait()
	}
}

// BenchmarkDrain takes events out of the spool: as scripts leave them there, in JSON and
// all of one session, or of 200; and as hooks do.
func BenchmarkDrain(b *testing.B) {
	const files = 5000
	for name, leave := range map[string]func(h *home, n int){
		"JSON, 1 session": func(h *home, n int) {
			h.foreignFile(n, content(1, spool.JSON, fmt.Sprintf(`{"type":"note.recorded","data":{"text":"note %d"},"session":"s"}`, n)))
		},
		"JSON, 200 sessions": func(h *home, n int) {
			h.foreignFile(n, content(1, spool.JSON, fmt.Sprintf(`{"type":"note.recorded","data":{"text":"note %d"},"session":"s%d"}`, n, n%200)))
		},
		"hooks, 1 session": func(h *home, n int) {
			if err := client.Open(h.dir, client.Options{}).Save(request(b, prompt(b, about(time.Duration(n)*time.Second), fmt.Sprint(n)))); err != nil {
				b.Fatal(err)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h := newHome(b)
				for n := range files {
					leave(h, n)
				}
				b.StartTimer()
				h.drain()
			}
			b.ReportMetric(files/(b.Elapsed().Seconds()/float64(b.N)), "events/s")
		})
	}
}

// BenchmarkAnswer appends an event and gives the recovery text as of it, in a
// log of 20,000 events of which 1,000 are the session's.
func BenchmarkAnswer(b *testing.B) {
	h := newHome(b)
	for i := range 20_000 {
		m := about(time.Duration(i) * time.Second)
		m.Session = fmt.Sprint(i / 1000)
		if i >= 19_000 {
			m.Session = "s"
		}
		var ev events.Event = events.CommandRan{Command: fmt.Sprint("make target-", i%100), Failed: i%7 == 0, Error: "exit 2"}
		if i%10 == 0 {
			ev = events.PromptSubmitted{Text: fmt.Sprint("wish ", i)}
		}
		if _, _, err := h.o.Log().Append(context.Background(), report(b, m, ev)[0]); err != nil {
			b.Fatal(err)
		}
	}
	h.restart()
	round := 0
	for b.Loop() {
		round++
		h.handle(report(b, about(time.Duration(20_000+round)*time.Second), events.ToolUsed{Tool: "x"})...)
		e := restarted(b, time.Duration(20_000+round)*time.Second)
		if reply := h.asks(e, owed(e)); reply.Text == "" {
			b.Fatalf("no answer: %+v", reply)
		}
	}
}

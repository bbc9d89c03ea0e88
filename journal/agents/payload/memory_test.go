package payload_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/journal/agents/payload"
)

// repeated yields head, then unit until size bytes of it were read, then tail, without ever holding all of it.
func repeated(head, unit string, size int64, tail string) io.Reader {
	block := strings.Repeat(unit, max(1, 32<<10/len(unit)))
	blocks := size / int64(len(block))
	return io.MultiReader(strings.NewReader(head), &loop{block: block, left: blocks}, strings.NewReader(tail))
}

type loop struct {
	block string
	left  int64
	at    int
}

func (l *loop) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n := copy(b, l.block[l.at:])
	if l.at += n; l.at == len(l.block) {
		l.at = 0
		l.left--
	}
	return n, nil
}

// TestReadMemory measures the allocations of the whole process, so it must not run beside others.
func TestReadMemory(t *testing.T) {
	const mb = 1 << 20
	whole := func(string) bool { return true }
	for _, tc := range []struct {
		name             string
		head, unit, tail string
		size             int64
		lim              payload.Limits
		deep             bool
	}{
		{name: "one string", head: `{"o":{"a":"`, unit: "text of a tool ", tail: `"}`, size: 100 * mb},
		{name: "one string of escapes", head: `{"o":{"a":"`, unit: `\u00e9\n`, tail: `"}`, size: 8 * mb},
		{name: "one string of broken bytes", head: `{"o":{"a":"`, unit: "\xff", tail: `"}`, size: 8 * mb},
		{name: "one whole string", head: `{"o":{"a":"`, unit: `가나다\n`, tail: `"}`, size: 8 * mb, lim: payload.Limits{Whole: whole}},
		{name: "one whole string of broken bytes", head: `{"o":{"a":"`, unit: "\xe2", tail: `"}`, size: 8 * mb, lim: payload.Limits{Whole: whole}},
		{name: "one name", head: `{"o":{"`, unit: "name", tail: `":1}`, size: 8 * mb},
		{name: "one number", head: `{"o":{"a":1`, unit: "0123456789", tail: `}`, size: 8 * mb},
		{name: "long strings", head: `{"o":["`, unit: strings.Repeat("x", 17_000) + `","`, tail: `"]`, size: 8 * mb},
		{name: "short strings", head: `{"o":["`, unit: `abc","`, tail: `"]`, size: 8 * mb},
		{name: "numbers", head: `{"o":[1`, unit: `,1`, tail: `]`, size: 8 * mb},
		{name: "members", head: `{"o":{"a":1`, unit: `,"some_name":{"x":"y"}`, tail: `}`, size: 8 * mb},
		{name: "top level members", head: `{"o":{}`, unit: `,"name":[]`, size: 8 * mb},
		{name: "open brackets", head: `{"o":`, unit: `[`, size: 10 * mb, deep: true},
		{name: "open braces", head: `{"o":`, unit: `{"a":`, size: 8 * mb, deep: true},
		{name: "white space", head: `{"o":`, unit: " \n", tail: `1`, size: 8 * mb},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if testing.Short() {
				tc.size = min(tc.size, 5*mb)
			}
			in := repeated(tc.head, tc.unit, tc.size, tc.tail+`,"session_id":"s-1"}`)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := payload.Read(in, tc.lim)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 2*mb && !testutil.Racing() {
				t.Errorf("allocated %d KB for %d MB", got>>10, tc.size/mb)
			}
			if tc.deep {
				if err == nil {
					t.Error("no error for open brackets")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Get("session_id").Str(); got != "s-1" {
				t.Errorf("session_id = %q behind %d MB", got, tc.size/mb)
			}
		})
	}
}

func TestReadSessionBehindDeepNesting(t *testing.T) {
	t.Parallel()
	const levels = 10_000_000
	v, err := payload.Read(io.MultiReader(
		repeated(`{"a":`, "[", levels, ""),
		repeated("", "]", levels, `,"session_id":"s-1"}`),
	), payload.Limits{})
	if err != nil || v.Get("session_id").Str() != "s-1" || !v.Get("a").Cut() {
		t.Errorf("session_id = %q, error %v", v.Get("session_id").Str(), err)
	}
}

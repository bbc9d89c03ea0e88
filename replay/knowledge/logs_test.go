package knowledge_test

import (
	"strings"
	"testing"

	"journal/replay/knowledge"
)

// TestPastedLogs: a text shows the lines of a structured log in a request without what is the same in all of them.
func TestPastedLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ log, want string }{
		"JSON": {
			`{"time":"2026-02-15T15:05:29.111156+11:00","level":"INFO","msg":"start","session":"b1a1","hook":"start"}
{"time":"2026-02-15T15:05:30.2+11:00","level":"INFO","msg":"task","session":"b1a1","hook":"task","session":"b1a1"}

{"time":"2026-02-15T15:05:31+11:00","level":"WARN","msg":"stop","session":"b1a1","from":"","to":{"a": 1}}
{"time":"2026-02-15T15:05:32+11:00","level":"INFO","msg":"stop","session":"b1a1","agent":"x"}
{"time":"2026-02-15T15:05:33+11:00","level":"INFO","msg":"stop","session":"b1a1","agent":"x"}`,
			`{"time":"2026-02-15T15:05:29.111156+11:00","level":"INFO","msg":"start","session":"b1a1","hook":"start"}
15:05:30.2 INFO task

15:05:31 WARN stop from= to={"a": 1}
15:05:32 INFO stop agent=x
15:05:33 INFO stop`,
		},
		"pairs over two days": {
			`ts=2026-02-15T23:59:58 level=info msg="a b" pid=7 n=1
ts=2026-02-15T23:59:59 level=info msg=c pid=7 n=2
ts=2026-02-16T00:00:00 level=info msg=c pid=7 n=3
ts=2026-02-16T00:00:01 level=error msg="c \"d\"" pid=7 n=4`,
			`ts=2026-02-15T23:59:58 level=info msg="a b" pid=7 n=1
2026-02-15T23:59:59 info c n=2
2026-02-16T00:00:00 info c n=3
2026-02-16T00:00:01 error c \"d\" n=4`,
		},
		"more than one object": {strings.Repeat("{\"msg\": \"x\"}]tail\n{\"msg\": \"x\"}} tail\n", 3), ""},
		"settings are no log":  {strings.Repeat("{\"name\": \"x\", \"value\": 1}\n", 6), ""},
		"assignments are none": {strings.Repeat("a=1 b=2 c=3\n", 6), ""},
		"a short one is whole": {strings.Repeat("{\"msg\": \"x\"}\n", 3), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := "It hangs:\n" + c.log + "\nWhy?"
			want := c.want
			if want != "" {
				want = "It hangs:\n" + want + "\nWhy?"
			}
			if got := knowledge.ShortLogs(words); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

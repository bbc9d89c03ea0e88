package cli

import (
	"strings"
	"testing"
)

// What an event is about comes first, whatever the order of its members; what people have no use for is left out.
func TestGist(t *testing.T) {
	for _, c := range []struct{ data, said, rest string }{
		{`{"detail":"limiter.go","task":"2","subject":"Replace the counter","status":"pending"}`, "Replace the counter", "pending|detail limiter.go|task 2"},
		{`{"cwd":"/p","root":"/p","source":"startup","transcript":"/t"}`, "startup", ""},
		{`{"agent":"claude","root":"/p"}`, "/p", "agent claude"},
		{`{"percent":12,"tokens":24000,"window":200000}`, "percent 12", "tokens 24000|window 200000"},
		{`{"text":"시계는 필드로","weak":true,"failed":true}`, "시계는 필드로", "inferred"},
		{`{"compaction":1,"items":[{},{}],"of":{"a":1}}`, "", "compaction 1|items 2"},
		{`{"path":"","text":"","tool":"Edit"}`, "Edit", ""},
		{`{"port":"a","reason":"true","weak":true}`, "a", "reason true|inferred"},
		{`[1]`, "", ""},
		{`{`, "", ""},
	} {
		said, rest := Gist([]byte(c.data))
		if said != c.said || strings.Join(rest, "|") != c.rest {
			t.Errorf("Gist(%s) = %q, %q", c.data, said, rest)
		}
	}
}

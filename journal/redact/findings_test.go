package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Places refer to the original text, however many rounds it took, and a finding never contains the secret.
func TestFind(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A1b2C3d4E5", 4)
	for in, want := range map[string][]Finding{
		"nothing here": nil,
		"a\n비밀번호: hunter22\ntoken = \"" + long + "\"\n":   {{"password", "2:7", 8}, {"token", "3:10", 40}},
		"<private>one</private> ghp_" + long:              {{"private", "1:1", 22}, {"github-token", "1:24", 44}},
		`{"key":"pw","value":"hunter22","httpOnly":true}`: {{"password", "/value", 8}},
		`{"credentials":{"pw":"correct horse battery"},"a/b":["x",{"key":"` + long + `"}]}`: {
			{"password", "/credentials/pw", 21}, {"api-key", "/a~1b/1/key", 40},
		},
		"{\"a\":1}\n{\"password\":\"hunter22\"}\n":         {{"password", "2:/password", 8}},
		"{\"a\":1}\n2\n{\"password\":\"hunter22\"}\n":      {{"password", "3:/password", 8}},
		"[1]\n\"ghp_" + long + "\"\n":                      {{"github-token", "2:", 44}},
		`{"headers":{"Cookie":"a=b; sid=` + long + `"}}`:   {{"cookie", "/headers/Cookie", 40}},
		`{"x":{"ghp_` + long + `":"token=` + long + `"}}`:  {{"token", "/x/[redacted:github-token]", 40}, {"github-token", "/x/[redacted:github-token]", 44}},
		`{"password":12345678}`:                            {{"password", "/password", 8}},
		`{"Authorization":"kqzvxwjtprmnbdfg` + long + `"}`: {{"authorization", "/Authorization", 56}},
		`{"password":{"value":12345678,"min":1000}}`:       {{"password", "/password/value", 8}},
		`{"name":"password","value":12345678}`:             {{"password", "/value", 8}},
		`"password=hunter22"`:                              {{"password", "1:11", 8}},
		"kind: Secret\nstringData:\n  conf: >-\n    " + long + "\n  JWT_SECRET: |\n    " + long + "\n": {{"secret", "4:5", 40}, {"secret", "6:5", 40}},
	} {
		got := FindIn([]byte(in))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", in, diff)
		}
		if b, err := json.Marshal(got); err != nil || strings.Contains(string(b), "hunter22") || strings.Contains(string(b), long) {
			t.Errorf("%s, error %v", b, err)
		}
	}
}

// Programs of Windows begin files with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	in := "\ufeff" + `{"env":[{"name":"LANG","value":"en"},{"key":"비밀번호","Value":"Tiger@433"}]}`
	if diff := cmp.Diff([]Finding{{"password", "/env/1/Value", 9}}, FindIn([]byte(in))); diff != "" {
		t.Error(diff)
	}
	if got, want := string(Document([]byte(in))), strings.ReplaceAll(in, "Tiger@433", "[redacted:password]"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A bracket behind the values makes a text that is no JSON: what follows it is redacted too.
func TestBracketBehindTheValues(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{"a":1}] password=hunter22`, "[1]\n}\nDB_PASSWORD=hunter22\n"} {
		if got := string(Document([]byte(in))); got != Text(in) || strings.Contains(got, "hunter22") {
			t.Errorf("got %s", got)
		}
		if _, err := JSON([]byte(in)); err == nil {
			t.Errorf("%s was taken for JSON", in)
		}
	}
}

// In an event's own fields a name decides nothing: they are ours.
func TestFindInTexts(t *testing.T) {
	t.Parallel()
	got := FindInTexts([]byte(`{"password":"swordfish","text":"password=hunter22"}`))
	if diff := cmp.Diff([]Finding{{"password", "/text", 8}}, got); diff != "" {
		t.Error(diff)
	}
}

// Find lists exactly the secrets that Text removes.
func TestFoundIsRemoved(t *testing.T) {
	t.Parallel()
	piece := rapid.OneOf(rapid.SampledFrom(probes()), rapid.SampledFrom([]string{
		"\n", " ", "<private>", "</private>", "[redacted:token]", "\u200b", "ghp_" + strings.Repeat("A1b2C3d4E5", 4), "password=", `{"pw":"`, `"}`, "Cookie: sid=",
	}))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "text"), "")
		all := spansOf(s)
		for i := 1; i < len(all); i++ {
			if all[i].from < all[i-1].to {
				t.Fatalf("%q: %v overlap", s, all)
			}
		}
		if got, want := replace(s, all), Text(s); got != want {
			t.Fatalf("%q: found %v\n got %q\nwant %q", s, all, got, want)
		}
	})
}

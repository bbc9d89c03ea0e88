package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"journal/cmd/testkit/testutil"
	"journal/journal/redact"
)

// pieces are the parts of texts that test the borders between rules: keywords, separators, quotes, marks, whole secrets.
func pieces() []string {
	p := []string{
		" ", "\n", `\n`, `\\n`, `\`, `"`, `'`, "`", "=", ":", ": ", " = ", ",", "(", ")", "[", "]", "{", "}", "<", ">", "</", "@", "/", "://", "-", "--", "-u ",
		"_", ".", "$", "${", "%", "&", "?", "x", "ab", "7", "A9", "하", "パ", "：", "\xff", "\xe3\x83", "é", mix(8), mix(16), low(32), high(16),
		"[redacted:password]", "[redacted:", "[redacted:token]", "redacted", "string = ", "Bearer ", "-----", "-----END X-----", "curl ", "BEGIN PRIVATE KEY-----",
		"<private>", "</private>",
	}
	for _, r := range redact.Rules() {
		p = append(p, r.Keywords...)
	}
	for _, s := range secrets {
		if len(s.secret) < 200 {
			p = append(p, s.before, s.secret, s.after)
		}
	}
	return p
}

func texts() *rapid.Generator[string] {
	small, whole := rapid.SampledFrom(pieces()), rapid.Custom(func(t *rapid.T) string {
		c := rapid.SampledFrom(secrets).Draw(t, "secret")
		return c.before + c.secret + c.after
	})
	piece := rapid.OneOf(small, small, small, whole, whole, rapid.SampledFrom(clean), rapid.StringN(0, 12, -1))
	return rapid.Map(rapid.SliceOfN(piece, 2, 24), func(p []string) string { return strings.Join(p, "") })
}

func TestRedactingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	gen := texts()
	rapid.Check(t, func(t *rapid.T) { checkLaws(t, gen.Draw(t, "text")) })
}

// checkLaws reports which of the promises of Text do not hold for s.
func checkLaws(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) {
	t.Helper()
	once := redact.Text(s)
	if twice := redact.Text(once); twice != once {
		t.Fatalf("not stable:\n in    %q\n once  %q\n twice %q", s, once, twice)
	}
	if utf8.ValidString(s) && !utf8.ValidString(once) {
		t.Fatalf("Text(%q) = %q is no valid UTF-8", s, once)
	}
	if redact.Count(once) == 0 && once != s {
		t.Fatalf("Text(%q) = %q changed the text without a mark", s, once)
	}
	// The text between the marks is in the original, in this order.
	rest := s
	for _, kept := range between(once) {
		i := strings.Index(rest, kept)
		if i < 0 {
			t.Fatalf("Text(%q) = %q wrote %q, which is neither a mark nor of the text", s, once, kept)
		}
		rest = rest[i+len(kept):]
	}
}

// between splits s at its marks.
func between(s string) []string {
	var out []string
	for {
		before, after, ok := strings.Cut(s, "[redacted:")
		out = append(out, before)
		if !ok {
			return out
		}
		if kind, rest, closed := strings.Cut(after, "]"); closed && redact.Count("[redacted:"+kind+"]") == 1 {
			s = rest
			continue
		}
		out[len(out)-1] += "[redacted:"
		s = after
	}
}

func TestSecretsAreFoundBetweenAnyLines(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom(clean)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(secrets).Draw(t, "secret")
		if c.after == "" {
			c.after = "\n"
		}
		before := line.Draw(t, "before") + "\n\n" + c.before
		after := c.after + "\n\n" + line.Draw(t, "after")
		if got, want := redact.Text(before+c.secret+after), before+"[redacted:"+c.kind+"]"+after; got != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// The output of a command below an empty line is no value of the name in the command: only the secret is removed.
func TestOnlyTheSecretBelowACommandGoes(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"kubectl get secret my-app-tls-2 -o yaml\n\n", "secret\n\n"} {
		for _, around := range [][2]string{{`{"stdout":"here:\n`, `\n"}`}, {"password=", ""}} {
			before, after := head+around[0], around[1]+"\n"
			if got, want := redact.Text(before+"ghp_A1b2C3d4E5f6G7h8J9k0A1b2C3d4E5f6G7h8"+after), before+"[redacted:github-token]"+after; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		}
	}
}

// The name of a member may contain a secret. The rest of the name has the same sense for the value as before.
func TestSecretInAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"use ABSK" + mix(120) + " now", "key AKIA" + strings.ToUpper(mix(16)), "password of ABSK" + mix(120)} {
		doc, _ := json.Marshal(map[string]string{name: mix(20)})
		once, err := redact.JSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := redact.JSON(once); err != nil || string(twice) != string(once) {
			t.Errorf("not stable:\n in    %s\n once  %s\n twice %s, error %v", doc, once, twice, err)
		}
	}
}

// JSON stays JSON, and redacting it again changes nothing: neither as a document nor as a text.
func TestRedactingDocumentsTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	word := rapid.OneOf(rapid.SampledFrom([]string{
		"password", "key", "value", "name", "credentials", "Cookie", "--token", "authorization", "secrets", "x", "sid=" + mix(24) + "; a=b",
		"Bearer " + mix(30), mix(20), "hunter22", "[redacted:token]", "-----END PRIVATE KEY-----", mix(64), `{"pw":"s3same-open"}`, "a\u200b", "",
	}), texts())
	value := rapid.Custom(func(t *rapid.T) any { return word.Draw(t, "text") })
	for range 3 {
		below := value
		value = rapid.OneOf(
			below, below,
			rapid.Map(rapid.SliceOfN(below, 0, 4), func(v []any) any { return v }),
			rapid.Map(rapid.MapOfN(word, below, 0, 4), func(v map[string]any) any { return v }),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		doc, err := json.Marshal(value.Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		once, err := redact.JSON(doc)
		if err != nil || !json.Valid(once) {
			t.Fatalf("%s became %s, error %v", doc, once, err)
		}
		if twice, err := redact.JSON(once); err != nil || string(twice) != string(once) {
			t.Fatalf("not stable:\n in    %s\n once  %s\n twice %s, error %v", doc, once, twice, err)
		}
		checkLaws(t, string(doc))
	})
}

// What the laws above have found.
func TestDocumentsAreRedactedAtOnce(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"password":{"value":["key","\\n"]}}`, `{"password":[["-auth","key"]]}`, `{"password":["--token","-----END PRIVATE KEY-----"]}`,
		`[["--token","Bearer ` + mix(30) + `","cancellationToken: CancellationToken1234"]]`,
	} {
		once, err := redact.JSON([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := redact.JSON(once); err != nil || string(twice) != string(once) {
			t.Errorf("not stable:\n in    %s\n once  %s\n twice %s, error %v", doc, once, twice, err)
		}
		checkLaws(t, doc)
	}
	checkLaws(t, "key id x, region y\rkey id x, region y")
	for n := range 40 { // the window of the rule ends in a mark, and in a letter
		checkLaws(t, " secrets set "+strings.Repeat("a", 980+n)+" y=[redacted:secret]€€€€€ z")
		checkLaws(t, " secrets set "+strings.Repeat("a", 980+n)+" y=€€€€€ z")
	}
}

func FuzzText(f *testing.F) {
	for _, s := range clean {
		f.Add(s)
	}
	for _, c := range secrets {
		f.Add(c.before + c.secret + c.after)
	}
	for _, p := range pieces() {
		f.Add(p + "=" + p + "\n" + p)
	}
	f.Fuzz(func(t *testing.T, s string) { checkLaws(t, s) })
}

// TestHostileTextsTakeLinearTime gives texts that make every place look like a secret's beginning. Each takes some 20 ms;
// with quadratic time it would take a hundred times as long.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("128 KiB of each")
	}
	const size = 128 << 10
	block := "-----BEGIN PRIVATE KEY-----\n" + mix(64) + "\n"
	for _, unit := range []string{
		"token", "token=", "token='", "token: ", `token=\"`, "password=a1b2c3", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", block,
		"sk-", "sk-A1b2", "eyJ", "eyJaaaaaaaaaa.", "=eyJ.", "://", "://a:", "://a:b@", "curl ", "curl -u ", "curl -u a:", "SG.aaaaaaaaaaaaaaaa.", "[redacted:", "token=[redacted:",
		"rubygems_" + low(48) + "shpat_" + low(32), "AKIA" + high(16) + "ghp_" + strings.Repeat("a", 36) + "_", "machine a login ", "authorization: bearer ", `\`, "password=$",
		"<password>", "비밀번호", "パスワードは", "secret_access_key ", "mysql a ", "Private-Lines: ",
		"cookie: ", "cookie: a=b; ", "-----END PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", mix(64) + "\n-----END PRIVATE KEY-----\n", mix(64) + `\n`,
		"key=", "key: value: ", "name: key\nvalue: ", "[", "[[\"", `{"a":`, `{"password":"a1b2c3"}`, `["--password","x1y2z3"],`, "\u200bghp_", "pass: x\n", "?code=a1",
		"\ttrue\t/", "LS0tLS1CRUdJTi", "hook", "a.b/hook/", "login ", "password is ", "<<< ", "echo a | passwd ", " -p ", "a  token  ",
		"# password:x:y\n", "data:\n", "10:00:11 web | password: x\n", "1:1:1:\n", "&lt;password&gt;", `"\"`, `"\\\\\n`, `'\'`, `\'"x" `, `"a\n" `, "-----BEGIN PRIVATE KEY----- -----END X",
	} {
		var out string
		if took := testutil.CPU(func() { out = redact.Text(strings.Repeat(unit, size/len(unit))) }); took > 4*time.Second {
			t.Errorf("%q repeated: %v", unit, took)
		} else {
			t.Logf("%-30.30q %8.1f ms, %d marks", unit, float64(took.Microseconds())/1000, redact.Count(out))
		}
	}
}

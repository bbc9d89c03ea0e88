package redact

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// digest is the digest of RuleSet: of the table of rules, and of the redacted probes.
const digest = "45 9262d96d938b7ebbeacca2a579fd0f6e"

// probes are texts that the rules judge rather than match. Their results are part of the digest, since a function cannot be.
func probes() []string {
	word, code := "hunter"+"22", strings.Repeat("A1b2C3d4E5", 4)
	probes := []string{
		"-----BEGIN PRIVATE KEY-----\n" + code + "\nprose follows",
		"eyJ" + code + ".eyJ" + code + "." + code,
		"https://u:" + word + "@h/", "https://u:${P}@h/", "curl -u u:" + word, "Authorization: Basic " + code, "Bearer " + code,
		"a <private>b</private> c", "a <private>b", "b</private> c", "a <PRIVATE>b</Private> c",
		"123456789:AA" + code, code[:32] + "-us1", "sk-" + code, "sk-a-name-of-words-in-code",
	}
	for _, name := range []string{"password", "DB_PASSWORD", "clientSecret", "token", "tokens", "pageToken", "token_url", "api-key", "비밀번호", "パスワード"} {
		for _, sep := range []string{"=", ": ", ":", " = ", `": "`, `\":\"`, "：", " "} {
			for _, v := range []string{word, code, "swordfish", "required", "12345678", "os.Getenv(x1)", "cfg.Value1", "$NAME", "${NAME1}", "xxxxxxxx", "example1", "a/b", "/etc/key", "필수 입력"} {
				probes = append(probes, name+sep+v)
			}
		}
	}
	for _, v := range []string{word, code, "swordfish", "required", "maple-river-stone", "src/a/b2.ts", "Base64Encoder"} {
		probes = append(probes, "setPassword(\""+v+"\")", "PASSWORD '"+v+"'", "token <- \""+v+"\"", "the password is "+v, "secret: |\n  "+v+"\n", "PASSWORD=$(cat <<EOF\n"+v+"\nEOF\n)\n", "secret: |\r\n  "+v+"\r\n\r\n  "+v+"\r\n", "- secret: |\n    "+v+"\n  a: b\n", "[secrets]\nx = "+v+"\n",
			"a,password\n1,"+v+"\n", "redis-cli -a "+v, "echo "+v+" | sudo -S x", "     1\ta: b\n     2\tpassword: "+v+"\n", "login(u, \""+v+"\")")
	}
	for _, name := range []string{"password", "credentials", "key", "cacheKey", "token", "auth", "pass", "Cookie", "Authorization", "otp", "password_hint"} {
		for _, v := range []string{word, code, "swordfish", "a=b; sid=" + code, "Bearer " + code, "four random plain words", "enter a password", "4821"} {
			probes = append(probes, fmt.Sprintf(`{"a":{%q:%q}}`, name, v), fmt.Sprintf(`[{"name":%q,"value":%q},["--%s",%q]]`, name, v, name, v), fmt.Sprintf(`{%q:{"x":%q}}`, name, v))
		}
	}
	for _, v := range []string{word + "Xz", "Tr0ub4dor&3xyz", code[:36]} {
		probes = append(probes, "login(\""+v+"\")", "bcrypt.hash(\""+v+"\")", "$ cat password.txt\nbob\n"+v+"\n", "bob@host:~$ echo $TOKEN\n"+v+"\n", "In [1]: print(token)\n"+v+"\n", "E       assert '"+v+"' == settings.password",
			"DB_PASSWORD={"+v+"\n", "> password: "+v+"\n> next\n", `{"password":"`+v+`\ud83d\udd11"}`, `{"password":"sommer`+`\ud83d\udd11"}`)
	}
	return probes
}

func TestRuleSetRisesWithTheRules(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for _, r := range Rules() {
		fmt.Fprintf(h, "%q %q %q %v %q %v %v %d\n", r.Name, r.Kind, r.Keywords, r.Fold, r.pattern, r.apart, r.generic, r.window)
	}
	for _, p := range probes() {
		fmt.Fprintf(h, "%q\n", Text(p))
	}
	if got := fmt.Sprintf("%d %x", RuleSet, h.Sum(nil)[:16]); got != digest {
		t.Errorf("the rules are not those of rule set %d any more.\n"+
			"If some text is now redacted differently, raise RuleSet in redact.go by one and run this test again.\n"+
			"Then set digest in rule_test.go to %q.", RuleSet, got)
	}
}

func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	theGate()
	for _, r := range allRules {
		if r.pattern != "" && r.compiled().NumSubexp() > 1 {
			t.Errorf("%s: the pattern has more than one group", r.Name)
		}
	}
}

// Every rule is declared as the gate and the marks need it.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	theGate()
	names := map[string]bool{}
	for _, r := range allRules {
		if what := problem(r); what != "" || names[r.Name] {
			t.Errorf("rule %q %s, or is declared twice", r.Name, what)
		}
		names[r.Name] = true
	}
}

// problem describes the fault of a declaration, empty if it has none.
func problem(r *Rule) string {
	if r.Name == "" || len(r.Keywords) == 0 {
		return "needs a name, what it finds, and keywords"
	}
	ways := 0
	for _, way := range [...]bool{r.format != "", r.pattern != "", r.find != nil, r.each != nil} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		return "needs one of format, pattern, find and each"
	}
	if r.each != nil && (r.apart != 0 || r.check != nil) {
		return "has each beside apart or check, which are for one secret"
	}
	if r.Kind == "" || kindLen(r.Kind) != len(r.Kind) {
		return "has a kind that cannot stand in a mark"
	}
	for _, k := range r.Keywords {
		if len(k) < gram || r.Fold && upper.in(k) > 0 {
			return "has a keyword that is too short, or not in lower case though it folds"
		}
	}
	return ""
}

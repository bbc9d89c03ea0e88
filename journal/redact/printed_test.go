package redact_test

import (
	"strconv"
	"strings"
	"testing"

	"journal/journal/redact"
)

// A tool may put a prefix before each line: the time of a log, the name of a container or a file, the sign of a comment. What is found
// without the prefix is found behind it.
func TestSecretsAreFoundBehindPrefixes(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"2026-11-30T10:00:11.1234567Z ", "web_1  | ", "[pod/web-1/app] ", "E       ", "# ", "conf/app.yml:11:", "remote: ", "│ "} {
		for _, c := range secrets {
			text := prefix + strings.ReplaceAll("first line\n"+c.before+c.secret+c.after, "\n", "\n"+prefix)
			out := redact.Text(text)
			for line := range strings.SplitSeq(c.secret, "\n") {
				if len(line) >= 6 && strings.Contains(out, line) {
					t.Errorf("Text(%q) = %q leaves %q", text, out, line)
				}
			}
		}
	}
}

// A program may print a text of several lines as a literal, also within another literal.
func TestSecretsAreFoundInLiterals(t *testing.T) {
	t.Parallel()
	for _, place := range []struct {
		name  string
		quote func(string) string
	}{
		{"Go", strconv.Quote},
		{"JSON", func(s string) string { return "2026-11-30 INFO out {\"stdout\":" + jsonOf(s) + "}" }},
		{"JSON in JSON", func(s string) string { return "INFO m=" + jsonOf("{\"stdout\":"+jsonOf(s)+"}") }},
		{"JSON in Go", func(s string) string { return strconv.Quote("{\"stdout\":" + jsonOf(s) + "}") }},
	} {
		for _, c := range secrets {
			out := redact.Text("got " + place.quote("first line\n"+c.before+c.secret+c.after) + ", want x\n")
			for line := range strings.SplitSeq(c.secret, "\n") {
				if len(line) >= 6 && strings.Contains(out, line) {
					t.Errorf("%s: %q leaves %q", place.name, out, line)
				}
			}
		}
	}
}

// A command may stand behind the prompt of a shell or a console.
func TestValueBelowPrompt(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"$ cat password.txt", "user@host:~$ echo $DB_PASSWORD", "root@abc:/# cat password.txt", "[user@host ~]$ echo $DB_PASSWORD", "bash-5.1$ echo $DB_PASSWORD",
		"Bob@Mac work % cat password.txt", "(venv) bob@host:~/a b$ cat password.txt", `PS C:\Users\a b> cat password.txt`, `C:\Users\a b>type password.txt`, `D:\>type password.txt`,
		"(ipdb) p password", "ipdb> p password", "(Pdb) password", "In [3]: print(db_password)", "In [12]: db_password", "In [4]: !cat password.txt", ">>> password", ">>> print(password)",
		// What looks like a prompt is a command.
		"cat bob@host > password", "$ echo bob@host.test # password", `C:\bin/cat password.txt`, `C:\` + strings.Repeat("a", 120) + `>type password.txt`,
	} {
		for _, value := range []string{"Tr0ub4dor&3x", "'Tr0ub4dor&3x'"} {
			if got := redact.Text(line + "\n" + value + "\n"); strings.Contains(got, "Tr0ub") {
				t.Errorf("%q keeps the value", got)
			}
		}
	}
	for _, text := range []string{"Tests [3] echo $DB_PASSWORD\nTr0ub4dor&3x\n", "50% of all: password\nTr0ub4dor&3x\n", "a b> c cat password\nTr0ub4dor&3x\n"} {
		if got := redact.Text(text); got != text {
			t.Errorf("Text(%q) = %q", text, got)
		}
	}
}

// A command may print the user on a line of its own above the value.
func TestValueBelowItsUser(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]string{
		"$ cat password.txt\nbob\nKd93fjw82Lq\n":             "$ cat password.txt\nbob\n[redacted:password]\n",
		"$ echo $CREDENTIALS\nadmin\nTr0ub4dor&3xyz\ndone\n": "$ echo $CREDENTIALS\nadmin\n[redacted:credential]\ndone\n",
	} {
		if got := redact.Text(printed); got != want {
			t.Errorf("Text(%q) = %q, want %q", printed, got, want)
		}
	}
}

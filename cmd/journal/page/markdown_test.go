package page_test

import (
	"regexp"
	"strings"
	"testing"

	"journal/cmd/journal/page"
)

// allowed are the only tags of rendered markdown, with their attributes.
var allowed = regexp.MustCompile(`</?(?:p|pre|code|em|strong|del|ul|ol|li|blockquote|thead|tbody|tr|th|td|a)>|<(?:br|hr)>|<p class="h">|<table tabindex="0">|</table>|<pre tabindex="0">|<ol start="\d+">|<a href="https?://[^"<>\s]*" rel="noreferrer">`)

// attacks are texts that must stay texts.
var attacks = []string{
	"<script>document.title='owned'</script>", "a <img src=x onerror=alert(1)> b", "![seen](https://evil.example/x.png)", "[go](javascript:alert(1))", "[go](java&#115;cript:alert(1))",
	"[go](data:text/html,x)", "<javascript:alert(1)>", "[go](/p/x/s/y/note)", "[go](//evil.example)", `[go](https://a.example "onmouseover=alert(1)")`, "[go](https://a.example/\"><script>)",
	"&#x202e;gnp.exe", "user\u202egnp.exe \x1b[31m", "<div onclick=alert(1)>\n\n# head", "<!-- hidden -->", "<pre>\n**x**\n</pre>\n\n<style>*{}", "|a|b|\n|:-|-:|\n|<b>|`|`|", "```\"><script>\nx\n```",
	strings.Repeat(">", 10_000), strings.Repeat("[", 100_000), strings.Repeat("*a_ ", 50_000), strings.Repeat("*a_ \n", 50_000), strings.Repeat("- ", 5_000) + "x", strings.Repeat("x", 300<<10), "[a]: javascript:alert(1)\n\n[a] [b][a]",
}

// checkMarkdown fails if the HTML of a text has anything that acts, or characters that are not seen.
func checkMarkdown(t *testing.T, s string) string {
	t.Helper()
	html := string(page.Markdown(s))
	if left := allowed.ReplaceAllString(html, ""); strings.ContainsAny(left, "<>") {
		t.Errorf("%.200q becomes %.400q", s, left)
	}
	if strings.ContainsAny(html, "\x1b\u202e\u2066\x00") {
		t.Errorf("%.200q has unseen characters: %.400q", s, html)
	}
	return html
}

// TestMarkdown: text is shown as it was meant, and nothing in it acts or disappears.
func TestMarkdown(t *testing.T) {
	for _, a := range attacks {
		checkMarkdown(t, a)
	}
	for _, deep := range []string{strings.Repeat("- ", 30) + "x", strings.Repeat("> ", 30) + "x", nested(30)} {
		if html := checkMarkdown(t, deep); !strings.HasPrefix(html, "<pre") {
			t.Errorf("%q is rendered: %s", deep, html)
		}
	}
	for in, want := range map[string]string{
		"**bold** `x<y`\nnext":                     "<p><strong>bold</strong> <code>x&lt;y</code><br>\nnext</p>",
		"- one\n- two":                             "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
		"# head":                                   `<p class="h">head</p>`,
		"```go\na := <-b\n```":                     "<pre tabindex=\"0\"><code>a := &lt;-b\n</code></pre>",
		"see [it](https://a.example/?q=1&b=2)":     `<p>see <a href="https://a.example/?q=1&amp;b=2" rel="noreferrer">it</a></p>`,
		"<https://a.example>":                      `<p><a href="https://a.example" rel="noreferrer">https://a.example</a></p>`,
		"![the chart](https://a.example/c.png)":    "<p>the chart</p>",
		"[go](file:///etc/passwd)":                 "<p>go</p>",
		"use <T> here":                             "<p>use &lt;T&gt; here</p>",
		"<details>\nsecret\n</details>":            "<p>&lt;details&gt;<br>\nsecret<br>\n&lt;/details&gt;</p>",
		"결정: **고루틴 없음**":                           "<p>결정: <strong>고루틴 없음</strong></p>",
		"| a | b |\n|---|:-:|\n| 1 | <script> |\n": "<table tabindex=\"0\">\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>&lt;script&gt;</td>\n</tr>\n</tbody>\n</table>",
	} {
		if got := strings.TrimSpace(checkMarkdown(t, in)); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", in, got, want)
		}
	}
}

// nested is a list of lists, each on a line of its own.
func nested(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

// FuzzMarkdown: no text becomes an element that acts.
func FuzzMarkdown(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkdown(t, s) })
}

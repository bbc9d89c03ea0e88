package payload_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

const secret = "sk-0123456789abcdef0123456789abcdef"

func remove(_ redact.Place, s string) string { return strings.ReplaceAll(s, secret, "[redacted:key]") }

func TestCleanAppliesToValuesAndNames(t *testing.T) {
	t.Parallel()
	v := read(t, `{"a":"x `+secret+` y","`+secret+`":[{"b":["`+secret+`",1,null]}]}`, payload.Limits{})
	if got, want := string(v.Clean(remove).JSON()), `{"a":"x [redacted:key] y","[redacted:key]":[{"b":["[redacted:key]",1,null]}]}`; got != want {
		t.Errorf("Clean = %s, want %s", got, want)
	}
	if !strings.Contains(v.Get("a").Str(), secret) {
		t.Error("Clean changed its receiver")
	}
}

func TestCleanOfANumberWithALabel(t *testing.T) {
	t.Parallel()
	v := read(t, `{"name":"password","value":12345678}`, payload.Limits{}).Clean(redact.TextAt)
	if got, want := string(v.JSON()), `{"name":"password","value":"[redacted:password]"}`; got != want {
		t.Errorf("Clean = %s, want %s", got, want)
	}
}

func TestCleanOfPartOfAValue(t *testing.T) {
	t.Parallel()
	v := read(t, `{"a":{"b":1},"c":2}`, payload.Limits{})
	if got := string(v.Get("a").Clean(remove).JSON()); got != `{"b":1}` {
		t.Errorf("Clean = %s", got)
	}
}

func TestCleanMakesNamesEqual(t *testing.T) {
	t.Parallel()
	v := read(t, `{"k1":1,"k2":2,"x":3}`, payload.Limits{}).Clean(func(_ redact.Place, s string) string {
		if strings.HasPrefix(s, "k") {
			return "k"
		}
		return s
	})
	if got := string(v.JSON()); got != `{"k":2,"x":3}` || !v.Cut() {
		t.Errorf("Clean = %s, cut %v", got, v.Cut())
	}
}

// TestCleanSecretOnTheEdge: a secret anywhere around the two edges of the cut must not survive, not even in part.
func TestCleanSecretOnTheEdge(t *testing.T) {
	t.Parallel()
	const size = 100_000
	for _, edge := range []int{8 << 10, 12 << 10, size - 8<<10, size - 4<<10} {
		for _, off := range []int{-len(secret) - 1, -len(secret), -20, -5, -1, 0, 1, 20} {
			at := edge + off
			whole := strings.Repeat(".", at) + secret + strings.Repeat(".", size-at-len(secret))
			v := read(t, `{"out":"`+whole+`"}`, payload.Limits{}).Clean(remove)
			got := v.Get("out").Str()
			rest := strings.Replace(got, mark(t, got), "", 1)
			if strings.ContainsAny(rest, "0123456789s-") {
				t.Errorf("secret at %d: part of it is kept", at)
			}
		}
	}
}

// TestCleanTornText: of a text with a break in it the beginning is kept, without a possible part of a secret; a
// possible id is not kept.
func TestCleanTornText(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100, 8 << 10, 9_000, 12 << 10, 17_000, 100_000} {
		for _, off := range []int{1, 10, len(secret) - 1, len(secret), 5000} {
			whole := strings.Repeat(".", size) + secret + strings.Repeat(".", 5000)
			v, err := payload.Read(strings.NewReader(`{"session_id":"s","out":"`+whole[:size+off]), payload.Limits{})
			if err == nil || v.Get("session_id").Str() != "s" || !v.Cut() {
				t.Fatalf("%d+%d bytes: %v, %v", size, off, v, err)
			}
			got := v.Clean(remove).Get("out")
			if size+off <= 8<<10 {
				if got.Exists() {
					t.Errorf("%d+%d bytes: kept %q", size, off, got.Str())
				}
				continue
			}
			rest := strings.Replace(got.Str(), mark(t, got.Str()), "", 1)
			if !got.Cut() || len(rest) < min(size-4<<10, 8<<10) || strings.Trim(rest, ".") != "" && !strings.Contains(rest, "[redacted:key]") || strings.Contains(rest, "sk-") {
				t.Errorf("%d+%d bytes: kept %d: %.20q…", size, off, len(rest), rest)
			}
		}
	}
}

// mark returns the mark in a cut string.
func mark(t *testing.T, s string) string {
	t.Helper()
	from, to := strings.Index(s, "…[+"), strings.LastIndex(s, "]…")
	if from < 0 || to < from {
		t.Fatalf("no mark in %d bytes", len(s))
	}
	return s[from : to+len("]…")]
}

// TestCleanBrokenSecretIsNotMovedIntoView: redactions that shorten the held beginning move its end, where a secret may
// be broken off, towards the kept part.
func TestCleanBrokenSecretIsNotMovedIntoView(t *testing.T) {
	t.Parallel()
	block := "BEGIN" + strings.Repeat("p", 3000) + "END"
	shorten := func(at redact.Place, s string) string { return remove(at, strings.ReplaceAll(s, block, "[pem]")) }
	// The held bytes are 12 KiB of the beginning, with 10 bytes of the secret, and 8 KiB of the end, with all but 10
	// bytes of it.
	head := block + strings.Repeat(".", 12<<10-len(block)-10) + secret[:10]
	tail := secret[10:] + strings.Repeat(".", 8<<10-len(block)-len(secret)+10) + block
	in := `"` + head + secret[10:] + strings.Repeat("-", 50_000) + secret[:10] + tail + `"`
	got := read(t, in, payload.Limits{}).Clean(shorten).Str()
	if !strings.HasPrefix(got, "[pem]..") || !strings.HasSuffix(got, "..[pem]") {
		t.Fatalf("unexpected ends %q %q", got[:10], got[len(got)-10:])
	}
	rest := strings.Replace(got, mark(t, got), "", 1)
	if strings.ContainsAny(rest, "sk0123456789") {
		t.Error("a broken secret is in what is kept")
	}
}

func TestCleanMark(t *testing.T) {
	t.Parallel()
	const size = 50_000
	whole := secret + strings.Repeat("a", size-2*len(secret)) + secret
	got := read(t, `"`+whole+`"`, payload.Limits{}).Clean(remove).Str()
	short := "[redacted:key]"
	// The margin is not used up by what the redaction saved.
	head := short + strings.Repeat("a", 8<<10-len(secret))
	tail := strings.Repeat("a", 4<<10-len(secret)) + short
	lost := size - 12<<10
	digest := sha256.Sum256([]byte(head + tail))
	want := fmt.Sprintf("%s…[+%d bytes sha256:%x]…%s", head, lost, digest[:8], tail)
	if got != want {
		t.Errorf("mark = %s, want %s", mark(t, got), mark(t, want))
	}
}

// TestCleanLengths: all lengths around the limits: kept whole, held whole and cut, held in two parts.
func TestCleanLengths(t *testing.T) {
	t.Parallel()
	for _, n := range []int{16<<10 - 1, 16 << 10, 16<<10 + 1, 17_000, 20 << 10, 20<<10 + 1, 28 << 10, 28<<10 + 1, 30_000, 70_000, 200_000} {
		whole := strings.Repeat("0123456789", n/10+1)[:n]
		v := read(t, `["`+whole+`"]`, payload.Limits{})
		if v.Cut() != (n > 16<<10) {
			t.Errorf("%d bytes: Cut = %v", n, v.Cut())
		}
		for item := range v.Clean(nil).Items() {
			want := whole
			if n > 16<<10 {
				want = text.Cut(whole, 8<<10, 4<<10)
			}
			if item.Str() != want {
				t.Errorf("%d bytes: kept %d bytes, want %d", n, len(item.Str()), len(want))
			}
		}
		for item := range v.Items() {
			if n > 16<<10 && !strings.Contains(item.Str(), fmt.Sprintf("…[+%d bytes ", n-12<<10)) {
				t.Errorf("%d bytes: no mark before Clean", n)
			}
		}
	}
}

func TestLimitsOfStrings(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("0123456789", 100)
	for _, tc := range []struct {
		lim        payload.Limits
		head, tail int
	}{
		{payload.Limits{String: 400}, 200, 100},
		{payload.Limits{}, 1000, 0},
	} {
		got := read(t, `{"a":"`+whole+`"}`, tc.lim).Clean(nil).Get("a").Str()
		if want := text.Cut(whole, tc.head, tc.tail); got != want {
			t.Errorf("%+v: kept %q, want %q", tc.lim, got, want)
		}
	}
}

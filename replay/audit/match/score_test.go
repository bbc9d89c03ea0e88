package match

import (
	"testing"
)

// TestScore: how much of an item's weight a summary carries is a share of 1.
func TestScore(t *testing.T) {
	t.Parallel()
	const summary = "- Documentation of the retry budget of the client\n- Encryption of the nightly exports"
	for item, whole := range map[string]bool{
		"Documentation of the retry budget of the client. Encryption of nightly exports":        true,
		"Encryption of nightly exports. Documentation of the retry budget of the client. Hurry": false,
	} {
		found := matchOf(summary, Words(item, item))
		if found == nil || found.Rule != "words" || found.Score < enough || found.Score > 1 || (found.Score == 1) != whole {
			t.Errorf("%q: %+v", item, found)
		}
	}
}

// TestKoreanWords: words are the same but for their particles and endings, and two that are
// nothing else say nothing.
func TestKoreanWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"파일을", "파일이", true}, {"파일", "파일", true}, {"줄이", "줄여", true}, {"늘린", "늘리", true},
		{"버리", "버려", true}, {"바꾸", "바꿔", true}, {"나오", "나와", true}, {"정하", "정해", true}, {"들르", "들러", true}, {"바꾸", "나와", false}, {"정하", "정호", false},
		{"파일", "파도", false}, {"파일명", "파일", false}, {"하는", "도는", false}, {"을", "이", false},
	} {
		for _, way := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := same(token{form: way[0], script: hangul}, token{form: way[1], script: hangul}); got != c.same {
				t.Errorf("%s is %s: %v", way[0], way[1], got)
			}
		}
	}
}

package match

import "testing"

// TestSyllables: a Hangul syllable is one word of Hangul, and the same one when its letters
// stand apart, as in file names of macOS.
func TestSyllables(t *testing.T) {
	t.Parallel()
	for n := range 19 * 21 * 28 {
		whole := string(rune(0xAC00 + n))
		apart := []rune{rune(0x1100 + n/28/21), rune(0x1161 + n/28%21)}
		if last := n % 28; last > 0 {
			apart = append(apart, rune(0x11A7+last))
		}
		all, same := tokens(whole), tokens(string(apart))
		if len(all) != 1 || len(same) != 1 || all[0].script != hangul || all[0].form != whole || same[0].form != whole {
			t.Fatalf("%s: %v, apart %v", whole, all, same)
		}
	}
}

// TestKana: the first and the last of each kind, and what is written in half width or with
// its mark apart.
func TestKana(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, form string
		is         script
	}{
		{"ぁ", "ぁ", hiragana}, {"ゖ", "ゖ", hiragana}, {"ァ", "ァ", katakana}, {"ヺ", "ヺ", katakana}, {"ー", "ー", katakana},
		{"一", "一", han}, {"々", "々", han}, {"ｦ", "ヲ", katakana}, {"ﾝ", "ン", katakana}, {"ｶﾞ", "ガ", katakana}, {"ﾊﾟ", "パ", katakana},
		{"は\u309a", "ぱ", hiragana}, {"ほ\u3099", "ぼ", hiragana}, {"！ａ～", "a", latin}, {"ｚ", "z", latin},
	} {
		all := tokens(c.said)
		if len(all) != 1 || all[0].script != c.is || all[0].form != c.form {
			t.Errorf("%s: %+v, want %s", c.said, all, c.form)
		}
	}
}

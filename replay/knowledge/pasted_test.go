package knowledge_test

import (
	"strings"
	"testing"

	"journal/replay/knowledge"
)

// TestOwn: of a prompt that is mostly an output, the words before and after the output remain; of any other prompt, all.
func TestOwn(t *testing.T) {
	t.Parallel()
	row := "12:00:01 export|row=17 rejected: no such column \"due\"\n" // 53 units of a line
	output := strings.Repeat(row, 14)
	long := strings.Repeat("Please look at the rows that were rejected. ", 10) // 440 units
	chinese := strings.Repeat("请修复登录页面的错误，然后运行测试（包括接口）：先看第3章。\n", 12)
	japanese := strings.Repeat("エラーが2つあります：ログイン（画面）と、サーバーです。\n", 14)
	for prompt, want := range map[string]string{
		"":                            "",
		"Fix the parser, please.":     "Fix the parser, please.",
		output:                        "",
		"It fails, why?\n" + output:   "It fails, why?",
		"It fails, why?\n\n" + output: "It fails, why?",
		output + "\nIt fails, why?":   "It fails, why?",
		"It fails:\n" + output + "\nWhy is that? Tell me.\nAnd mend it.": "It fails:\n\nWhy is that? Tell me.\nAnd mend it.",
		// Lines right below an output are its end; prose within it belongs to it too.
		output + "Done with errors":                           "",
		"Look:\n" + output + "that was it\n" + row + "\nWhy?": "Look:\n\nWhy?",
		// An output of 300 units, and at least 60 % of the text.
		"Look:\n" + strings.Repeat("1", 299): "Look:\n" + strings.Repeat("1", 299),
		"Look:\n" + strings.Repeat("1", 300): "Look:",
		long + "\n" + output:                 strings.TrimSpace(long),
		long + long + "\n" + output:          long + long + "\n" + output,
		// Between fences everything is output, even prose; after them it is not.
		"Look:\n```\n" + long + "\n```\n\nWhy?":      "Look:\n\nWhy?",
		"Look:\n```\n" + output + "```\n\nWhy?\nSo?": "Look:\n\nWhy?\nSo?",
		// Words before an output on its first line.
		"it still fails to export: {" + output + "}":       "it still fails to export:",
		"it still fails to export: [" + output + "]":       "it still fails to export:",
		"it still fails to export {" + output + "}":        "",
		"12:00 1/2 3|4: {" + output + "}":                  "",
		output + "it still fails to export: {" + row + "}": "",
		// Units are UTF-16: an emoji has two, a syllable one.
		"Look:\n" + strings.Repeat("🙂", 150): "Look:",
		"Look:\n" + strings.Repeat("🙂", 149): "Look:\n" + strings.Repeat("🙂", 149),
		// Prose in other languages. Chinese and Japanese have no spaces, so a line of theirs is one field.
		chinese:          chinese,
		japanese:         japanese,
		chinese + output: strings.TrimSpace(chinese),
		strings.Repeat("a.go:10:テスト\n", 40): "",
		"왜 실패하는지 봐 주세요.\n" + output:         "왜 실패하는지 봐 주세요.",
		"なぜ失敗しますか？「行」です。\n" + output:        "なぜ失敗しますか？「行」です。",
	} {
		if got := knowledge.Own(prompt); got != want {
			t.Errorf("of %.60q (%d bytes): %q, want %q", prompt, len(prompt), got, want)
		}
	}
}

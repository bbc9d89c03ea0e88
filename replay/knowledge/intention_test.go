package knowledge

import (
	"fmt"
	"strings"
	"testing"
)

// TestFoundWithoutPlan: intentions and restated requests are removed from older words, with their lists; findings stay, in
// every language.
func TestFoundWithoutPlan(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"The lock is taken twice. Let me look at the callers.":                            "The lock is taken twice.",
		"I need to add:\n1. the import\n2. the call\n\nThe test is right as it is.":       "The test is right as it is.",
		"**Step 5: Create tests.** I'll create all three test files.":                     "",
		"Good, the build passes. Now I need to update the docs:":                          "Good, the build passes.",
		"No, that is another path with the same bug.\n- first\n- second":                  "No, that is another path with the same bug.\n- first\n- second",
		"잠금이 두 번 걸립니다. 호출하는 곳을 확인하겠습니다.":                                                  "잠금이 두 번 걸립니다.",
		"The lock is taken twice.\nNow the tests:":                                        "The lock is taken twice.",
		"The user is reporting that logs leak. The handle is opened once.":                "The handle is opened once.",
		"사용자가 보낸 요청이 두 번 처리되는 것이 원인입니다.":                                                  "사용자가 보낸 요청이 두 번 처리되는 것이 원인입니다.",
		"ユーザーが送った依頼を二重に処理するのが原因です。":                                                       "ユーザーが送った依頼を二重に処理するのが原因です。",
		"ユーザーは修正を依頼しました。ロックが二重です。":                                                        "ロックが二重です。",
		"The user is created before the role.":                                            "The user is created before the role.",
		"The user wants a check first. I should look at:\n\n1. the log\n2. git":           "",
		"사용자가 로그를 고쳐 달라고 요청했습니다. 핸들은 한 번만 열립니다.":                                          "핸들은 한 번만 열립니다.",
		"The lock is taken twice. But wait - what if the reader holds it? Or the writer?": "The lock is taken twice.",
		"잠금이 두 번 걸립니다. 읽는 쪽이 잡고 있을까요?":                                                    "잠금이 두 번 걸립니다.",
		"ロックが二重です。読み手が持っているのでしょうか？":                                                       "ロックが二重です。",
		"Updating the docs:":     "",
		"The cause:\n- the lock": "The cause:\n- the lock",
		"ロックが二重です。呼び出し元を確認します。": "ロックが二重です。",
	} {
		if got, _ := splitPlan(words, false); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// TestPlan: a list of several steps after an intention is a plan; one of names with verdicts is none, and stays.
func TestPlan(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"The map is unused. I need to:\n\n1. Add the map\n2. Fill it in `load`\n\nLet me start.":    "I need to:\n1. Add the map\n2. Fill it in `load`",
		"I need to:\n1. Add the map\n\nIt is unused.":                                               "",
		"Let me look at each use:\n\n1. **a.go:3** - fine\n2. **b.go:9** - wrong":                   "",
		"Let me resolve each one:\n1. **`a.go`** (lines 4-7): ours is right\n2. **`b.go`**: theirs": "",
		"Now I understand the flow:\n1. start parses the input\n2. end reads it again":              "",
		"I should look at:\n1. the log\n2. git":                                                     "",
		"The causes:\n- the lock\n- the clock":                                                      "",
		"다음을 하겠습니다:\n1. 맵 추가\n2. 채우기":                                                               "다음을 하겠습니다:\n1. 맵 추가\n2. 채우기",
		"次の手順で進めましょう。\n次を行います。まず確認します:\n- 型を足す\n- 埋める":                                              "まず確認します:\n- 型を足す\n- 埋める",
	} {
		if _, got := splitPlan(words, false); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	if found, _ := splitPlan("Let me look at each use:\n\n1. **a.go:3** - fine\n2. **b.go:9** - wrong", false); !strings.Contains(found, "b.go:9") {
		t.Errorf("verdicts are dropped: %q", found)
	}
}

// TestUnretracted: a conclusion that the agent took back in the same words goes, with the sentence that only refutes it;
// what stands before the conclusion stays.
func TestUnretracted(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"Two tests fail. I see the issue now! The flag is unset. But that doesn't explain the second. The cache is stale.": "Two tests fail. The cache is stale.",
		"The problem is the flag. But wait, the default is true.":                                                          "But wait, the default is true.",
		"1. TestOne: another name\n2. TestTwo: another issue\nBut wait, both count.":                                       "1. TestOne: another name\n2. TestTwo: another issue\nBut wait, both count.",
		"They were uncommitted.So `os.Getwd` is at fault.It's wrong":                                                       "They were uncommitted. So `os.Getwd` is at fault. It's wrong",
		"The problem is the flag, but that does not matter.":                                                               "The problem is the flag, but that does not matter.",
		"원인은 플래그입니다. 잠깐, 기본값이 참입니다.":                                                                                       "잠깐, 기본값이 참입니다.",
		"原因はフラグです。いや、既定値は真です。":                                                                                             "いや、既定値は真です。",
	} {
		if got := unretracted(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// TestFromConclusion: a long finding begins with its last conclusion, in every language; a choice that begins like an
// intention is one.
func TestFromConclusion(t *testing.T) {
	t.Parallel()
	talk := strings.Repeat("The test was written before the writer could condense. ", 5)
	for found, want := range map[string]string{
		talk + "But now the writer condenses at the end of a turn, so the second phase has nothing left to do.": "… But now the writer condenses at the end of a turn, so the second phase has nothing left to do.",
		talk + "So the fix is short.": talk + "So the fix is short.",
		"But now it works.":           "But now it works.",
		strings.Repeat("이 검사의 문제는 이미 알려져 있었고 즉시 고칠 필요는 없다고 보았습니다. ", 6):                         strings.Repeat("이 검사의 문제는 이미 알려져 있었고 즉시 고칠 필요는 없다고 보았습니다. ", 6),
		talk + "따라서 두 번째 단계에서는 더 이상 할 일이 없고, 첫 번째 단계의 검사만 새 동작에 맞게 바꾸면 되며 나머지 파일은 그대로 두어도 됩니다.": "… 따라서 두 번째 단계에서는 더 이상 할 일이 없고, 첫 번째 단계의 검사만 새 동작에 맞게 바꾸면 되며 나머지 파일은 그대로 두어도 됩니다.",
	} {
		words, _ := splitPlan(found, false)
		if got := fromConclusion(words, findingUnits); got != strings.TrimSpace(want) {
			t.Errorf("%q: got %q, want %q", found, got, want)
		}
	}
	if got, _ := splitPlan("Let me go with one space between lanes.", false); got == "" {
		t.Error("a choice is dropped as an intention")
	}
	if got, _ := splitPlan("The user wants both filters reverted.", true); got == "" {
		t.Error("what the person asked is dropped, though it explains their words")
	}
}

// TestShortFindings: a short verdict that names nothing means nothing to a reader who does not know what came before.
func TestShortFindings(t *testing.T) {
	t.Parallel()
	for found, want := range map[string]bool{
		"Good, that was the only one.":                                             true,
		"The lock is taken twice in `rows.next`.":                                  false,
		"잠금이 두 번 걸리는 것이 원인입니다.":                                                    false,
		"The writer keeps the lock while it waits for the reader of the old file.": false,
	} {
		if got := isShort(found); got != want {
			t.Errorf("%q: %v", found, got)
		}
	}
}

// TestGuesses: a finding that ends with a guess, and proves nothing, is a guess, in every language.
func TestGuesses(t *testing.T) {
	t.Parallel()
	for found, want := range map[string]bool{
		"The count is one. The session is probably gone.":                    true,
		"The issue is probably the session. I would look at the store then.": true,
		"The session is probably gone. The count is one.":                    false,
		"The root cause is the lock. The reader might hold it too.":          false,
		"세션이 없는 것 같습니다.":                                                     true,
		"おそらくセッションがありません。":                                                   true,
		"The count is one.": false,
	} {
		if got := isGuess(found); got != want {
			t.Errorf("%q: %v", found, got)
		}
	}
}

// The time for each byte of a long text must not grow with its length: the worst of these took minutes.
func BenchmarkLongTexts(b *testing.B) {
	for _, part := range []string{"- a\n", "So the. Wait. ", "?!\n", "So? ", "Let me look: ", "`"} {
		for _, size := range []int{4 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("%q/%d", part, size), func(b *testing.B) {
				long := strings.Repeat(part, size/len(part))
				plan := "I'll do the work " + long[:size/2] + ":\n" + strings.Repeat("- a\n", size/8)
				b.SetBytes(int64(len(long) + len(plan)))
				for b.Loop() {
					splitPlan(unretracted(long), false)
					splitPlan(plan, false)
					fromConclusion(long, findingUnits)
					isGuess(long)
				}
			})
		}
	}
}

package knowledge

import "testing"

// TestWithoutIntentions: intentions and restated requests are removed from older words, with their lists; findings stay, in
// every language.
func TestWithoutIntentions(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"The lock is taken twice. Let me look at the callers.":                      "The lock is taken twice.",
		"I need to add:\n1. the import\n2. the call\n\nThe test is right as it is.": "The test is right as it is.",
		"**Step 5: Create tests.** I'll create all three test files.":               "",
		"Good, the build passes. Now I need to update the docs:":                    "Good, the build passes.",
		"No, that is another path with the same bug.\n- first\n- second":            "No, that is another path with the same bug.\n- first\n- second",
		"잠금이 두 번 걸립니다. 호출하는 곳을 확인하겠습니다.":                                            "잠금이 두 번 걸립니다.",
		"The lock is taken twice.\nNow the tests:":                                  "The lock is taken twice.",
		"The user is reporting that logs leak. The handle is opened once.":          "The handle is opened once.",
		"The user is created before the role.":                                      "The user is created before the role.",
		"The user wants a check first. I should look at:\n\n1. the log\n2. git":     "",
		"사용자가 로그를 고쳐 달라고 요청했습니다. 핸들은 한 번만 열립니다.":                                    "핸들은 한 번만 열립니다.",
		"Updating the docs:":     "",
		"The cause:\n- the lock": "The cause:\n- the lock",
		"ロックが二重です。呼び出し元を確認します。": "ロックが二重です。",
	} {
		if got := withoutIntentions(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

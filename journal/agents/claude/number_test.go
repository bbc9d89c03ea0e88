package claude

import "testing"

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"12": 12, "12.0": 12, "0": 0, "-3": 0, "99999999999999999999": 0, `"12"`: 0, "null": 0, "[1]": 0, "1e999": 0,
	} {
		if got := number([]byte(text)); got != want {
			t.Errorf("number(%s) = %d, want %d", text, got, want)
		}
	}
}

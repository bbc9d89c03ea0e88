package hookrun

import "testing"

func TestHomeInAList(t *testing.T) {
	t.Parallel()
	const list = "root:x:0:0:root:/root:/bin/sh\nbroken:x:7\nrelative:x:8:8::home:/bin/sh\nnobody:x:65534:65534:::/bin/false\ndev:x:1000:1000:A, B:/home/dev:/bin/sh"
	for user, want := range map[int]string{0: "/root", 7: "", 8: "", 65534: "", 1000: "/home/dev", 1: ""} {
		if got := homeIn(list, user); got != want {
			t.Errorf("home of %d: %q, want %q", user, got, want)
		}
	}
}

package frame

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func whole() Call {
	return Call{
		Build: 7, Began: 1_800_000_000_000_000_001, Late: true, PID: 4711, ID: "0198c0de-0000-7000-8000-000000000001", Cwd: "/한국",
		Args: []string{"agent", ""}, Vars: []string{"HOME=/h", "LANG=C"}, Stdin: []byte(`{"a":1}`),
	}
}

// sent returns a frame and the bytes that follow its head.
func sent(t *testing.T, c Call) (frame, rest []byte) {
	t.Helper()
	b, ok := Append(nil, c)
	if !ok {
		t.Fatal("no frame carries it")
	}
	n, ok := Length(b[:Head])
	if !ok || n != len(b)-Head {
		t.Fatalf("length %d, %v of %d", n, ok, len(b)-Head)
	}
	return b, b[Head:]
}

func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Call{
		"all of it":     whole(),
		"nothing":       {Stdin: []byte{}},
		"longest stdin": {Stdin: bytes.Repeat([]byte("x"), MaxStdin)},
	} {
		_, rest := sent(t, c)
		if got, ok := Parse(rest); !ok || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %v, %.200v", name, ok, got)
		}
	}
}

func TestWhatNoFrameCarries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Call{
		"too long a stdin":   {Stdin: make([]byte, MaxStdin+1)},
		"too long around it": {Vars: []string{strings.Repeat("v", maxAround)}},
		"too many words":     {Args: make([]string, maxWords+1)},
	} {
		if _, ok := Append(nil, c); ok {
			t.Errorf("%s is carried", name)
		}
	}
}

// Whatever is cut off or changed in length is no frame, but for the end of stdin, whose
// length is the frame's.
func TestCut(t *testing.T) {
	t.Parallel()
	c := whole()
	b, rest := sent(t, c)
	for n := range len(rest) - len(c.Stdin) {
		if _, ok := Parse(rest[:n]); ok {
			t.Errorf("the first %d bytes are taken for all", n)
		}
	}
	for i := range len(magic) + 1 {
		other := bytes.Clone(b[:Head])
		other[i]++
		if _, ok := Length(other); ok {
			t.Errorf("byte %d of the magic may be anything", i)
		}
	}
	if _, ok := Length(append([]byte(magic), Version, 0xff, 0xff, 0xff, 0xff)); ok {
		t.Error("a frame of 4 GiB is taken")
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply []byte
		kind  Kind
		n     int
	}{
		{AppendReply(nil, Answer, []byte("text")), Answer, 4},
		{AppendReply(nil, Answer, nil), Answer, 0},
		{AppendReply(nil, Alone, nil), Alone, 0},
		{AppendWait(nil, 1500), Wait, 1500},
	} {
		if k, n, ok := Reply(c.reply[:ReplyHead]); !ok || k != c.kind || n != c.n {
			t.Errorf("%q is %c %d %v", c.reply, k, n, ok)
		}
	}
	for _, bad := range []string{"", "A\xff\xff\xff\xff", "W\xff\xff\xff\xff", "F\x00\x00\x00\x01", "X\x00\x00\x00\x00", "A\x00\x00\x00"} {
		if _, _, ok := Reply([]byte(bad)); ok {
			t.Errorf("%q is a reply", bad)
		}
	}
}

func TestBuild(t *testing.T) {
	defer func(was string) { built = was }(built)
	for said, want := range map[string]int64{"": 0, "1800000000": 1_800_000_000, "x": 0, "-1": 0, "99999999999999999999999": 0} {
		if built = said; Build() != want {
			t.Errorf("%q is %d, want %d", said, Build(), want)
		}
	}
}

// Any bytes are parsed within bounds, and a parsed call has the same frame.
func FuzzParse(f *testing.F) {
	b, _ := Append(nil, whole())
	f.Add(b[Head:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, ok := Parse(b)
		if !ok {
			return
		}
		again, ok := Append(nil, c)
		if !ok || !bytes.Equal(again[Head:], b) {
			t.Errorf("%q became %q, %v", b, again, ok)
		}
	})
}

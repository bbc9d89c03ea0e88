package wire

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

func TestRequestRoundTrip(t *testing.T) {
	t.Parallel()
	want := Request{
		Wire: Version, Events: []events.Raw{{0x80}, {0x01}}, Root: "/p", Floor: 7,
		Answer: &AnswerRequest{Kind: RecoveryText, Event: "a", Last: "b", Lang: "ko", Units: 9500, Vital: 1900},
	}
	b, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRequest(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if IsJSON(b) {
		t.Error("a request in msgpack passes for JSON")
	}
	for n := range b {
		if _, err := DecodeRequest(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a request", n, len(b))
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]error{0: events.ErrMalformed, Version: nil, Version + 1: ErrNewer} {
		b, err := Encode(Request{Wire: version})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeRequest(b); !errors.Is(err, want) {
			t.Errorf("version %d: %v, want %v", version, err, want)
		}
	}
}

func TestDecodeForeign(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		`{"type":"decision.recorded","data":{"text":"x"},"session":"s"}`: true,
		` {"type":"a.b"} `:              true,
		`{"type":"a.b"} {"type":"c.d"}`: false, // the second would be lost in silence
		`{"type":"a.b"} x`:              false,
		`{"type":"a.b","sesion":"s"}`:   false, // a misspelt field would be lost too
		`{"data":{}}`:                   false,
		`{"type":1}`:                    false,
		`[]`:                            false,
		``:                              false,
	} {
		_, err := DecodeForeign([]byte(in))
		if (err == nil) != ok || err != nil && !errors.Is(err, events.ErrMalformed) {
			t.Errorf("%s: %v, want ok %v", in, err, ok)
		}
		if ok && !IsJSON([]byte(in)) {
			t.Errorf("%s is not taken for JSON", in)
		}
	}
}

func FuzzDecodeRequest(f *testing.F) {
	b, err := Encode(Request{Wire: 1, Events: []events.Raw{{0x80}}, Answer: &AnswerRequest{Kind: "x"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{0xdd, 0x00, 0xff, 0xff, 0xff})
	f.Add([]byte(`{"type":"a.b"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := DecodeRequest(b); err == nil && r.Wire != Version {
			t.Errorf("version %d was taken", r.Wire)
		}
		if f, err := DecodeForeign(b); err == nil && f.Type == "" {
			t.Error("a request without type was taken")
		}
	})
}

package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts finds the texts in a value by walking it.
func texts(v reflect.Value, see func(string)) {
	switch v.Kind() {
	case reflect.String:
		see(v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			texts(field, see)
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), see)
		}
	}
}

// TestMapTextReachesEveryText: no text of any event is missed: redaction depends on it.
func TestMapTextReachesEveryText(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		before, same := filled(d), filled(d)
		want := 0
		texts(reflect.ValueOf(before), func(string) { want++ })
		calls := 0
		after := MapText(before, func(s string) string { calls++; return "<" + s + ">" })
		if calls != want {
			t.Errorf("%s: mapped %d texts of %d", name, calls, want)
		}
		texts(reflect.ValueOf(after), func(s string) {
			if !strings.HasPrefix(s, "<") {
				t.Errorf("%s: %q was not mapped", name, s)
			}
		})
		if diff := cmp.Diff(same, before); diff != "" {
			t.Errorf("%s: the original changed:\n%s", name, diff)
		}
		if diff := cmp.Diff(before, MapText(before, func(s string) string { return s })); diff != "" {
			t.Errorf("%s: something else than texts changed:\n%s", name, diff)
		}
	}
}

func TestMapEnvelopeOfDeclared(t *testing.T) {
	t.Parallel()
	up := strings.ToUpper
	for name, d := range declared {
		e, err := Wrap(filled(d), Meta{Session: "s", Project: "p"})
		if err != nil {
			t.Fatal(err)
		}
		body := bytes.Clone(e.Body)
		got, err := MapEnvelope(e, up)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ev, err := Open(got)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(MapText(filled(d), up), ev); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if !bytes.Equal(e.Body, body) {
			t.Errorf("%s: the original changed", name)
		}
	}
}

// TestMapEnvelopeOfAnOldVersion: an old shape comes back in the current one, with its texts mapped.
func TestMapEnvelopeOfAnOldVersion(t *testing.T) {
	t.Parallel()
	body, err := Marshal(tideV1{"Busan", 2})
	if err != nil {
		t.Fatal(err)
	}
	got, err := MapEnvelope(Envelope{Meta: Meta{Type: "tide.measured", TypeVer: 1}, Body: body}, strings.ToUpper)
	if err != nil || got.TypeVer != 3 {
		t.Fatalf("version %d, error %v", got.TypeVer, err)
	}
	if ev, err := Open(got); err != nil || ev != (tideMeasured{"BUSAN", 2000}) {
		t.Errorf("%+v, error %v", ev, err)
	}
}

// TestMapEnvelopeOfUnknown: in an undeclared event every text is mapped, and no other byte changes: integers keep their
// width, members their order, and values that our events never have are kept.
func TestMapEnvelopeOfUnknown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", 40)
	for name, tc := range map[string]struct{ body, want string }{
		"text":               {"\x81\xa1k\xa1v", "\x81\xa1K\xa1V"},
		"at any depth":       {"\x81\xa1k\x92\x81\xa1a\x91\xa1b\xa1c", "\x81\xa1K\x92\x81\xa1A\x91\xa1B\xa1C"},
		"wide integer":       {"\x82\xa1k\xd3\x00\x00\x00\x00\x00\x00\x00\x05\xa1t\xa1v", "\x82\xa1K\xd3\x00\x00\x00\x00\x00\x00\x00\x05\xa1T\xa1V"},
		"float32":            {"\x81\xa1k\xca\x3f\x80\x00\x00", "\x81\xa1K\xca\x3f\x80\x00\x00"},
		"order":              {"\x83\xa1z\x01\xa1y\x02\xa1x\x03", "\x83\xa1Z\x01\xa1Y\x02\xa1X\x03"},
		"integer keys":       {"\x82\x01\xa1a\x02\xa1b", "\x82\x01\xa1A\x02\xa1B"},
		"list as key":        {"\x81\x91\x01\xa1a", "\x81\x91\x01\xa1A"},
		"extension":          {"\x81\xa1k\xd6\x05abcd", "\x81\xa1K\xd6\x05abcd"},
		"text as bytes":      {"\x81\xa1k\xc4\x03abc", "\x81\xa1K\xc4\x03ABC"},
		"bytes":              {"\x81\xa1k\xc4\x03a\xffc", "\x81\xa1K\xc4\x03a\xffc"},
		"text with a gap":    {"\x81\xa1k\xa3a\xffc", "\x81\xa1K\xa3A\ufffdC"},
		"unchanged as it is": {"\x81\xd9\x01K\xdb\x00\x00\x00\x01V", "\x81\xd9\x01K\xdb\x00\x00\x00\x01V"},
		"longer head":        {"\x81\xa1k\xd9\x28" + long, "\x81\xa1K\xd9\x28" + strings.ToUpper(long)},
		"empty":              {"\x80", "\x80"},
	} {
		e := Envelope{Meta: Meta{Type: "moon.seen", TypeVer: 1}, Body: Raw(tc.body)}
		got, err := MapEnvelope(e, func(s string) string { return strings.ToUpper(strings.ToValidUTF8(s, "\ufffd")) })
		if name == "text with a gap" {
			tc.want = "\x81\xa1K\xa5A\ufffdC"
		}
		if err != nil || string(got.Body) != tc.want {
			t.Errorf("%s: %q, error %v; want %q", name, got.Body, err, tc.want)
		}
		if string(e.Body) != tc.body || got.TypeVer != 1 {
			t.Errorf("%s: the original is %q, version %d", name, e.Body, got.TypeVer)
		}
	}
}

// TestMapEnvelopeMore: what a hook said beyond its event is mapped too, including names; everything else keeps its
// spelling.
func TestMapEnvelopeMore(t *testing.T) {
	t.Parallel()
	up := strings.ToUpper
	for in, want := range map[string]string{
		"":                                   "",
		`"a"`:                                `"A"`,
		`{"a":["b",{"c":"d"}]}`:              `{"A":["B",{"C":"D"}]}`,
		`{"n":1760000000123456789}`:          `{"N":1760000000123456789}`,
		`{"n":1.50e+2,"t":true,"z":null}`:    `{"N":1.50e+2,"T":true,"Z":null}`,
		"{ \"b\" : 1 ,\n \"a\" : \"\\\\\" }": "{ \"B\" : 1 ,\n \"A\" : \"\\\\\" }",
		`{"a":"x\"y\\"}`:                     `{"A":"X\"Y\\"}`,
		`{"A":"\u00e9"}`:                     `{"A":"É"}`,
		`{"A":"\u003cB\u003E"}`:              `{"A":"\u003cB\u003E"}`, // nothing to map: as received
		`["<a>"]`:                            `["<A>"]`,
	} {
		e, err := Wrap(TurnEnded{}, Meta{})
		if err != nil {
			t.Fatal(err)
		}
		e.More = []byte(in)
		got, err := MapEnvelope(e, up)
		if err != nil || string(got.More) != want {
			t.Errorf("%s: %s, error %v; want %s", in, got.More, err, want)
		}
		if string(e.More) != in {
			t.Errorf("%s: the original changed to %s", in, e.More)
		}
	}
	e := Envelope{Meta: Meta{Type: "turn.ended", TypeVer: 1}, Body: Raw{0x80}, More: []byte(`{"a":`)}
	if _, err := MapEnvelope(e, up); err == nil {
		t.Error("half of a JSON value was taken")
	}
}

// TestViewOfUnknown: ViewOf shows anything that Check accepts, in stored order: one odd event must not end a listing.
func TestViewOfUnknown(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"\x80":                          `{}`,
		"\x82\xa1b\x01\xa1a\xff":        `{"b":1,"a":-1}`,
		"\x81\xa1k\xc0":                 `{"k":null}`,
		"\x82\xa1t\xc3\xa1f\xc2":        `{"t":true,"f":false}`,
		"\x81\xa1k\x94\x00\x7f\xe0\xff": `{"k":[0,127,-32,-1]}`,
		"\x81\xa1k\x94\xcc\xff\xcd\xff\xff\xce\xff\xff\xff\xff\xcf\xff\xff\xff\xff\xff\xff\xff\xff": `{"k":[255,65535,4294967295,18446744073709551615]}`,
		"\x81\xa1k\x94\xd0\x80\xd1\x80\x00\xd2\x80\x00\x00\x00\xd3\x80\x00\x00\x00\x00\x00\x00\x00": `{"k":[-128,-32768,-2147483648,-9223372036854775808]}`,
		"\x81\xa1k\x92\xca\x3f\x80\x00\x00\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00":                     `{"k":[1,1.5]}`,
		"\x81\xa1k\xca\x3d\xcc\xcc\xcd":                                         `{"k":0.1}`,
		"\x81\xa1k\x92\xca\x7f\x80\x00\x00\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01": `{"k":[null,null]}`,
		"\x81\xa1k\xa5\"\\\n<\x00":                                              `{"k":"\"\\\n\u003c\u0000"}`,
		"\x81\xa1k\xa3a\xffb":                                                   `{"k":"a\ufffdb"}`,
		"\x81\xa1k\xc4\x02\xff\xfe":                                             `{"k":"//4="}`,
		"\x81\xa1k\xd6\xff\x00\x00\x00\x01":                                     `{"k":{"ext":-1,"data":"AAAAAQ=="}}`,
		"\x81\xa1k\xc7\x02\x05ab":                                               `{"k":{"ext":5,"data":"YWI="}}`,
		"\x81\xa1k\xc7\x00\x80":                                                 `{"k":{"ext":-128,"data":""}}`,
		"\x82\xa1k\x92\xd6\x01abcd\x07\xa1m\x08":                                `{"k":[{"ext":1,"data":"YWJjZA=="},7],"m":8}`,
		"\x83\x01\xa1a\xc3\xa1b\x92\x01\xa1x\xa1c":                              `{"1":"a","true":"b","kgGheA==":"c"}`,
		"\x81\xa1k\xdc\x00\x01\xde\x00\x01\xd9\x01a\x01":                        `{"k":[{"a":1}]}`,
	} {
		v, err := ViewOf(Envelope{Meta: Meta{Type: "moon.seen", TypeVer: 1, Seq: 4}, Body: Raw(body)})
		if err != nil || string(v.Data) != want || !v.Unknown || !json.Valid(v.Data) {
			t.Errorf("%q: %s, unknown %v, error %v; want %s", body, v.Data, v.Unknown, err, want)
		}
	}
}

// TestViewOf: a view has everything of an envelope that people ask for.
func TestViewOf(t *testing.T) {
	t.Parallel()
	e, err := Wrap(NoteRecorded{Text: "a<b", Heading: "h"}, Meta{
		ID: "id", At: 1_760_000_000_123_456_789, Agent: "claude", Session: "s", Lane: "l", Project: "p", Turn: "t", Cause: "c", EchoOf: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Seq, e.More = 7, []byte(`{"x": 1}`)
	v, err := ViewOf(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"seq":7,"id":"id","type":"note.recorded","version":1,"at":"2025-10-09T08:53:20.123456789Z","agent":"claude",` +
		`"project":"p","session":"s","lane":"l","turn":"t","cause":"c","echo_of":3,"data":{"text":"a\u003cb","heading":"h"},"more":{"x":1}}`
	if string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	e.More = []byte("{")
	if v, err := ViewOf(e); err != nil || v.More != nil {
		t.Errorf("cut JSON is shown as %s, error %v", v.More, err)
	}
	e.Body, e.More = Raw("\x81\xa4text\x91\xa1a"), nil
	if v, err := ViewOf(e); err != nil || !v.Unknown || string(v.Data) != `{"text":["a"]}` {
		t.Errorf("an event that does not fit its type is shown as %s, error %v", v.Data, err)
	}
	if e, err := MapEnvelope(e, strings.ToUpper); err != nil || string(e.Body) != "\x81\xa4TEXT\x91\xa1A" {
		t.Errorf("the texts of an event that does not fit its type become %q, error %v", e.Body, err)
	}
}

package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
)

// MapText returns a copy of e with f applied to every text in it, at any depth.
func MapText[E Event](e E, f func(string) string) E {
	out := reflect.New(reflect.TypeOf(e)).Elem()
	mapText(out, reflect.ValueOf(e), f)
	return out.Interface().(E)
}

func mapText(to, from reflect.Value, f func(string) string) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(f(from.String()))
	case reflect.Struct:
		for i := range from.NumField() {
			mapText(to.Field(i), from.Field(i), f)
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			mapText(to.Index(i), from.Index(i), f)
		}
	default:
		to.Set(from)
	}
}

// MapEnvelope returns a stored event with f applied to every text in its body, even of an undeclared type or of an event that
// does not fit its declared type, and to every text of More. An event that fits is converted to the current version. The error is
// ErrMalformed if the body is no msgpack, or More is no JSON.
func MapEnvelope(e Envelope, f func(string) string) (Envelope, error) {
	ev, err := Open(e)
	if err != nil {
		ev = Unknown{Type: e.Type, Version: e.TypeVer, Raw: e.Body}
	}
	if u, ok := ev.(Unknown); ok {
		if err := Check(u.Raw); err != nil {
			return e, err
		}
		e.Body, err = mapRaw(u.Raw, f)
	} else {
		e.TypeVer = declared[e.Type].version
		e.Body, err = Marshal(MapText(ev, f))
	}
	if err != nil {
		return e, wrapf(err, "encode %s", e.Type)
	}
	if len(e.More) > 0 {
		if e.More, err = mapJSON(e.More, f); err != nil {
			return e, wrapf(ErrMalformed, "more of %s: %v", e.Type, err)
		}
	}
	return e, nil
}

// mapJSON returns JSON with f applied to every string in it, including member names. It copies everything else as it is
// written: decoding and encoding a number would lose digits.
func mapJSON(b []byte, f func(string) string) ([]byte, error) {
	if !json.Valid(b) {
		return nil, errors.New("not JSON")
	}
	var out bytes.Buffer
	for {
		start := bytes.IndexByte(b, '"')
		if start < 0 {
			out.Write(b)
			return out.Bytes(), nil
		}
		end := start + 1
		for ; b[end] != '"'; end++ {
			if b[end] == '\\' {
				end++
			}
		}
		quoted := b[start : end+1]
		out.Write(b[:start])
		b = b[end+1:]
		var before string
		if err := json.Unmarshal(quoted, &before); err != nil {
			return nil, err
		}
		after := f(before)
		if after == before {
			out.Write(quoted)
			continue
		}
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(after); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // Encode ends the line
	}
}

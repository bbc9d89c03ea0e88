package events

import (
	"encoding/json"
	"reflect"
)

// MapText gives a copy of e in which f was applied to every text, at any depth.
// Redaction of what appenders write goes through it.
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

// MapEnvelope gives a stored event with f applied to every text of it, also of
// a type that this program does not declare. A declared one comes back in its
// current version.
func MapEnvelope(e Envelope, f func(string) string) (Envelope, error) {
	ev, err := Open(e)
	if err != nil {
		return e, err
	}
	var body any
	if u, ok := ev.(Unknown); ok {
		if err := Check(u.Raw); err != nil {
			return e, err
		}
		if err := unmarshal(u.Raw, &body); err != nil {
			return e, wrapf(ErrMalformed, "%s: %v", e.Type, err)
		}
		body = mapAny(body, f)
	} else {
		body = MapText(ev, f)
		e.TypeVer = declared[e.Type].version
	}
	if e.Body, err = marshal(body); err != nil {
		return e, wrapf(err, "encode %s", e.Type)
	}
	if len(e.More) > 0 {
		var more any
		if err := json.Unmarshal(e.More, &more); err != nil {
			return e, wrapf(ErrMalformed, "more of %s: %v", e.Type, err)
		}
		if e.More, err = json.Marshal(mapAny(more, f)); err != nil {
			return e, wrapf(err, "encode more of %s", e.Type)
		}
	}
	return e, nil
}

func mapAny(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = mapAny(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = mapAny(v[k], f)
		}
	}
	return v
}

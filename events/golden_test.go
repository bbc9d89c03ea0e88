package events

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write goldens that are missing; existing ones are never changed")

// fill sets every field of a value to something that is not zero and can be told
// from the others.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text of " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(len(name)) * 1000)
	case reflect.Uint64:
		v.SetUint(1 << 40)
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			fill(v.Field(i), tag)
		}
	case reflect.Slice:
		if v.Type().Elem() == v.Type() || strings.Count(name, ".") > 1 { // a type that holds itself
			return
		}
		s := reflect.MakeSlice(v.Type(), 2, 2)
		for i := range 2 {
			fill(s.Index(i), fmt.Sprintf("%s.%d", name, i))
		}
		v.Set(s)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	default:
		panic("events: a field of a kind that has no golden: " + v.Kind().String())
	}
}

// filled gives an event of a declared type with every field set.
func filled(d *declaration) Event {
	v := reflect.New(d.goType).Elem()
	fill(v, string(d.name))
	return v.Interface().(Event)
}

// The stored bytes of every declared type, in every version it ever had, mean
// today what they meant when they were written.
func TestGoldenBytes(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		if d.goType == reflect.TypeFor[tideMeasured]() { // of a test: nobody stored it
			continue
		}
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "golden", string(name)+".txtar")
			want, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) && *update {
				want = newGolden(t, d)
				if err := os.WriteFile(path, want, 0o644); err != nil {
					t.Fatal(err)
				}
			} else if err != nil {
				t.Fatalf("%v\ntry: go test ./events -update", err)
			}
			checkGolden(t, d, txtar.Parse(want))
		})
	}
}

func newGolden(t *testing.T, d *declaration) []byte {
	e := filled(d)
	body, err := marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	form, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	v := fmt.Sprintf("v%d", d.version)
	return txtar.Format(&txtar.Archive{
		Comment: []byte(d.doc + "\n"),
		Files: []txtar.File{
			{Name: v + ".json", Data: append(form, '\n')},
			{Name: v + ".hex", Data: []byte(regexp.MustCompile(`.{1,120}`).ReplaceAllString(hex.EncodeToString(body), "$0\n"))},
		},
	})
}

// opened gives the event of golden bytes, which have to mean what stands beside
// them.
func opened(t *testing.T, d *declaration, version int, files map[string][]byte, name string) (Event, []byte) {
	stored, err := hex.DecodeString(strings.ReplaceAll(string(files[name+".hex"]), "\n", ""))
	if err != nil || len(stored) == 0 {
		t.Fatalf("%s has no golden bytes: %v", name, err)
	}
	got, err := Open(Envelope{Meta: Meta{Type: d.name, TypeVer: version}, Body: stored})
	if err != nil {
		t.Fatal(err)
	}
	form, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(files[name+".json"]), string(form)+"\n"); diff != "" {
		t.Errorf("%s means something else now (-golden +today):\n%s", name, diff)
	}
	return got, stored
}

func checkGolden(t *testing.T, d *declaration, a *txtar.Archive) {
	files := map[string][]byte{}
	for _, f := range a.Files {
		files[f.Name] = f.Data
	}
	for version := 1; version <= d.version; version++ {
		// What was written before a field was added to the version.
		for name := range files {
			if older, ok := strings.CutSuffix(name, ".hex"); ok && strings.HasPrefix(name, fmt.Sprintf("v%d-before-", version)) {
				opened(t, d, version, files, older)
			}
		}
		got, stored := opened(t, d, version, files, fmt.Sprintf("v%d", version))
		if version < d.version {
			continue
		}
		if again, err := marshal(got); err != nil || !bytes.Equal(again, stored) {
			t.Errorf("version %d is spelled in other bytes now: %x, golden %x, error %v", version, again, stored, err)
		}
		if diff := cmp.Diff(filled(d), got); diff != "" {
			t.Errorf("the golden does not set every field; a field was added: keep the case as v1-before-<field> below a new one (-filled +golden):\n%s", diff)
		}
	}
}

// Every declaration is one a reader can work with.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
	for _, d := range Declared() {
		if !name.MatchString(string(d.Name)) || d.Doc == "" {
			t.Errorf("%s: %q is no noun.past name with a doc line", d.Name, d.Doc)
		}
		for _, f := range d.Fields {
			if f.Name == "" || f.Name == "-" {
				t.Errorf("%s has a field without a stored name", d.Name)
			}
		}
	}
}

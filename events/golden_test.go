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
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write goldens that are missing; existing ones are never changed")

// fill sets every field of a value to something distinguishable that is not zero.
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
		if v.Type().Elem() == v.Type() || strings.Count(name, ".") > 1 { // a type that contains itself
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

// filled returns an event of a declared type with every field set.
func filled(d *declaration) Event {
	v := reflect.New(d.goType).Elem()
	fill(v, string(d.name))
	return v.Interface().(Event)
}

// TestGoldenBytes: the stored bytes of every declared type, in every version, mean today what they meant when written.
func TestGoldenBytes(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		if d.goType == reflect.TypeFor[tideMeasured]() { // a test's own type, never stored
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
			} else if *update {
				if longer := addMissing(t, d, want); len(longer) > len(want) {
					want = longer
					if err := os.WriteFile(path, want, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			checkGolden(t, d, txtar.Parse(want))
		})
	}
}

func newGolden(t *testing.T, d *declaration) []byte {
	a := &txtar.Archive{Comment: []byte(d.doc + "\n")}
	addCase(t, a, d, fmt.Sprintf("v%d", d.version))
	return txtar.Format(a)
}

// addCase adds an event of the current version with every field set.
func addCase(t *testing.T, a *txtar.Archive, d *declaration, name string) {
	e := filled(d)
	body, err := Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	form, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	a.Files = append(a.Files,
		txtar.File{Name: name + ".json", Data: append(form, '\n')},
		txtar.File{Name: name + ".hex", Data: []byte(regexp.MustCompile(`.{1,120}`).ReplaceAllString(hex.EncodeToString(body), "$0\n"))},
	)
}

// checkGolden checks the cases of one type: v1, v1+1, v1+2, v2 … Each pair of files was stored before a field was
// added, or the meaning changed.
func checkGolden(t *testing.T, d *declaration, a *txtar.Archive) {
	files := map[string][]byte{}
	for _, f := range a.Files {
		files[f.Name] = f.Data
	}
	var newest Event
	for version := 1; version <= d.version; version++ {
		name := fmt.Sprintf("v%d", version)
		for added := 1; files[name+".hex"] != nil; added++ {
			newest = checkCase(t, d, version, name, files)
			name = fmt.Sprintf("v%d+%d", version, added)
		}
		if newest == nil {
			t.Fatalf("version %d has no golden bytes", version)
		}
	}
	if diff := cmp.Diff(filled(d), newest); diff != "" {
		t.Errorf("the golden does not set every field; a field was added: go test ./events -update adds a case (-filled +golden):\n%s", diff)
	}
}

func checkCase(t *testing.T, d *declaration, version int, name string, files map[string][]byte) Event {
	stored, err := hex.DecodeString(strings.ReplaceAll(string(files[name+".hex"]), "\n", ""))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
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
	if again, err := Marshal(got); version == d.version && (err != nil || !bytes.Equal(again, stored)) {
		t.Errorf("%s is spelled in other bytes now: %x, golden %x, error %v", name, again, stored, err)
	}
	return got
}

// addMissing adds a case to a golden that lacks an added field.
func addMissing(t *testing.T, d *declaration, golden []byte) []byte {
	a := txtar.Parse(golden)
	last := strings.TrimSuffix(a.Files[len(a.Files)-1].Name, ".hex")
	stored, err := hex.DecodeString(strings.ReplaceAll(string(a.Files[len(a.Files)-1].Data), "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Open(Envelope{Meta: Meta{Type: d.name, TypeVer: d.version}, Body: stored})
	if err != nil || cmp.Equal(filled(d), got) {
		return golden
	}
	version, added, _ := strings.Cut(last, "+")
	n, _ := strconv.Atoi(added)
	addCase(t, a, d, fmt.Sprintf("%s+%d", version, n+1))
	return txtar.Format(a)
}

// TestDeclarations: every declaration is usable by a reader.
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

package tree

import (
	"strings"
	"testing"
)

// Code in each language, and its definitions: the names before the bar, in order.
func TestDefinitionsIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, names, text string }{
		{"a.go", "Log Append Map x Limit First Second Third", "type Log struct {\n\tname string\n}\n\nfunc (l *Log) Append(e Event) error {\n\tif x := f(); x {\n\t\treturn func() {}\n\t}\n}\n\nfunc Map[T any](x T) T {\nvar x int\nconst Limit = 3\nconst (\n\tFirst Kind = \"first\"\n\tSecond // next\n\tThird\n)\n// func No() {\n\ts := `\nfunc Quoted() {\n`\n"},
		{"a.ts", "Store get load Kind parse render", "export abstract class Store<T> extends Base {\n  constructor(private a: string) {\n  }\n  public async get(id: string): Promise<T> {\n    if (id) {\n    }\n    return call(id);\n  }\n}\nexport default async function load() {\nexport type Kind = 'a' | 'b'\nexport const parse = (s: string): Kind => {\nconst render = async () => {\n"},
		{"a.jsx", "App limit", "function App() {\n  return items.map((x) => {\n  })\n}\nconst limit = 3\n/* function no() {\nfunction neither() {\n*/\n"},
		{"a.py", "LIMIT Store get main", "LIMIT = 3\nclass Store(Base):\n    async def get(self, key):\n        \"\"\"Text.\n\n        def no():\n        \"\"\"\n        return f(key)\n\ndef main():\n"},
		{"a.rs", "Log Log append Kind LIMIT say", "pub struct Log<'a> {\nimpl<'a> Log<'a> {\n    pub(crate) async fn append(&mut self) -> Result<()> {\n        let x = f();\n    }\n}\nenum Kind { A }\npub const LIMIT: usize = 3;\nmacro_rules! say {\n"},
		{"A.java", "Store get main Kind", "public final class Store<T> extends Base {\n    @Override\n    public List<T> get(String id) throws IOException {\n        return new ArrayList<>(id);\n    }\n    static void main(String[] a) {\n        if (a.length > 0) {\n            call(a);\n        }\n    }\n    enum Kind { A }\n}\n"},
		{"A.cs", "Store GetAsync Kind", "public sealed partial class Store : IStore\n{\n    public async Task<int?> GetAsync(string id)\n    {\n        await Call(id);\n    }\n    internal enum Kind { A }\n}\n"},
		{"a.rb", "Store LIMIT get make empty?", "class Store < Base\n  LIMIT = 3\n  def get(id)\n    find(id)\n  end\n  def self.make\n  end\n  def empty?\n"},
		{"a.c", "LIMIT log name append", "#define LIMIT 3\nstruct log {\n  int x;\n};\ntypedef int name;\nstatic int append(struct log *l, int n)\n{\n  if (n) {\n    return call(l);\n  }\n}\nint declared(void);\n"},
		{"a.cpp", "core Store get run", "namespace core {\nclass Store : public Base {\n};\nint Store::get(const std::string &id) {\n  for (auto x : id) {\n  }\n}\nstd::vector<int> run(int a) {\n"},
		{"a.txt", "", "func No() {\n"},
	} {
		var names []string
		for _, d := range definitionsIn(c.file, strings.Split(c.text, "\n")) {
			names = append(names, d.name)
			if !strings.Contains(strings.Split(c.text, "\n")[d.line-1], d.name) {
				t.Errorf("%s: %s is not in line %d", c.file, d.name, d.line)
			}
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%s: %s, want %s", c.file, got, c.names)
		}
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	lines := strings.Split("class Store:\n    def get(self):\n        return 1\n\n    limit = 3\n\nx = 1\n", "\n")
	all := definitionsIn("a.py", lines)
	for line, want := range map[int]string{1: "Store", 2: "get", 3: "get", 5: "Store", 7: ""} {
		if got, _ := enclosing(lines, all, line); got.name != want {
			t.Errorf("line %d is in %q, want %q", line, got.name, want)
		}
	}
}

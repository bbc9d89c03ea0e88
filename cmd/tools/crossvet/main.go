// Command crossvet type-checks and vets packages, with their tests, for several systems.
//
//	crossvet -systems 'linux darwin windows' PACKAGE...
//
// It reports the same as `GOOS=SYSTEM go vet PACKAGE...`. But go vet compiles and vets all dependencies for each system, while
// crossvet only parses their declarations. It exits with 1 if it reported anything.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"golang.org/x/tools/go/packages"
)

// vets are the analyzers of go vet, except those of assembly and C.
var vets = []*analysis.Analyzer{
	appends.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer, composite.Analyzer, copylock.Analyzer,
	defers.Analyzer, directive.Analyzer, errorsas.Analyzer, hostport.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer,
	loopclosure.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, slog.Analyzer,
	stdmethods.Analyzer, stdversion.Analyzer, stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer, tests.Analyzer,
	timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer, waitgroup.Analyzer,
}

func main() {
	systems := flag.String("systems", runtime.GOOS, "values of GOOS")
	flag.Parse()
	failed := false
	for system := range strings.FieldsSeq(*systems) {
		reports, err := check(".", system, flag.Args())
		if err != nil {
			fmt.Fprintf(os.Stderr, "crossvet: as on %s: %v\n", system, err)
			os.Exit(2)
		}
		for _, r := range reports {
			fmt.Printf("%s: %s\n", system, r)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns the reports about packages of the module in a directory, for a system.
func check(dir, system string, patterns []string) (reports []string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	all, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir, Tests: true, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
			if strings.HasPrefix(name, dir+string(filepath.Separator)) {
				return parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
			}
			return withoutBodies(set, name, source)
		},
	}, patterns...)
	if err != nil {
		return nil, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		p.IllTyped = false // the files without bodies have unused imports
		if p.Module == nil || !p.Module.Main || strings.HasSuffix(p.PkgPath, ".test") {
			return
		}
		for _, e := range p.Errors {
			reports = append(reports, e.Error())
		}
	})
	if len(reports) > 0 {
		return reports, nil
	}
	found, err := checker.Analyze(vets, all, nil)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, a := range found.Roots {
		if a.Err != nil {
			return nil, fmt.Errorf("%s: %w", a, a.Err)
		}
		for _, d := range a.Diagnostics {
			r := fmt.Sprintf("%s: %s", a.Package.Fset.Position(d.Pos), d.Message)
			if !seen[r] { // a package is also part of its test
				seen[r], reports = true, append(reports, r)
			}
		}
	}
	return reports, nil
}

// withoutBodies parses the declarations of a file of a dependency. Its functions have bodies that only return.
func withoutBodies(set *token.FileSet, name string, source []byte) (*ast.File, error) {
	f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		fn.Body.List = nil
		if fn.Type.Results == nil {
			continue
		}
		for _, result := range fn.Type.Results.List {
			if result.Names == nil {
				result.Names = []*ast.Ident{ast.NewIdent("_")}
			}
		}
		fn.Body.List = []ast.Stmt{&ast.ReturnStmt{Return: fn.Body.Rbrace}}
	}
	return f, nil
}

package page

import (
	"bytes"
	"html/template"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	reader "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"journal/events/text"
)

const (
	// maxMarkdown bounds the texts that are parsed, in bytes.
	maxMarkdown = 256 << 10
	// maxMarks bounds the characters of a paragraph that may open a block or emphasis: the time to parse may grow with their
	// square.
	maxMarks = 1000
	// maxDepth bounds the nesting of elements: browsers flatten deeper ones, and each level narrows the lines.
	maxDepth = 20
)

// Markdown renders a foreign text as HTML. It is the only function that makes HTML of such a text. It shows HTML in the text as
// text, an image as its description, and keeps only links to http and https, without the header Referer. Characters that cannot
// be seen become visible. A text that is longer than maxMarkdown, crowded, or nested deeper than maxDepth is shown without
// rendering.
func Markdown(s string) template.HTML {
	s = text.Visible(s)
	var b bytes.Buffer
	if len(s) > maxMarkdown || crowded(s) || !render(&b, []byte(s)) {
		return template.HTML(`<pre tabindex="0">` + template.HTMLEscapeString(s) + "</pre>")
	}
	// An entity may stand for a character that cannot be seen. Single quotes, which are only in texts, are escaped as
	// html/template does it.
	return template.HTML(text.Visible(strings.ReplaceAll(b.String(), "'", "&#39;")))
}

// render writes a text as HTML and returns true. If the text is nested deeper than maxDepth, or cannot be rendered, it returns
// false.
func render(w io.Writer, s []byte) bool {
	doc := markdown.Parser().Parse(reader.NewReader(s))
	depth, tooDeep := 0, false
	_ = ast.Walk(doc, func(_ ast.Node, entering bool) (ast.WalkStatus, error) { // no error: the function returns none
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		depth++
		if tooDeep = depth > maxDepth; tooDeep {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return !tooDeep && markdown.Renderer().Render(w, s, doc) == nil
}

// crowded reports whether a paragraph has more than maxMarks characters that may open a block or emphasis.
func crowded(s string) bool {
	n := 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			n = 0
		}
		for i := range len(line) {
			listed := strings.IndexByte("-+.)", line[i]) >= 0 && strings.HasPrefix(line[i+1:], " ")
			if listed || strings.IndexByte("*_~[]<>`!\\|", line[i]) >= 0 {
				n++
			}
		}
		if n > maxMarks {
			return true
		}
	}
	return false
}

// markdown parses and renders Markdown with foreign.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(foreign{}, 1))),
)

// foreign renders the kinds of nodes that the library would render in a way that is not safe or does not fit a page.
type foreign struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (foreign) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		link(w, n.(*ast.Link).Destination, entering)
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			to := n.(*ast.AutoLink).URL(source)
			link(w, to, true)
			w.Write(util.EscapeHTML(n.(*ast.AutoLink).Label(source)))
			link(w, to, false)
		}
		return ast.WalkContinue, nil
	})
	// The children of an image are its description; they are rendered.
	r.Register(ast.KindImage, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkContinue, nil })
	r.Register(ast.KindHeading, enclosed(`<p class="h">`, "</p>\n"))                  // the page has headings of its own
	r.Register(extast.KindTable, enclosed(`<table tabindex="0">`+"\n", "</table>\n")) // so that keys can scroll a wide one
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.Write(util.EscapeHTML(n.(*ast.RawHTML).Segments.Value(source)))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block := n.(*ast.HTMLBlock)
		if !entering {
			return ast.WalkContinue, nil
		}
		lines := block.Lines().Value(source)
		if block.HasClosure() {
			lines = append(lines, block.ClosureLine.Value(source)...)
		}
		w.WriteString("<p>")
		w.Write(bytes.ReplaceAll(util.EscapeHTML(bytes.TrimRight(lines, "\n")), []byte("\n"), []byte("<br>\n")))
		w.WriteString("</p>\n")
		return ast.WalkContinue, nil
	})
	code := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(`<pre tabindex="0"><code>`)
			w.Write(util.EscapeHTML(n.Lines().Value(source)))
			w.WriteString("</code></pre>\n")
		}
		return ast.WalkContinue, nil
	}
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
}

// enclosed returns the function that renders a node as its children between two tags.
func enclosed(begin, end string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(begin)
		} else {
			w.WriteString(end)
		}
		return ast.WalkContinue, nil
	}
}

// link writes the beginning or the end of a link to a page of the web. For any other target it writes nothing.
func link(w util.BufWriter, to []byte, entering bool) {
	lower := bytes.ToLower(to)
	switch {
	case !bytes.HasPrefix(lower, []byte("http://")) && !bytes.HasPrefix(lower, []byte("https://")):
	case entering:
		w.WriteString(`<a href="`)
		w.Write(util.EscapeHTML(util.URLEscape(to, true)))
		w.WriteString(`" rel="noreferrer">`)
	default:
		w.WriteString("</a>")
	}
}

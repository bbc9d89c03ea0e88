// A list of any length: the rows near what is seen are asked of the server, in chunks, and
// those far from it are let go of.
import { $, $$, elements, fail, get } from "./dom.js";

const chunk = 50;

export class Rows {
  constructor(list, path) {
    this.list = list;
    this.path = path;
    this.query = "";
    this.total = +list.dataset.listed;
    this.chunks = new Map();
    this.chosen = +list.dataset.chosen;
    this.inner = document.createElement("div");
    this.inner.setAttribute("role", "none");
    const from = +list.dataset.from / chunk;
    const first = this.box(from);
    first.append(...$$(".row", list));
    list.replaceChildren(this.inner);
    this.inner.append(first);
    this.full(from, first);
    this.size();
    list.addEventListener("scroll", () => this.soon(), { passive: true });
    new ResizeObserver(() => this.size()).observe(list);
    this.choose(this.chosen, true);
  }

  get height() { return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")); }

  box(n) {
    const box = document.createElement("div");
    box.className = "chunk wait";
    box.setAttribute("role", "none");
    this.chunks.set(n, { box });
    return box;
  }

  full(n, box) {
    box.classList.remove("wait");
    this.chunks.get(n).rows = box.children.length;
  }

  size() {
    this.inner.style.height = this.total * this.height + "px";
    for (const [n, { box }] of this.chunks) this.put(n, box);
    this.soon();
  }

  put(n, box) {
    box.style.top = n * chunk * this.height + "px";
    box.style.height = Math.min(chunk, this.total - n * chunk) * this.height + "px";
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  // draw asks for the chunks in sight, and those beside them.
  draw() {
    if (this.held) return; // somebody drags past many
    const row = this.height, seen = this.list.clientHeight / row, top = this.list.scrollTop / row;
    const from = Math.max(0, Math.floor((top - seen) / chunk)), to = Math.min(Math.ceil(this.total / chunk) - 1, Math.floor((top + 2 * seen) / chunk));
    for (const [n, one] of this.chunks) {
      if (n < from - 2 || n > to + 2) {
        one.asked?.abort();
        one.box.remove();
        this.chunks.delete(n);
      }
    }
    for (let n = from; n <= to; n++) this.ask(n);
  }

  async ask(n) {
    const want = Math.min(chunk, this.total - n * chunk);
    let one = this.chunks.get(n);
    if (one && (one.asked || one.rows >= want) || want <= 0) return;
    if (!one) {
      this.inner.append(this.box(n));
      one = this.chunks.get(n);
    }
    this.put(n, one.box);
    one.asked = new AbortController();
    try {
      const answer = await get(`${this.path}/rows?from=${n * chunk}${this.query}`, { signal: one.asked.signal });
      const html = await answer.text();
      if (this.chunks.get(n) !== one) return;
      one.box.replaceChildren(...elements(html).children);
      this.full(n, one.box);
    } catch (error) { fail(error); } finally { one.asked = null; }
    this.light();
    const now = Math.min(chunk, this.total - n * chunk);
    if (this.chunks.get(n) === one && one.rows < now && one.rows < want) return; // the log is shorter than it was
    if (this.chunks.get(n) === one && one.rows < now) this.ask(n); // more came meanwhile
  }

  // grow takes that there are more rows at the end.
  grow(total) {
    if (total <= this.total) return;
    this.total = total;
    this.size();
  }

  // filter begins anew with other rows.
  filter(query, total, chosen) {
    this.query = query;
    this.total = total;
    for (const { asked } of this.chunks.values()) asked?.abort();
    this.chunks.clear();
    this.inner.replaceChildren();
    this.size();
    this.choose(chosen, true);
  }

  // choose marks a row and brings it into sight; n counts from 0.
  choose(n, middle) {
    this.chosen = n;
    const row = this.height, at = n * row, { scrollTop: top, clientHeight: room } = this.list;
    if (middle && (at < top || at > top + room - row)) this.list.scrollTop = at - room / 2;
    else if (at < top) this.list.scrollTop = at;
    else if (at > top + room - row) this.list.scrollTop = at - room + row;
    this.light();
    this.soon();
  }

  light() {
    for (const old of $$('[aria-selected="true"]', this.inner)) old.setAttribute("aria-selected", "false");
    const row = $(`.row[data-n="${this.chosen + 1}"]`, this.inner);
    row?.setAttribute("aria-selected", "true");
    if (row) this.list.setAttribute("aria-activedescendant", row.id);
    else this.list.removeAttribute("aria-activedescendant");
  }
}

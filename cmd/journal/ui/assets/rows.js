// A list of any length. It requests the rows near the visible ones from the server, in chunks, and drops the rows far from them.
import { $, $$, elements, fail, get } from "./dom.js";

const chunkRows = 50; // the server's chunk in session.go

export class Rows {
  // query is a part of the path of every request, such as &lane=a1.
  constructor(list, path, query) {
    this.list = list;
    this.path = path;
    this.query = query;
    this.total = +list.dataset.listed; // number of rows
    this.chosen = +list.dataset.chosen; // index of the chosen row
    this.held = false; // true while a person drags past many rows: nothing is requested
    this.chunks = new Map(); // by index: { box, its element; rows, the number of loaded rows; request, an AbortController while one runs }
    this.inner = document.createElement("div");
    this.inner.setAttribute("role", "none");
    const index = +list.dataset.from / chunkRows;
    const box = this.addChunk(index);
    box.append(...$$(".row", list));
    list.replaceChildren(this.inner);
    this.inner.append(box);
    this.loaded(index, box);
    this.size();
    list.addEventListener("scroll", () => this.drawSoon(), { passive: true });
    new ResizeObserver(() => this.size()).observe(list);
    this.choose(this.chosen, true);
  }

  // height is that of a row, in pixels.
  get height() { return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")); }

  // addChunk adds an empty chunk, and returns its element, which is not in the list yet.
  addChunk(index) {
    const box = document.createElement("div");
    box.className = "chunk wait";
    box.setAttribute("role", "none");
    this.chunks.set(index, { box });
    return box;
  }

  loaded(index, box) {
    box.classList.remove("wait");
    this.chunks.get(index).rows = box.children.length;
  }

  size() {
    this.inner.style.height = this.total * this.height + "px";
    for (const [index, { box }] of this.chunks) this.place(index, box);
    this.drawSoon();
  }

  // rowsIn returns the number of rows that a chunk has when it is loaded.
  rowsIn(index) { return Math.min(chunkRows, this.total - index * chunkRows); }

  place(index, box) {
    box.style.top = index * chunkRows * this.height + "px";
    box.style.height = this.rowsIn(index) * this.height + "px";
  }

  drawSoon() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  // draw requests the visible chunks and those of one more screen on each side, and drops the chunks far from them.
  draw() {
    if (this.held) return;
    const height = this.height, screen = this.list.clientHeight / height, top = this.list.scrollTop / height;
    const from = Math.max(0, Math.floor((top - screen) / chunkRows));
    const to = Math.min(Math.ceil(this.total / chunkRows) - 1, Math.floor((top + 2 * screen) / chunkRows));
    for (const [index, chunk] of this.chunks) {
      if (index < from - 2 || index > to + 2) {
        chunk.request?.abort();
        chunk.box.remove();
        this.chunks.delete(index);
      }
    }
    for (let index = from; index <= to; index++) this.request(index);
  }

  // request loads a chunk, unless it has all of its rows or is being loaded.
  async request(index) {
    const wanted = this.rowsIn(index);
    let chunk = this.chunks.get(index);
    if (wanted <= 0 || chunk?.request || chunk?.rows >= wanted) return;
    if (!chunk) {
      this.inner.append(this.addChunk(index));
      chunk = this.chunks.get(index);
    }
    this.place(index, chunk.box);
    chunk.request = new AbortController();
    try {
      const answer = await get(`${this.path}/rows?from=${index * chunkRows}${this.query}`, { signal: chunk.request.signal });
      const html = await answer.text();
      if (this.chunks.get(index) !== chunk) return;
      chunk.box.replaceChildren(...elements(html).children);
      this.loaded(index, chunk.box);
    } catch (error) { fail(error); } finally { chunk.request = null; }
    this.light();
    if (this.chunks.get(index) !== chunk) return; // it was dropped meanwhile
    const complete = chunk.rows >= wanted; // a chunk with fewer rows than wanted shows that the log became shorter
    if (complete && chunk.rows < this.rowsIn(index)) this.request(index); // rows were appended meanwhile
  }

  // grow makes the list longer.
  grow(total) {
    if (total <= this.total) return;
    this.total = total;
    this.size();
  }

  // filter replaces all rows by those of another query.
  filter(query, total, chosen) {
    this.query = query;
    this.total = total;
    for (const { request } of this.chunks.values()) request?.abort();
    this.chunks.clear();
    this.inner.replaceChildren();
    this.size();
    this.choose(chosen, true);
  }

  // choose marks the row with an index and scrolls to it: if middle is set, to the middle of the list.
  choose(index, middle) {
    this.chosen = index;
    const height = this.height, at = index * height, { scrollTop: top, clientHeight: room } = this.list;
    const above = at < top, below = at > top + room - height;
    if (middle && (above || below)) this.list.scrollTop = at - room / 2;
    else if (above) this.list.scrollTop = at;
    else if (below) this.list.scrollTop = at - room + height;
    this.light();
    this.drawSoon();
  }

  // light marks the chosen row, if it is loaded.
  light() {
    for (const old of $$('[aria-selected="true"]', this.inner)) old.setAttribute("aria-selected", "false");
    const row = $(`.row[data-n="${this.chosen + 1}"]`, this.inner);
    row?.setAttribute("aria-selected", "true");
    if (row) this.list.setAttribute("aria-activedescendant", row.id);
    else this.list.removeAttribute("aria-activedescendant");
  }
}

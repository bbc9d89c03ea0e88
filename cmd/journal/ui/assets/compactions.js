// What was known, beside what the summary says of it: each shows where the other is.
import { $, $$, fail, get, say, text } from "./dom.js";

export function compactions(main) {
  const { path } = main.dataset, bar = $("[data-restore]", main), dialog = $("#ask");
  if (!bar) return;
  const boxes = $$(".known input", main), copy = $("[data-copy]", bar), note = $("[data-note]", bar), words = $("[data-n]", bar), nothing = words.textContent;
  const chosen = () => [...new Set(boxes.filter(box => box.checked).map(box => box.value))];
  const query = () => "items=" + encodeURIComponent(chosen().join(" "));

  main.addEventListener("change", event => {
    if (!event.target.closest(".known")) return;
    const n = chosen().length;
    copy.disabled = !n;
    if (note) note.disabled = !n;
    words.textContent = n ? `${n} ✓` : nothing;
  });

  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(await text(`${path}/items?${query()}`));
      say(copy.textContent + " ✓");
    } catch (error) { fail(error); }
  });

  // What others share is read, and nothing is written there.
  if (note) notes();
  function notes() {
    note.addEventListener("click", async () => {
      try {
        $("[data-preview]", dialog).textContent = await text(`${path}/items?${query()}`);
        dialog.showModal();
      } catch (error) { fail(error); }
    });
    $("[data-cancel]", dialog).addEventListener("click", () => dialog.close());
    $("[data-confirm]", dialog).addEventListener("click", async event => {
      event.target.disabled = true;
      try {
        const form = $("meta[name=form]").content;
        const answer = await get(`${path}/note`, { method: "POST", body: new URLSearchParams(query()), headers: { "X-Journal-Form": form } });
        say(await answer.text());
        dialog.close();
      } catch (error) { fail(error); } finally { event.target.disabled = false; }
    });
  }

  const marks = $$("[data-items]", main);
  const carries = (mark, id) => mark.dataset.items.split(" ").includes(id);
  function light(ids) {
    for (const mark of marks) mark.classList.toggle("lit", ids.some(id => carries(mark, id)));
    for (const item of $$("[data-item]", main)) item.classList.toggle("lit", ids.includes(item.dataset.item) && item.classList.contains("marked"));
  }
  function show(event) {
    const item = event.target.closest("[data-item].marked"), mark = event.target.closest("[data-items]");
    if (event.target.closest("a, label, summary")) return;
    if (item) {
      light([item.dataset.item]);
      marks.find(one => carries(one, item.dataset.item))?.scrollIntoView({ block: "nearest" });
    } else if (mark) {
      const ids = mark.dataset.items.trim().split(" ");
      light(ids);
      const first = document.getElementById(ids[0]);
      for (let up = first; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
      first?.scrollIntoView({ block: "nearest" });
    }
  }
  const summary = $(".summary", main);
  if (marks.length) summary.scrollTop = marks[0].offsetTop - summary.clientHeight / 3;
  main.addEventListener("click", show);
  main.addEventListener("keydown", event => { if (event.key === "Enter") show(event); });
}

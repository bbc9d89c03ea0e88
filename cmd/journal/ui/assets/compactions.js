// The compactions of a session. A click on an item that was known lights up the parts of the summary that have it, and a click on such
// a part lights up its items.
import { $, $$ } from "./dom.js";
import { restores } from "./restore.js";

export function compactions(main) {
  if (!$("#ask")) return;
  restores();
  const marks = $$("[data-items]", main);
  const carries = (mark, id) => mark.dataset.items.split(" ").includes(id);
  function light(ids) {
    for (const mark of marks) mark.classList.toggle("lit", ids.some(id => carries(mark, id)));
    for (const item of $$("[data-item]", main)) item.classList.toggle("lit", ids.includes(item.dataset.item) && item.classList.contains("marked"));
  }
  function show(event) {
    const item = event.target.closest("[data-item].marked"), mark = event.target.closest("[data-items]");
    if (event.target.closest("a, button, summary")) return;
    if (item) {
      light([item.dataset.item]);
      marks.find(part => carries(part, item.dataset.item))?.scrollIntoView({ block: "nearest" });
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

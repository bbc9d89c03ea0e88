// The page of a day follows the log.
import { $, fail, fill, live, text } from "./dom.js";
import { watched } from "./sessions.js";

export function today(main) {
  const did = $("[data-did]", main);
  const watch = watched(did);
  let due;
  live({}, () => {
    due ??= setTimeout(() => {
      due = null;
      const query = new URLSearchParams(location.search);
      query.set("part", 1);
      if (did.contains(document.activeElement)) return; // it would take the focus away
      text(`${location.pathname}?${query}`).then(html => { fill(did, html); watch(); }, fail);
    }, 2000);
  });
}

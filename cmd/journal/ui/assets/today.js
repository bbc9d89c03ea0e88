// A day goes on as it happens.
import { $, fail, fill, live, text } from "./dom.js";

export function today(main) {
  const did = $("[data-did]", main);
  let due;
  live({}, () => {
    due ??= setTimeout(() => {
      due = null;
      const query = new URLSearchParams(location.search);
      query.set("part", 1);
      if (!did.contains(document.activeElement)) text(`${location.pathname}?${query}`).then(html => fill(did, html), fail);
    }, 2000);
  });
}

// The list of sessions: more of it when its end is seen, what each lost when it is seen, and
// news as they come. Projects tell what they lost in the same way.
import { $, $$, elements, fail, fill, live, text } from "./dom.js";

// watched asks for what parts of a list lost, and for more of it, when they come into sight.
export function watched(list, more) {
  const lost = new Map();
  const seen = new IntersectionObserver(all => {
    for (const { isIntersecting, target } of all) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      if (target.dataset.next) more(target);
      else losses(target);
    }
  }, { rootMargin: "400px" });
  const watch = () => { for (const one of $$("[data-lost], [data-next]", list)) seen.observe(one); };

  // What was asked for is asked for one after the other: each is an audit.
  let queue = Promise.resolve();
  function losses(place) {
    const path = place.dataset.lost;
    queue = queue.then(async () => {
      if (!place.isConnected) return;
      if (!lost.has(path)) lost.set(path, await text(path));
      fill(place, lost.get(path));
      const rest = $("[data-lost]", place); // what could not be audited in a moment
      if (rest) {
        place.dataset.lost = rest.dataset.lost;
        losses(place);
      }
    }).catch(fail);
  }
  watch();
  return watch;
}

export function sessions(main) {
  const list = $("[data-cards]", main), form = $("[data-search-sessions]", main);
  const watch = watched(list, more);

  async function more(place) {
    try {
      place.replaceWith(...elements(await text(place.dataset.next)).children);
      watch();
    } catch (error) { fail(error); }
  }

  let asked;
  async function again() {
    asked?.abort();
    asked = new AbortController();
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
    try {
      fill(list, await text(`${location.pathname}?rows=1&${query}`, { signal: asked.signal }));
      $("[data-total]", main).textContent = $("[data-count]", list)?.dataset.count ?? "";
      watch();
    } catch (error) { fail(error); }
  }
  let soon;
  form.addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(again, 120); });
  form.addEventListener("submit", event => { event.preventDefault(); again(); });

  let due;
  if (form.dataset.still === undefined) live({}, () => { due ??= setTimeout(() => { due = null; if (!list.contains(document.activeElement)) again(); }, 1000); });
}

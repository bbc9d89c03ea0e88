// The list of sessions. It requests more cards when its end comes into sight, and follows the log.
import { $, $$, elements, fail, fill, live, text } from "./dom.js";

// watched requests the slow parts of a page, such as losses, when they come into sight: an element has the path of its content as
// data-lost. The end of a list has data-next, and more is called with it. The result is a function that observes new elements, too.
export function watched(list, more) {
  const contents = new Map(); // answers, by path
  const observer = new IntersectionObserver(all => {
    for (const { isIntersecting, target } of all) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      if (target.dataset.next) more(target);
      else load(target);
    }
  }, { rootMargin: "400px" });
  const watch = () => { for (const place of $$("[data-lost], [data-next]", list)) observer.observe(place); };

  // One request follows the other, because most are audits.
  let queue = Promise.resolve();
  function load(place) {
    const path = place.dataset.lost;
    queue = queue.then(async () => {
      if (!place.isConnected) return;
      if (!contents.has(path)) contents.set(path, await text(path));
      fill(place, contents.get(path));
      const incomplete = $("[data-lost]", place); // it has the path of an answer with more audits
      if (incomplete) {
        place.dataset.lost = incomplete.dataset.lost;
        load(place);
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

  let request; // aborts the newest one
  async function reload() {
    request?.abort();
    request = new AbortController();
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
    try {
      fill(list, await text(`${location.pathname}?rows=1&${query}`, { signal: request.signal }));
      $("[data-total]", main).textContent = $("[data-count]", list)?.dataset.count ?? "";
      watch();
    } catch (error) { fail(error); }
  }
  let typed;
  form.addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(reload, 120); });
  form.addEventListener("submit", event => { event.preventDefault(); reload(); });

  if (form.dataset.still !== undefined) return; // the list of the team does not follow the logs
  let due;
  live({}, () => {
    due ??= setTimeout(() => {
      due = null;
      if (!list.contains(document.activeElement)) reload(); // it would take the focus away
    }, 1000);
  });
}

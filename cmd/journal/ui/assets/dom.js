// What every page needs: fragments of HTML from this server, and nothing else, become elements.
const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("journal", { createHTML: html => html })
  : { createHTML: html => html };

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// base stands before the paths of pages about somebody else's log.
export const base = document.documentElement.dataset.base ?? "";

// get asks the server, and rejects what is no answer of it.
export async function get(path, options) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).trim()}`);
  return answer;
}

export const text = async (path, options) => (await get(path, options)).text();

// fill puts a fragment that this server made, in which every foreign text is escaped, into an element.
export function fill(element, html) {
  element.innerHTML = policy.createHTML(html);
}

export function elements(html) {
  const box = document.createElement("template");
  fill(box, html);
  return box.content;
}

// say tells everybody something, those who listen too.
let quiet;
export function say(words) {
  const place = $("#said");
  place.textContent = words;
  clearTimeout(quiet);
  quiet = setTimeout(() => (place.textContent = ""), 4000);
}

export const fail = error => { if (error.name !== "AbortError") say(error.message); };

// typing says whether a key belongs to a field.
export const typing = event => event.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, dialog[open]") || event.ctrlKey || event.metaKey || event.altKey;

// live calls back with what the server says happened, first of all with what was missed. A page
// that nobody sees does not listen: a browser has six connections to a server for all its pages.
export function live(query, heard) {
  let source;
  const listen = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource(`${base}/live?` + new URLSearchParams(query));
      source.onmessage = event => heard(JSON.parse(event.data));
    }
  };
  addEventListener("pagehide", () => { source?.close(); source = null; });
  addEventListener("pageshow", listen);
  document.addEventListener("visibilitychange", listen);
  listen();
}

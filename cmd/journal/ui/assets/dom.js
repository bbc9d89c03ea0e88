// The parts that every script uses. Only HTML from this server becomes elements.
const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("journal", { createHTML: html => html })
  : { createHTML: html => html };

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// base is the prefix of all paths, empty for the pages about this machine's log.
export const base = document.documentElement.dataset.base ?? "";

// get makes a request to the server. It throws the text of any answer but a success.
export async function get(path, options) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).trim()}`);
  return answer;
}

export const text = async (path, options) => (await get(path, options)).text();

// fill replaces the content of an element by a fragment from this server, which has escaped every foreign text in it.
export function fill(element, html) {
  element.innerHTML = policy.createHTML(html);
}

export function elements(html) {
  const box = document.createElement("template");
  fill(box, html);
  return box.content;
}

// say shows a message for four seconds. Screen readers speak it.
let clearing;
export function say(words) {
  const place = $("#said");
  place.textContent = words;
  clearTimeout(clearing);
  clearing = setTimeout(() => (place.textContent = ""), 4000);
}

// fail shows an error, unless the script itself aborted the request.
export const fail = error => { if (error.name !== "AbortError") say(error.message); };

// typing reports whether a key is not for the page: it goes to a field or a dialog, or is one of the browser's combinations.
export const typing = event => event.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, dialog[open]") || event.ctrlKey || event.metaKey || event.altKey;

// live calls heard with each message of the server (serveLive), first with one about everything that the page missed. A hidden page
// does not listen, because a browser has six connections to a server for all its pages.
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

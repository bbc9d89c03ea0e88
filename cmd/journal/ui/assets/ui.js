import { $, $$, base, fail, fill, say, text, typing } from "./dom.js";
import { compactions } from "./compactions.js";
import { restores } from "./restore.js";
import { session } from "./session.js";
import { sessions, watched } from "./sessions.js";
import { today } from "./today.js";

const year = "; path=/; max-age=31536000; samesite=strict";

$("[data-lang]").addEventListener("change", event => {
  document.cookie = `journal-lang=${event.target.value}${year}`;
  location.reload();
});

$("[data-theme-switch]").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `journal-theme=${root.dataset.theme}${year}`;
});

// The search box suggests sessions and projects while a person types; arrow keys go through them.
const everything = $("[data-everything]"), suggestions = $("[data-suggest]");
let request; // aborts the newest one
everything.addEventListener("input", () => {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  if (!everything.value.trim()) return void (suggestions.hidden = true);
  setTimeout(() => signal.aborted || text(`${base}/suggest?q=${encodeURIComponent(everything.value)}`, { signal }).then(html => {
    fill(suggestions, html);
    suggestions.hidden = false;
  }, fail), 120);
});
everything.form.addEventListener("keydown", event => {
  const all = [everything, ...$$("a", suggestions)], step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") suggestions.hidden = true;
  if (!step || suggestions.hidden) return;
  event.preventDefault();
  all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
});
everything.form.addEventListener("focusout", event => { if (!everything.form.contains(event.relatedTarget)) suggestions.hidden = true; });

const keys = $("#keys");
$("[data-help]").addEventListener("click", () => keys.showModal());
addEventListener("keydown", event => {
  if (event.key === "k" && (event.ctrlKey || event.metaKey)) { // also in a field
    event.preventDefault();
    everything.focus();
  }
  if (typing(event)) return;
  if (event.key === "?") keys.showModal();
  else if (event.key === "/") {
    event.preventDefault();
    $("[data-focus]")?.focus();
  }
});

// load requests the content of a part when it is unfolded for the first time.
function load(part) {
  if (part.open && part.dataset?.lazy && !part.dataset.loaded) {
    part.dataset.loaded = true;
    text(part.dataset.lazy).then(html => fill($("div", part), html), fail);
  }
}
document.addEventListener("toggle", event => load(event.target), true);
$$("details[open]").forEach(load); // those that were unfolded before this script ran

document.addEventListener("change", event => {
  if (event.target.dataset.lanePick !== undefined) location = event.target.value ? `${location.pathname}?lane=${encodeURIComponent(event.target.value)}` : location.pathname;
});

// Buttons that copy a text, the text at a path, or the address of the page.
document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copies], [data-copies-link], [data-copies-from]");
  if (!button) return;
  const { copies, copiesFrom } = button.dataset;
  try {
    await navigator.clipboard.writeText(copies ?? (copiesFrom ? await text(copiesFrom) : location.href));
    say(`${button.textContent} ${$("#said").dataset.copied}`);
  } catch (error) { fail(error); }
});

const views = { compactions, projects: watched, search: watched, session, sessions, survey: main => { watched(main); restores(); }, today };
const main = $("main[data-view]");
if (main) views[main.dataset.view](main);

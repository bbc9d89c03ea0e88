import { $, typing } from "./dom.js";
import { compactions } from "./compactions.js";
import { session } from "./session.js";
import { sessions } from "./sessions.js";
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

const keys = $("#keys");
$("[data-help]").addEventListener("click", () => keys.showModal());
addEventListener("keydown", event => {
  if (typing(event)) return;
  if (event.key === "?") keys.showModal();
  else if (event.key === "/") {
    event.preventDefault();
    $("[data-focus]")?.focus();
  }
});

const views = { compactions, session, sessions, today };
const main = $("main[data-view]");
if (main) views[main.dataset.view](main);

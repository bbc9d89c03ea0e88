// The buttons that restore lost items. They open a dialog that shows the text, and copies it or records it as a note of the session.
import { $, fail, fill, get, say, text } from "./dom.js";

export function restores() {
  const dialog = $("#ask");
  let path, items;
  document.addEventListener("click", async event => {
    const button = event.target.closest("[data-restore]");
    if (!button) return;
    path = button.dataset.path;
    items = "items=" + encodeURIComponent(button.dataset.restore.trim());
    try {
      $("[data-preview]", dialog).textContent = await text(`${path}/items?${items}`);
      dialog.showModal();
    } catch (error) { fail(error); }
  });
  $("[data-cancel]", dialog).addEventListener("click", () => dialog.close());
  $("[data-copy]", dialog).addEventListener("click", async event => {
    try {
      await navigator.clipboard.writeText($("[data-preview]", dialog).textContent);
      dialog.close();
      say($("#said").dataset.copied);
    } catch (error) { fail(error); }
  });
  // The button is missing on pages about a member's log, in which nothing is written.
  $("[data-confirm]", dialog)?.addEventListener("click", async event => {
    event.target.disabled = true;
    try {
      const answer = await get(`${path}/note`, { method: "POST", body: new URLSearchParams(items), headers: { "X-Journal-Form": $("meta[name=form]").content } });
      const words = await answer.text();
      dialog.close();
      say("");
      fill($("#said"), words); // with a link to the note
    } catch (error) { fail(error); } finally { event.target.disabled = false; }
  });
}

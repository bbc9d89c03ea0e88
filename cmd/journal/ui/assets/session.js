// A session at one of its events, whose index is its place. The chart, the list and the state show the same place.
import { $, $$, base, elements, fail, fill, get, live, text, typing } from "./dom.js";
import { Rows } from "./rows.js";

export function session(main) {
  const { path, lane, project } = main.dataset;
  const slider = $("[data-slider]", main), where = $("[data-where]", main), state = $("[data-state]", main), chart = $("[data-chart]", main);
  const lanes = lane ? `&lane=${encodeURIComponent(lane)}` : "";
  let filter = pressedFilter(); // of the list, as a part of a query
  const rows = new Rows($("[data-rows]", main), path, filter + lanes);
  let total = +main.dataset.total, place = +main.dataset.place, following = main.dataset.live === "true";
  const compactions = () => $$(".compaction", chart).map(mark => +mark.dataset.place);
  let stops = compactions();
  let wanted = null, busy = false; // the place to show next, and whether one is being requested

  // clock is set if the axis is time: xs are the positions of each step-th event in percent. Places between them are interpolated.
  let clock = null;
  const toX = at => {
    if (!clock) return at;
    const i = Math.min(Math.floor(at / clock.step), clock.xs.length - 1), from = clock.xs[i], to = clock.xs[i + 1] ?? 100;
    return from + (to - from) * Math.min(1, (at - i * clock.step) / clock.step);
  };
  const toPlace = x => {
    if (!clock) return Math.round(x);
    const i = Math.max(0, clock.xs.findLastIndex(known => known <= x)), from = clock.xs[i], to = clock.xs[i + 1] ?? 100;
    return Math.min(total - 1, Math.round((i + (to > from ? (x - from) / (to - from) : 0)) * clock.step));
  };
  function axis() {
    const { xs, step } = $(".chart", chart).dataset;
    clock = xs ? { xs: xs.trim().split(" ").map(Number), step: +step } : null;
    slider.step = clock ? "any" : 1;
    slider.max = clock ? 100 : total - 1;
    slider.value = toX(place);
  }

  function pressedFilter() {
    const isPressed = selector => $(selector, main).getAttribute("aria-pressed") === "true";
    const kinds = $$('[data-kind][aria-pressed="true"]', main).map(button => encodeURIComponent(button.dataset.kind)).join(",");
    return (kinds && `&kind=${kinds}`) + (isPressed("[data-failed]") ? "&failed=1" : "") + (isPressed("[data-internal]") ? "&internal=1" : "");
  }

  // go moves to a place. settled is false while a person drags through many places: then each is shown when the one before is, and
  // the list requests no rows.
  function go(to, settled = true) {
    to = Math.max(0, Math.min(total - 1, to));
    if (to === place && settled && !wanted) return;
    place = to;
    slider.value = toX(to);
    wanted = { to, settled };
    if (!busy) travel();
  }

  async function travel() {
    busy = true;
    while (wanted) {
      const { to, settled } = wanted;
      wanted = null;
      try {
        rows.held = !settled;
        // While places pass, folded items are not requested, unless the person unfolded them.
        const passing = settled || $("details[open][id^=more]", state) ? "" : "&passing=1";
        show(await text(`${path}/state?place=${to}${passing}${filter}${lanes}`));
        if (settled && !wanted) settle();
      } catch (error) { fail(error); }
    }
    busy = false;
  }

  function show(html) {
    if (!html) return;
    const box = elements(html), now = $("[data-moment]", box).dataset;
    const open = $$("details[open]", state).map(details => details.id);
    rows.choose(+now.n, true); // first: it measures, which is slow after a change of the page
    state.replaceChildren(box);
    for (const id of open) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
    where.textContent = now.where;
    slider.setAttribute("aria-valuetext", `${now.where} ${$(".now b", state)?.textContent ?? ""}`);
  }

  // settle puts the place into the address of the page.
  function settle() {
    const url = new URL(location);
    if (following) url.searchParams.delete("at");
    else url.searchParams.set("at", $("[data-moment]", state).dataset.seq);
    history.replaceState(null, "", url);
  }

  const newest = $("[data-go=live]", main);
  function showWorking() {
    newest.classList.add("working");
    $("[data-now]", newest).textContent = $("[data-now]", newest).dataset.now;
  }

  function follow(on) {
    following = on;
    newest.setAttribute("aria-pressed", on);
    if (on) go(total - 1);
  }

  function pick(to) {
    if (to !== total - 1) follow(false);
    go(to);
  }

  const next = () => stops.find(stop => stop > place), before = () => stops.findLast(stop => stop < place);
  const moves = {
    before: () => pick(place - 1), after: () => pick(place + 1), first: () => pick(0), last: () => pick(total - 1),
    compaction: () => pick(next() ?? place), "compaction-before": () => pick(before() ?? place),
    live: () => follow(!following),
  };
  const keys = { ArrowLeft: "before", ArrowUp: "before", k: "before", ArrowRight: "after", ArrowDown: "after", j: "after", c: "compaction", C: "compaction-before", Home: "first", End: "last" };

  main.addEventListener("click", event => {
    const move = event.target.closest("[data-go]"), row = event.target.closest(".row"), at = event.target.closest("a[data-at]");
    if (move) moves[move.dataset.go]();
    else if (row) pick(+row.dataset.place);
    else if (at) {
      event.preventDefault();
      toSequence(at.dataset.at);
    }
  });

  async function toSequence(seq) {
    follow(false);
    try {
      show(await text(`${path}/state?at=${seq}${filter}${lanes}`));
      const now = $("[data-moment]", state).dataset;
      place = +now.place;
      slider.value = toX(place);
      settle();
    } catch (error) { fail(error); }
  }

  addEventListener("keydown", event => {
    const move = keys[event.key];
    if (!move || typing(event) || event.target.closest("button, a, summary") && event.key.startsWith("Arrow")) return;
    if (event.target.closest("pre") && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    moves[move]();
  });

  slider.addEventListener("input", () => { follow(false); go(toPlace(+slider.value), false); });
  slider.addEventListener("change", () => { wanted = { to: toPlace(+slider.value), settled: true }; if (!busy) travel(); });

  // The chart works like the slider: a press moves to the place under the pointer.
  const stage = $(".stage", main);
  stage.addEventListener("pointerdown", event => {
    const plot = $(".plot", stage)?.getBoundingClientRect();
    if (event.button !== 0 || !plot || event.clientX < plot.left || event.target.closest("a")) return;
    stage.setPointerCapture(event.pointerId);
    const move = ({ clientX }) => { follow(false); go(toPlace(((clientX - plot.left) / plot.width) * +slider.max), false); };
    const end = () => {
      stage.removeEventListener("pointermove", move);
      stage.removeEventListener("pointerup", end);
      stage.removeEventListener("pointercancel", end);
      slider.focus({ preventScroll: true });
      wanted = { to: place, settled: true };
      if (!busy) travel();
    };
    stage.addEventListener("pointermove", move);
    stage.addEventListener("pointerup", end);
    stage.addEventListener("pointercancel", end);
    event.preventDefault();
    move(event);
  });

  // Kinds of events.
  const find = $("[data-find]", main), found = $("[data-found]", main);
  $(".kinds", main).addEventListener("click", async event => {
    const button = event.target.closest("button");
    if (!button) return;
    button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
    filter = pressedFilter();
    const answer = await get(`${path}/rows?from=0${filter}`).catch(fail);
    if (!answer) return;
    rows.filter(filter + lanes, +answer.headers.get("X-Journal-Listed"), 0);
    show(await text(`${path}/state?place=${place}${filter}${lanes}`));
  });

  // Search.
  let search;
  find.addEventListener("submit", event => event.preventDefault());
  find.addEventListener("input", () => {
    const words = find.q.value.trim();
    search?.abort();
    found.hidden = !words;
    rows.list.hidden = !!words;
    if (!words) return rows.choose(rows.chosen, true);
    search = new AbortController();
    const { signal } = search;
    setTimeout(() => signal.aborted || text(`${base}/search?part=1&${new URLSearchParams(new FormData(find))}`, { signal }).then(html => fill(found, html), fail), 150);
  });
  find.addEventListener("keydown", event => {
    if (event.key === "Escape") {
      find.q.value = "";
      find.dispatchEvent(new Event("input"));
      rows.list.focus();
    } else if (event.key === "Enter") $("a", found)?.click();
  });

  $(".panes", main).addEventListener("click", event => {
    const pane = event.target.dataset.pane;
    if (!pane) return;
    main.dataset.pane = pane;
    for (const button of $$(".panes button", main)) button.setAttribute("aria-pressed", button.dataset.pane === pane);
    rows.size();
    rows.choose(rows.chosen, true);
  });

  // label and markClass are those of a compaction with these numbers, as in shareMark (package page).
  const label = ({ lost, offered, back }) => lost ? `−${lost}` : offered ? `?${offered}` : back ? `+${back}` : "▼";
  const markClass = ({ lost, offered, back }) => lost ? "" : offered ? "offered" : back ? "back" : "";

  // untangle hides labels that would touch an earlier one. The label of a compaction that stays gets the largest numbers of those that
  // it hides. Times at pauses come first in the chart, so that they stay.
  function untangle() {
    let kept;
    for (const mark of $$(".compaction", chart)) {
      const words = $("text", mark), sums = {};
      for (const name of ["lost", "offered", "back"]) sums[name] = +mark.dataset[name];
      words.removeAttribute("display");
      words.textContent = label(sums);
      if (kept && words.getBoundingClientRect().left < kept.words.getBoundingClientRect().right + 14) {
        words.setAttribute("display", "none");
        for (const name in sums) kept.sums[name] = Math.max(kept.sums[name], sums[name]);
        kept.words.textContent = label(kept.sums);
        kept.mark.setAttribute("class", `compaction ${markClass(kept.sums)}`);
      } else kept = { mark, words, sums };
    }
    const taken = [];
    for (const words of $$(".tick text", chart)) {
      words.removeAttribute("display");
      const box = words.getBoundingClientRect();
      if (taken.some(other => box.left < other.right + 6 && other.left < box.right + 6)) words.setAttribute("display", "none");
      else taken.push(box);
    }
  }
  new ResizeObserver(untangle).observe(chart);

  const byClock = $("[data-clock]", main);
  byClock.addEventListener("click", () => {
    byClock.setAttribute("aria-pressed", byClock.getAttribute("aria-pressed") !== "true");
    draw(stops.length);
  });

  // draw requests the chart, with the losses of compactions if lost is set.
  let drawing; // the timer of the next draw
  async function draw(lost) {
    const html = await text(`${path}/chart?${lost ? "lost=1" : ""}${byClock.getAttribute("aria-pressed") === "true" ? "&clock=1" : ""}${lanes}`).catch(fail);
    if (!html) return;
    fill(chart, html);
    axis();
    untangle();
    stops = compactions();
  }
  // A message comes when the page has loaded, with what it missed, and after events of the project, which may change the state
  // although this session has no more events.
  let hello = true; // the next message is the first
  live({ project, session: main.dataset.session, lane }, async news => {
    if (!news.events) return;
    const more = news.events > total;
    total = news.events;
    $("[data-events]", main).textContent = news.said;
    if (!clock) slider.max = total - 1;
    slider.value = toX(place);
    const compacted = $("[data-compactions]", main);
    compacted.textContent = news.compactions;
    compacted.hidden = !news.compacted;
    $("[data-newest]", main).textContent = news.when;
    const grouped = n => n.toLocaleString(document.documentElement.lang).replace(/[,.]/g, "\u202f");
    for (const button of $$("[data-kind]", main)) $("span", button).textContent = grouped(news.kinds[button.dataset.kind] ?? 0);
    if (more && !hello) showWorking();
    if (!filter) rows.grow(news.listed);
    else get(`${path}/rows?from=0${filter}`).then(answer => rows.grow(+answer.headers.get("X-Journal-Listed")), fail);
    if (following && more) go(news.place);
    else if (following && !hello) show(await text(`${path}/state?place=${place}${filter}${lanes}`).catch(fail) ?? "");
    if (hello && !more) return void (hello = false);
    hello = false;
    main.dataset.total = total;
    drawing ??= setTimeout(() => { drawing = null; draw(stops.length); }, 500);
  });
  if (stops.length) draw(true);
}

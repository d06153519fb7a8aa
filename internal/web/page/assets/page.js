// Fetches the page again every few seconds and puts it in place, so that
// scroll positions and focus stay. Without it a page is simply not refreshed.
"use strict";
(() => {
  const every = 10000;
  const box = document.getElementById("refresh");
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  const pause = document.createElement("button");
  pause.type = "button";
  box.append(state, pause);
  let paused = false;
  let busy = false;

  const say = (text, bad) => {
    if (state.textContent !== text) state.textContent = text;
    box.classList.toggle("stale", bad);
  };
  const label = () => {
    pause.textContent = paused ? "Go on" : "Pause";
    pause.setAttribute("aria-label", paused ? "Go on refreshing the page" : "Pause refreshing the page");
    say(paused ? "paused" : "refreshes every 10 s", false);
  };

  // What a person is doing must survive: where regions are scrolled to, what
  // has focus, and what is being typed.
  const scrolled = () => new Map([...document.querySelectorAll(".scroll[id]")].map((e) => [e.id, [e.scrollLeft, e.scrollTop]]));
  const typing = () => document.activeElement instanceof HTMLInputElement;
  const selecting = () => String(getSelection()).trim() !== "";
  const focusKey = () => {
    const e = document.activeElement;
    if (!e || !e.closest("main")) return null;
    if (e.id) return (root) => root.querySelector("#" + CSS.escape(e.id));
    const href = e.getAttribute("href");
    return href && ((root) => [...root.querySelectorAll("a")].find((a) => a.getAttribute("href") === href));
  };

  // A wide graph opens where its bottleneck is.
  const graph = document.getElementById("graph");
  const root = graph?.querySelector(".card.root");
  if (root) graph.scrollLeft = root.offsetLeft + root.offsetWidth - graph.clientWidth + 40;

  const refresh = async () => {
    if (paused || busy || document.hidden || typing() || selecting()) return;
    busy = true;
    try {
      const answer = await fetch(location.href, { cache: "no-cache" });
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      const main = next.getElementById("main");
      if (!main) throw new Error("no page");
      const old = document.getElementById("main");
      if (main.innerHTML !== old.innerHTML && !typing() && !paused) {
        const places = scrolled();
        const focused = focusKey();
        const [x, y] = [scrollX, scrollY];
        old.replaceChildren(...main.childNodes);
        document.title = next.title;
        for (const [id, [left, top]] of places) document.getElementById(id)?.scrollTo(left, top);
        scrollTo(x, y);
        if (focused) focused(old)?.focus({ preventScroll: true });
      }
      say("refreshes every 10 s", false);
    } catch {
      say("not refreshed: the exporter does not answer", true);
    } finally {
      busy = false;
    }
  };

  pause.addEventListener("click", () => {
    paused = !paused;
    label();
    refresh();
  });
  label();
  setInterval(refresh, every);
  document.addEventListener("visibilitychange", refresh);
})();

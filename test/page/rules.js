// Rules of WCAG 2.2 that a program can hold a page against, without libraries.
// Returns what breaks them, a line each.
(() => {
  const broken = [];
  const bad = (rule, e, why) => broken.push(`${rule}: <${e.tagName.toLowerCase()} class="${e.getAttribute("class") || ""}"> ${why} ${(e.textContent || "").trim().slice(0, 60)}`);
  const seen = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden" && !e.closest("[aria-hidden=true]");
  const all = (css) => [...document.querySelectorAll(css)];
  const named = (e) => {
    const by = e.getAttribute("aria-labelledby");
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent || "").join(" ").trim();
    const label = e.getAttribute("aria-label") || (e.id && document.querySelector(`label[for="${CSS.escape(e.id)}"]`)?.textContent) || "";
    return (label || e.textContent).trim();
  };

  // Structure: language, title, one main and one h1, headings without gaps, landmarks with names.
  if (!document.documentElement.lang) bad("lang", document.documentElement, "is missing");
  if (!document.title) bad("title", document.head, "is missing");
  for (const css of ["main", "h1", "header", "footer"]) if (all(`body > ${css}, body main ${css === "h1" ? css : "none"}`).length !== 1) bad("landmark", document.body, `has not one ${css}`);
  let last = 0;
  for (const h of all("h1, h2, h3, h4, h5, h6").filter(seen)) {
    const n = Number(h.tagName[1]);
    if (n > last + 1) bad("heading-order", h, `follows h${last}`);
    last = n;
  }
  for (const e of all("nav, section, aside, [role=region]")) if (!named({ getAttribute: (a) => e.getAttribute(a), id: "", textContent: "" })) bad("landmark-name", e, "has no name");
  const skip = document.querySelector("body > a:first-child");
  if (!skip || !document.querySelector(skip.getAttribute("href"))) bad("skip-link", document.body, "has none that leads anywhere");

  // Names, ids and references.
  for (const e of all("a[href], button, input, select, textarea").filter(seen)) if (!named(e)) bad("control-name", e, "has no name");
  for (const e of all("svg").filter((s) => !s.closest("[aria-hidden=true]"))) if (e.getAttribute("role") !== "img" || !e.getAttribute("aria-label")) bad("image-name", e, "has no name");
  const ids = new Map();
  for (const e of all("[id]")) ids.set(e.id, (ids.get(e.id) || 0) + 1);
  for (const [id, n] of ids) if (n > 1) bad("duplicate-id", document.getElementById(id), `${id} is there ${n} times`);
  for (const e of all("[aria-labelledby]")) for (const id of e.getAttribute("aria-labelledby").split(/\s+/)) if (!document.getElementById(id)) bad("reference", e, `names ${id}, which is missing`);
  for (const e of all("a[href^='#']")) if (!document.querySelector(e.getAttribute("href"))) bad("reference", e, "leads nowhere");

  // Tables: headings with scope, and a heading in each row.
  for (const t of all("table")) {
    if (!t.querySelector("thead th[scope=col]")) bad("table-head", t, "has no column headings");
    for (const th of t.querySelectorAll("th")) if (!th.getAttribute("scope")) bad("table-scope", th, "has no scope");
    for (const r of t.querySelectorAll("tbody tr")) if (!r.querySelector("th[scope=row]")) bad("table-row", r, "has no heading");
    const n = t.querySelectorAll("thead th").length;
    for (const r of t.querySelectorAll("tbody tr")) if (r.children.length !== n) bad("table-cells", r, `has ${r.children.length} cells, want ${n}`);
  }
  for (const l of all("ul, ol")) for (const c of l.children) if (c.tagName !== "LI") bad("list", l, `holds a ${c.tagName}`);
  // What scrolls sideways can be reached by keyboard.
  for (const e of all("*")) if (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.tabIndex < 0) bad("scroll-focus", e, "scrolls but takes no focus");
  if (document.documentElement.scrollWidth > innerWidth + 1) bad("reflow", document.documentElement, `is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);

  // Contrast of text: 4.5, of large text 3, against what is painted below it.
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = css;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const ground = (e) => {
    const colours = [];
    for (; e; e = e.parentElement) colours.unshift(rgba(getComputedStyle(e).backgroundColor));
    return colours.reduce((below, c) => over(c, below), rgba(getComputedStyle(document.documentElement).backgroundColor));
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const e of all("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.getClientRects().length === 0 || ["SCRIPT", "STYLE", "title", "TITLE"].includes(e.tagName)) continue;
    const style = getComputedStyle(e);
    const below = ground(e);
    const ink = over(rgba(e instanceof SVGElement ? style.fill : style.color), below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) bad("contrast", e, `${ratio.toFixed(2)}`);
  }
  return [...new Set(broken)].slice(0, 40);
})()

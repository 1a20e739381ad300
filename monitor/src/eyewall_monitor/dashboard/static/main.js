// The shell around every page: navigation, the state of the connection, the theme.

import { countAges, inWords } from "./ages.js";
import { Live } from "./live.js";
import { pageOf, sectionOf } from "./routes.js";
import { Screen } from "./screen.js";
import { themeButton } from "./theme.js";

const SAID = { connecting: "connecting", live: "live", lost: "not live" };

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const root = element("page");
const live = new Live("/api/v1/events");
/** @type {Screen|null} */
let screen = null;
let turn = 0;

/** @param {string} sentence */
function tell(sentence) {
  const told = element("told");
  told.textContent = told.textContent === sentence ? `${sentence} ` : sentence;
}

/**
 * Go to another page, or to another address of this one.
 * @param {string} url @param {{replace?: boolean}} [options]
 */
function go(url, options = {}) {
  if (options.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  void show(true);
}

/** @param {boolean} arrived  Whether somebody came from another page, whose focus is gone. */
async function show(arrived) {
  const mine = ++turn;
  const path = location.pathname;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.getAttribute("href") === sectionOf(path)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const { make, name } = await pageOf(path);
  if (mine !== turn) return;
  screen?.end();
  screen = new Screen(root, (context) => make(context, name), {
    go,
    tell,
    query: () => new URLSearchParams(location.search),
  });
  screen.draw();
  screen.refetch();
  if (!arrived) return;
  scrollTo(0, 0);
  root.focus({ preventScroll: true });
  tell(screen.page.title);
}

/** @param {MouseEvent} event  A link within these pages needs no new document. */
function follow(event) {
  const target = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(target instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(target.href);
  if (url.origin !== location.origin || url.hash || target.target || target.download) return;
  if (url.pathname.startsWith("/api/") || ["/metrics", "/openapi.json", "/docs"].includes(url.pathname)) return;
  event.preventDefault();
  go(url.pathname + url.search);
}

function connection() {
  const mark = element("live");
  mark.dataset.state = live.state;
  mark.textContent = SAID[live.state];
  document.documentElement.toggleAttribute("data-lost", live.state === "lost");
  const banner = element("banner");
  if (live.state === "lost" && !banner.hasChildNodes()) {
    const said = document.createElement("p");
    said.append("The connection to the dashboard’s server is lost. What is shown may be out of date; it is tried again by itself. ");
    const since = document.createElement("span");
    since.id = "lost-for";
    since.setAttribute("aria-hidden", "true");
    said.append(since);
    banner.append(said);
  }
  if (live.state === "live") {
    if (banner.hasChildNodes()) tell("The connection is back.");
    banner.replaceChildren();
  }
}

function countLost() {
  const since = document.getElementById("lost-for");
  if (since && live.lostAt) since.textContent = `Lost for ${inWords((Date.now() - live.lostAt) / 1000)}.`;
}

countAges();
setInterval(countLost, 1000);
themeButton(element("theme"), () => screen?.redraw());
addEventListener("popstate", () => void show(true));
document.addEventListener("click", follow);
live.addEventListener("change", (event) => {
  screen?.changed(/** @type {CustomEvent<import("../views.d.ts").Change>} */ (event).detail.changed);
});
live.addEventListener("state", () => {
  connection();
  if (live.state === "live") screen?.refetch();
});
live.start();
root.replaceChildren();
void show(false);

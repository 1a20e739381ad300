// The shell around every page: navigation, the state of the connection, the theme.

import { startAges } from "./age_element.js";
import { ChangeEvents } from "./events.js";
import { duration } from "./format.js";
import { pageOf, sectionOf } from "./routes.js";
import { Screen } from "./screen.js";
import { themeButton } from "./theme.js";

const LABEL = { connecting: "connecting", live: "live", lost: "not live" };

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const root = element("page");
const events = new ChangeEvents("/api/v1/events");
/** @type {Screen|null} */
let screen = null;
let turn = 0;

/** Have screen readers read a sentence; a repeated one needs different text. @param {string} sentence */
function announce(sentence) {
  const announcer = element("announcer");
  announcer.textContent = announcer.textContent === sentence ? `${sentence} ` : sentence;
}

/**
 * Go to another page, or to another URL of this one.
 * @param {string} url @param {{replace?: boolean}} [options]
 */
function go(url, options = {}) {
  if (options.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  void show(true);
}

/** @param {boolean} navigated  Whether another page was shown before: its focus is gone. */
async function show(navigated) {
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
    announce,
    query: () => new URLSearchParams(location.search),
  });
  screen.draw();
  screen.refetch();
  if (!navigated) return;
  scrollTo(0, 0);
  root.focus({ preventScroll: true });
  announce(screen.page.title);
}

/** Follow a link within these pages without loading a new document. @param {MouseEvent} event */
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

function showConnection() {
  const mark = element("live");
  mark.dataset.state = events.state;
  mark.textContent = LABEL[events.state];
  document.documentElement.toggleAttribute("data-lost", events.state === "lost");
  const banner = element("banner");
  if (events.state === "lost" && !banner.hasChildNodes()) {
    const notice = document.createElement("p");
    notice.append("The connection to the dashboard’s server is lost. This page may be out of date. Reconnecting automatically. ");
    const since = document.createElement("span");
    since.id = "lost-for";
    since.setAttribute("aria-hidden", "true");
    notice.append(since);
    banner.append(notice);
  }
  if (events.state === "live") {
    if (banner.hasChildNodes()) announce("The connection is back.");
    banner.replaceChildren();
  }
}

function updateLostTime() {
  const since = document.getElementById("lost-for");
  if (since && events.lostAt) since.textContent = `Lost for ${duration((Date.now() - events.lostAt) / 1000)}.`;
}

startAges();
setInterval(updateLostTime, 1000);
themeButton(element("theme"), () => screen?.redraw());
addEventListener("popstate", () => void show(true));
document.addEventListener("click", follow);
events.addEventListener("change", (event) => {
  screen?.changed(/** @type {CustomEvent<import("../api.d.ts").ViewChange>} */ (event).detail.changed);
});
events.addEventListener("state", () => {
  showConnection();
  if (events.state === "live") screen?.refetch();
});
events.start();
root.replaceChildren();
void show(false);

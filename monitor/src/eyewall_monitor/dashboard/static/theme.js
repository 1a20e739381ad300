// Light or dark: the system's choice until somebody makes another one here.

const KEY = "eyewall-theme";
const NEXT = { "": "dark", dark: "light", light: "" };
const SAID = { "": "Theme: system", dark: "Theme: dark", light: "Theme: light" };
const SIGN = { "": "◐", dark: "●", light: "○" };

/**
 * Let a button go through system, dark and light.
 * @param {HTMLElement} button
 * @param {() => void} changed  Called after each change: canvases have to be drawn anew.
 */
export function themeButton(button, changed) {
  const root = document.documentElement;
  const show = () => {
    const theme = /** @type {""|"dark"|"light"} */ (root.dataset.theme ?? "");
    button.textContent = SIGN[theme];
    button.setAttribute("aria-label", SAID[theme]);
    button.title = SAID[theme];
  };
  button.addEventListener("click", () => {
    const next = NEXT[/** @type {""|"dark"|"light"} */ (root.dataset.theme ?? "")];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      if (next) localStorage.setItem(KEY, next);
      else localStorage.removeItem(KEY);
    } catch {
      // It holds for this page only.
    }
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  show();
}

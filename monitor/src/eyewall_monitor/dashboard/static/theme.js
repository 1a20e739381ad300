// The button that switches between the system’s theme, dark and light.

const KEY = "eyewall-theme";
const NEXT = { "": "dark", dark: "light", light: "" };
const LABEL = { "": "Theme: system", dark: "Theme: dark", light: "Theme: light" };
const SIGN = { "": "◐", dark: "●", light: "○" };

/**
 * Make a button cycle through system, dark and light.
 * @param {HTMLElement} button
 * @param {() => void} changed  Called after each change: canvases must be redrawn.
 */
export function themeButton(button, changed) {
  const root = document.documentElement;
  const show = () => {
    const theme = /** @type {""|"dark"|"light"} */ (root.dataset.theme ?? "");
    button.textContent = SIGN[theme];
    button.setAttribute("aria-label", LABEL[theme]);
    button.title = LABEL[theme];
  };
  button.addEventListener("click", () => {
    const next = NEXT[/** @type {""|"dark"|"light"} */ (root.dataset.theme ?? "")];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      if (next) localStorage.setItem(KEY, next);
      else localStorage.removeItem(KEY);
    } catch {
      // Storage is disabled: the choice lasts as long as this page.
    }
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  show();
}

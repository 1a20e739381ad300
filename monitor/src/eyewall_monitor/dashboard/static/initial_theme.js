// Runs before the first paint, so that no page flashes in the other theme.
try {
  const theme = localStorage.getItem("eyewall-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage is disabled: the system’s theme applies.
}

// Loaded before anything is painted, so that no page flashes in the other theme.
try {
  const chosen = localStorage.getItem("eyewall-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing: the system's theme it is.
}

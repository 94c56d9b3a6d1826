// The theme that was chosen, before anything is drawn: a classic script, so that nothing flashes.
(() => {
  try {
    const theme = localStorage.getItem("pentago.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme holds.
  }
})();

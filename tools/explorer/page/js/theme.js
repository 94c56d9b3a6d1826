// Sets the chosen theme. A classic script runs before the first paint, so the page does not flash.
(() => {
  try {
    const theme = localStorage.getItem("pentago.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage, the page uses the theme of the system.
  }
})();

// Sets the chosen theme and the first screen. A classic script runs before the first paint, so the
// page does not flash.
(() => {
  document.documentElement.classList.toggle("home", location.hash.length < 2 && !/[?&]embed/.test(location.search));
  try {
    const theme = localStorage.getItem("pentago.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage, the page uses the theme of the system.
  }
})();

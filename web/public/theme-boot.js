// Runs before the first paint so that a dark page never flashes white; a file of its own because inline scripts are
// forbidden by the content security policy.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("tidemill.theme");
  } catch {
    chosen = null; // storage may be forbidden; the system's preference is then used
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();

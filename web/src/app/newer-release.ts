/**
 * A page that was open while the server was upgraded asks for parts that are not there any more. Loading it again brings the
 * newer release; when that was tried a moment ago, the failure is shown instead of going round in circles.
 */
const TRIED = "tidemill.reloaded-at";
const AGAIN_AFTER_MS = 30_000;

export function reloadForNewerRelease(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const before = Number(sessionStorage.getItem(TRIED) ?? 0);
    if (Date.now() - before < AGAIN_AFTER_MS) return;
    sessionStorage.setItem(TRIED, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}

// The service worker: caches the files of the page, so that the page works offline after one visit.
// The network comes first, so that a new version of the page appears immediately. Answers of the
// API are never cached. A test compares FILES with the folder.

const CACHE = "pentago-3";
const FILES = [
  "./", "style.css", "icon.svg", "manifest.webmanifest", "pentago.wasm", "openings.bin",
  "js/board.js", "js/charts.js", "js/compare.js", "js/engine.js", "js/game.js", "js/gpu.js",
  "js/home.js", "js/main.js", "js/moves.js", "js/openings.js", "js/page.js",
  "js/play.js", "js/puzzle.js", "js/review.js", "js/rules.js", "js/save.js", "js/setup.js",
  "js/show.js", "js/status.js", "js/tables.js", "js/theme.js", "js/wasm.js", "js/words.js", "js/worker.js",
  "lang/de.js", "lang/en.js", "lang/es.js", "lang/fr.js",
];

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("pentago-") && name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  // Range requests fetch parts of tables, which the cache cannot hold.
  if (request.headers.has("range")) return;
  const url = new URL(request.url);
  const scope = new URL(self.registration.scope);
  if (request.method !== "GET" || url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return;
  const path = url.pathname.slice(scope.pathname.length);
  if (path.startsWith("api/") || path === "healthz" || path === "metrics") return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    try {
      const response = await fetch(request);
      if (response.ok && FILES.includes(path || "./")) await cache.put(path || "./", response.clone());
      return response;
    } catch (error) {
      const kept = await cache.match(path || "./");
      if (kept) return kept;
      throw error;
    }
  })());
});

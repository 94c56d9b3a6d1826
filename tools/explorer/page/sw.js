// The service worker: caches the files of the page, so that the page works offline after one visit.
// The network comes first, so that a new version of the page appears immediately. Every request
// revalidates the browser's own cache, so that all files have one version. Answers of the API are
// never cached. A test compares FILES with the folder.

const CACHE = "pentago-4";
/** Files that are cached when a game first needs them. */
const LATER = ["openings-6.bin", "certificate.bin"];
const FILES = [
  "./", "style.css", "icon.svg", "manifest.webmanifest", "pentago.wasm", "openings.bin", "puzzles.txt",
  "js/board.js", "js/charts.js", "js/compare.js", "js/engine.js", "js/game.js", "js/gpu.js",
  "js/home.js", "js/main.js", "js/moves.js", "js/openings.js", "js/page.js",
  "js/play.js", "js/puzzle.js", "js/review.js", "js/rules.js", "js/save.js", "js/setup.js",
  "js/show.js", "js/status.js", "js/tables.js", "js/theme.js", "js/wasm.js", "js/words.js", "js/worker.js",
  "lang/de.js", "lang/en.js", "lang/es.js", "lang/fr.js",
];

/** The expected content types by the end of a name. Hosts disagree about other types. */
const TYPES = { ".js": "javascript", ".css": "css", "./": "html" };

/** Returns `false` for an error, and for a page that the host sends instead of the file. */
function isFile(name, response) {
  const type = response.headers.get("content-type") ?? "";
  const [, expected] = Object.entries(TYPES).find(([end]) => name.endsWith(end)) ?? [];
  return response.ok && (expected ? type.includes(expected) : !type.includes("html"));
}

/** Returns a response that the browser revalidates before it uses the response again. */
function revalidated(response) {
  const headers = new Headers(response.headers);
  headers.set("cache-control", "no-cache");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    const fresh = await Promise.all(FILES.map((name) => fetch(name, { cache: "no-cache" })));
    // A missing file ends the installation, and the former version remains.
    if (!fresh.every((response, at) => isFile(FILES[at], response))) throw new Error("a file is missing");
    await Promise.all(fresh.map((response, at) => cache.put(FILES[at], response)));
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
    const [cache, name] = [await caches.open(CACHE), path || "./"];
    if (![...FILES, ...LATER].includes(name)) return fetch(request);
    try {
      const response = await fetch(request.url, { cache: "no-cache" });
      if (!isFile(name, response)) return await cache.match(name) ?? response;
      await cache.put(name, response.clone());
      return revalidated(response);
    } catch (error) {
      const kept = await cache.match(name);
      if (kept) return kept;
      throw error;
    }
  })());
});

// Answers for the terminal when the network is gone: the page and its parts as they were last seen.

const KEPT = "overtrick-terminal-1";
const PARTS = ["/static/style.css", "/static/terminal.css", "/static/terminal.js", "/static/outbox.js", "/static/icon.svg"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(PARTS)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  const isPage = /^\/t\/[^/]+\/[^/]+$/.test(pathname);
  if (request.method !== "GET" || !(isPage || PARTS.includes(pathname))) return;
  // The address of a page without its code is what it is kept under.
  const name = isPage ? pathname : request;
  event.respondWith((async () => {
    const cache = await caches.open(KEPT);
    try {
      const answer = await fetch(request);
      if (answer.ok) await cache.put(name, answer.clone());
      return answer;
    } catch (error) {
      const kept = await cache.match(name);
      if (kept) return kept;
      throw error;
    }
  })());
});

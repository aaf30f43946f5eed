// Answers for a terminal when the network is gone, or too slow to wait for: the page and its parts as last seen.

const KEPT = "overtrick-terminal-3";
const PATIENCE = 4000; // milliseconds
const isPage = (pathname) => /^\/t\/[^/]+\/[A-Z0-9-]+$/.test(pathname);
const isPart = (pathname) => pathname.startsWith("/static/") || pathname.startsWith("/t/texts/");

async function keepParts() {
  const cache = await caches.open(KEPT);
  const parts = await (await fetch("/t/parts.json")).json();
  await cache.addAll(parts);
}

addEventListener("install", (event) => event.waitUntil(keepParts().then(() => skipWaiting())));

addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith("overtrick-terminal-") && name !== KEPT) await caches.delete(name);
      await clients.claim();
    })(),
  ),
);

addEventListener("message", (event) =>
  event.waitUntil(
    (async () => {
      await (await caches.open(KEPT)).add(event.data.keep);
      event.source.postMessage("kept");
    })(),
  ),
);

addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !(isPage(pathname) || isPart(pathname)))
    return;
  // The address of a page without its code is what it is kept under.
  event.respondWith(answer(request, pathname));
});

async function answer(request, name) {
  const cache = await caches.open(KEPT);
  const asked = fetch(request).then(async (found) => {
    if (found.ok) await cache.put(name, found.clone());
    return found;
  });
  const old = await cache.match(name);
  if (!old) return asked;
  const patience = new Promise((resolve) => {
    setTimeout(() => resolve(old), PATIENCE);
  });
  return Promise.race([asked.catch(() => old), patience]);
}

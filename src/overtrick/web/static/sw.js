// The service worker of the terminal: answers with the stored page and files if the network is down or slow.
//
// It stores all files that /t/parts.json lists (web/device_files.py) when it is installed, and every newer answer. It
// asks the network first, so a new version is used at once, and takes the stored answer after TIMEOUT.

const CACHE = "overtrick-terminal-3";
const TIMEOUT = 4000; // milliseconds
const isPage = (pathname) => /^\/t\/[^/]+\/[A-Z0-9-]+$/.test(pathname);
const isPart = (pathname) => pathname.startsWith("/static/") || pathname.startsWith("/t/texts/");

async function storeParts() {
  const cache = await caches.open(CACHE);
  const parts = await (await fetch("/t/parts.json")).json();
  await cache.addAll(parts);
}

addEventListener("install", (event) => event.waitUntil(storeParts().then(() => skipWaiting())));

addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith("overtrick-terminal-") && name !== CACHE) await caches.delete(name);
      await clients.claim();
    })(),
  ),
);

addEventListener("message", (event) =>
  event.waitUntil(
    (async () => {
      await (await caches.open(CACHE)).add(event.data.keep);
      event.source.postMessage("kept");
    })(),
  ),
);

addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !(isPage(pathname) || isPart(pathname)))
    return;
  // Store a page under its path alone: the query holds the table's code.
  event.respondWith(answer(request, pathname));
});

// Return the server's answer and store it; return the stored one if the server fails or is too slow.
async function answer(request, name) {
  const cache = await caches.open(CACHE);
  const fresh = fetch(request).then(async (response) => {
    if (response.ok) await cache.put(name, response.clone());
    return response;
  });
  const stored = await cache.match(name);
  if (!stored) return fresh;
  const timeout = new Promise((resolve) => {
    setTimeout(() => resolve(stored), TIMEOUT);
  });
  return Promise.race([fresh.catch(() => stored), timeout]);
}

// The connection to the server, with a fetch and an event stream that the test answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { ServerConnection } = await load("server_connection.js");

class Stream extends EventTarget {
  static CLOSED = 2;
  static opened = [];
  readyState = 0;
  constructor(address) {
    super();
    this.given = address;
    Stream.opened.push(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
  }
}

// Return a connection whose requests stay open until the test answers them, and the window that it listens to.
function started(context) {
  const window = new EventTarget();
  const requests = [];
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  globalThis.addEventListener = window.addEventListener.bind(window);
  globalThis.EventSource = Stream;
  globalThis.fetch = () => new Promise((answer) => requests.push(answer));
  Stream.opened.length = 0;
  const connection = new ServerConnection("/t/1", {
    code: () => "1234",
    at: () => "A1",
    unsent: () => [],
    answered: () => {},
    updated: () => {},
    changed: () => {},
    refused: () => {},
  });
  return { connection, window, requests };
}

const settled = () => new Promise((done) => setImmediate(done));
const news = { status: 200, ok: true, json: async () => ({}) };

test("an answer that was asked for before the network went does not mean that it is back", async (context) => {
  const { connection, window, requests } = started(context);
  connection.connect();
  window.dispatchEvent(new Event("offline"));
  requests.shift()(news);
  await settled();
  assert.equal(connection.isOnline, false);
});

test("a stream that was opened before the network went is closed, and asked for again", async (context) => {
  const { connection, window, requests } = started(context);
  connection.connect();
  requests.shift()(news);
  await settled();
  const [first] = Stream.opened;
  window.dispatchEvent(new Event("offline"));
  assert.equal(first.readyState, Stream.CLOSED);
  assert.equal(connection.isOnline, false);
  context.mock.timers.tick(3000);
  requests.shift()(news);
  await settled();
  assert.equal(Stream.opened.length, 2);
  Stream.opened[1].dispatchEvent(new Event("open"));
  assert.equal(connection.isOnline, true);
});

// Whether a PIN is the director's, without knowing it: the snapshot has it hashed (PBKDF2 with SHA-256), and a key
// is answered at once, also on a page without a secure connection, where browsers offer no hashing of their own.

const fraction = (value) => Math.floor((value - Math.floor(value)) * 2 ** 32);
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1)
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
const CONSTANTS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const schedule = new Uint32Array(64);

const rotated = (word, places) => (word >>> places) | (word << (32 - places));

// One step of SHA-256: what sixteen words make of a state.
function compress(before, words) {
  schedule.set(words);
  for (let at = 16; at < 64; at += 1) {
    const [old, late] = [schedule[at - 15], schedule[at - 2]];
    const first = rotated(old, 7) ^ rotated(old, 18) ^ (old >>> 3);
    const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    schedule[at] = schedule[at - 16] + first + schedule[at - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = before;
  for (let at = 0; at < 64; at += 1) {
    const high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const one = (h + high + ((e & f) ^ (~e & g)) + CONSTANTS[at] + schedule[at]) | 0;
    const low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return Uint32Array.of(
    before[0] + a,
    before[1] + b,
    before[2] + c,
    before[3] + d,
    before[4] + e,
    before[5] + f,
    before[6] + g,
    before[7] + h,
  );
}

// Bytes as blocks of sixteen words, ended as SHA-256 wants it; `ahead` bytes came before them.
function blocks(bytes, ahead) {
  const count = Math.ceil((bytes.length + 9) / 64);
  const padded = new DataView(new ArrayBuffer(count * 64));
  for (const [place, byte] of bytes.entries()) padded.setUint8(place, byte);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(count * 64 - 4, (ahead + bytes.length) * 8);
  return Array.from({ length: count }, (_, block) =>
    Uint32Array.from({ length: 16 }, (_, word) => padded.getUint32(block * 64 + word * 4)),
  );
}

// HMAC with a key whose two first blocks have been worked through already.
function keyed(key) {
  const pad = (mask) =>
    Uint32Array.from({ length: 16 }, (_, word) =>
      [0, 1, 2, 3].reduce((made, byte) => (made << 8) | ((key[word * 4 + byte] ?? 0) ^ mask), 0),
    );
  const [inner, outer] = [compress(START, pad(0x36)), compress(START, pad(0x5c))];
  const digest = new Uint32Array(16);
  digest[8] = 0x80000000;
  digest[15] = 96 * 8;
  const finish = (state) => {
    digest.set(state);
    return compress(outer, digest);
  };
  return {
    ofBytes: (bytes) => finish(blocks(bytes, 64).reduce(compress, inner)),
    ofDigest: (before) => {
      digest.set(before);
      return finish(compress(inner, digest));
    },
  };
}

// PBKDF2-HMAC-SHA256, one block, as hexadecimal digits.
export function stretched(text, salt, rounds) {
  const bytes = new TextEncoder();
  const { ofBytes, ofDigest } = keyed(bytes.encode(text));
  let each = ofBytes([...bytes.encode(salt), 0, 0, 0, 1]);
  const made = Uint32Array.from(each);
  for (let round = 1; round < rounds; round += 1) {
    each = ofDigest(each);
    for (let word = 0; word < 8; word += 1) made[word] ^= each[word];
  }
  return Array.from(made, (word) => word.toString(16).padStart(8, "0")).join("");
}

// Whether this is the PIN that is kept: hidden as rounds, salt and digest, or plain.
export function isPin(kept, typed) {
  const [rounds, salt, digest] = kept.split("$");
  return digest === undefined ? kept === typed : stretched(typed, salt, Number(rounds)) === digest;
}

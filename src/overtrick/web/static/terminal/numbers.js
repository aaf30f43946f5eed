// Whether a player's number follows the rules of a federation, and whose it is; a good number may be nobody's.
// ACBL: seven digits; times 7, 6, 5, 4, 3, 2, 1 they add up to a multiple of 11. A Life Master's first digit is printed
//   as a letter, J for 1 to R for 9.
// FFB: up to eight digits; times 1, 2, 1, 2 ... from the right they add up to a multiple of 10.
// ABF: up to seven digits, the last a check digit: the six before it (with leading zeros) times 7, 6, 5, 4, 3, 2
//   modulo 11; what is missing to 11, and 0 and 1 for themselves.
// JCBL: digits alone. Its check digit is not published, so a wrong digit passes.

import { NumberRules } from "./vocabulary.js";

const LONGEST_NUMBER = 16; // the documents keep sixteen characters of a number

const DIGITS = /^[0-9]+$/;
const isAboveZero = (digits) => /[1-9]/.test(digits);

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space as Python strips it
export const stripped = (text) => text.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/gu, "");

export function isPossible(number, rules) {
  const length = [...number].length;
  const isPrintable = /^(?: |[^\p{C}\p{Z}])*$/u.test(number);
  if (length < 1 || length > LONGEST_NUMBER || !isPrintable || number !== stripped(number)) return false;
  if (rules === NumberRules.NONE) return true;
  if (rules === NumberRules.ACBL) return isAcbl(number);
  if (!DIGITS.test(number) || !isAboveZero(number)) return false;
  if (rules === NumberRules.FFB) return length <= 8 && alternating(number) % 10 === 0;
  if (rules === NumberRules.ABF)
    return length <= 7 && abfCheck(number.slice(0, -1)) === Number(number.at(-1));
  return true;
}

function isAcbl(given) {
  if ([...given].length !== 7) return false;
  const first = "JKLMNOPQR".indexOf(given[0].toUpperCase());
  const number = first >= 0 ? String(first + 1) + given.slice(1) : given;
  if (!DIGITS.test(number) || !isAboveZero(number)) return false;
  return weighted(number) % 11 === 0;
}

const weighted = (digits) => [...digits].reduce((sum, digit, place) => sum + (7 - place) * Number(digit), 0);

const alternating = (digits) =>
  [...digits].reverse().reduce((sum, digit, place) => sum + (1 + (place % 2)) * Number(digit), 0);

function abfCheck(stem) {
  const rest = weighted(stem.padStart(6, "0")) % 11;
  return rest < 2 ? rest : 11 - rest;
}

// The name that belongs to a number, or nothing; as figures, 007 and 7 are one number.
export function findName(number, names, asText) {
  if (Object.hasOwn(names, number)) return names[number];
  if (asText || !DIGITS.test(number)) return "";
  const figure = (text) => text.replace(/^0+/, "");
  const found = Object.keys(names).find(
    (known) => /^\p{Nd}+$/u.test(known) && figure(known) === figure(number),
  );
  return found === undefined ? "" : names[found];
}

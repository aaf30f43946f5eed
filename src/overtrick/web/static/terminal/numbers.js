// Player numbers: the check by a federation's rules, and the name for a number. A valid number may belong to nobody.
//
// ACBL: seven digits. The sum of the digits times 7, 6, 5, 4, 3, 2, 1 is a multiple of 11. A Life Master's first digit
//   is printed as a letter: J for 1 to R for 9.
// FFB: up to eight digits. The sum of the digits times 1, 2, 1, 2, … from the right is a multiple of 10.
// ABF: up to seven digits, the last a check digit. Take the six before it (with leading zeros) times 7, 6, 5, 4, 3, 2,
//   modulo 11: 0 and 1 are the check digit themselves, else it is 11 minus the remainder.
// JCBL: digits only. Its check digit is not published, so a wrong digit is not noticed.

import { NumberRules } from "./vocabulary.js";

const LONGEST_NUMBER = 16; // characters; the scoring program's file has no room for more

const DIGITS = /^[0-9]+$/;
const isAboveZero = (digits) => /[1-9]/.test(digits);

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space as Python strips it
export const stripped = (text) => text.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/gu, "");

// Return whether a federation can have issued this number.
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

function isAcbl(text) {
  if ([...text].length !== 7) return false;
  const first = "JKLMNOPQR".indexOf(text[0].toUpperCase());
  const number = first >= 0 ? String(first + 1) + text.slice(1) : text;
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

// Return the name for a number, empty if unknown. Unless numbers are compared as text, 007 and 7 are the same.
export function findName(number, names, asText) {
  if (Object.hasOwn(names, number)) return names[number];
  if (asText || !DIGITS.test(number)) return "";
  const figure = (text) => text.replace(/^0+/, "");
  const match = Object.keys(names).find((each) => /^\p{Nd}+$/u.test(each) && figure(each) === figure(number));
  return match === undefined ? "" : names[match];
}

// How the results of a board are listed: as frequencies or as a traveller, from whose side, and how many.

import { nsScore, parseOutcome, sideOf, writeOver } from "./bridge.js";
import { Perspective, SIGNS, Spelling, STRAINS, ViewResults } from "./vocabulary.js";

// An outcome as players read it.
export function spelled(outcome, rules) {
  if (outcome.kind !== "played") return outcome.text;
  const { level, strain, doubling, declarer } = outcome.contract;
  return `${level}${strainName(strain, rules)}${SIGNS[doubling]} ${declarer} ${writeOver(outcome.over)}`;
}

export const strainName = (strain, rules) =>
  rules.spelling === Spelling.LETTERS ? STRAINS[strain].letter : STRAINS[strain].symbol;

// The score columns of an outcome.
export function scores(outcome, board, rules) {
  if (outcome.kind === "award") {
    return rules.two_columns ? [`${outcome.ns}%`, `${outcome.ew}%`] : [`${outcome.ns}%-${outcome.ew}%`];
  }
  const score = nsScore(outcome, board);
  if (score === null) return rules.two_columns ? ["", ""] : [""];
  if (rules.two_columns) return [score > 0 ? String(score) : "", score < 0 ? String(-score) : ""];
  const isDeclarers = rules.perspective === Perspective.DECLARER && outcome.kind === "played";
  return [String(isDeclarers && sideOf(outcome.contract.declarer) === "EW" ? -score : score)];
}

// The results of the field on a board, with this table's own as it knows it.
function compared(machine, board) {
  const found = machine.known.compared.filter((line) => line.board === board && !line.is_own);
  const own = ownLine(machine, board);
  return own ? [...found, own] : found;
}

// This table's line on a board.
export function ownLine(machine, board) {
  const standing = machine.resultOf(machine.round, board);
  if (!standing?.outcome) return null;
  const { outcome } = standing;
  const line = machine.known.compared.find(
    (each) => each.board === board && each.is_own && each.outcome === outcome,
  );
  if (line) return line;
  const here = machine.here();
  // What was not sent, or not answered, has no points yet.
  return {
    board,
    ns: here ? String(here.ns) : "",
    ew: here ? String(here.ew) : "",
    outcome,
    is_own: true,
    ns_points: null,
    ns_percentage: null,
    ew_points: null,
    ew_percentage: null,
  };
}

// The results of a board as the rules want them listed.
export function resultLines(machine, board) {
  const { rules } = machine;
  let lines = compared(machine, board);
  if (rules.view_results === ViewResults.OWN) lines = lines.filter((line) => line.is_own);
  else if (!rules.show_own_result) lines = lines.filter((line) => !line.is_own);
  const made = lines.map((line) => ({ outcome: parseOutcome(line.outcome), line }));
  const listed = rules.is_frequency ? frequencies(made, board, rules) : traveller(made, board, rules);
  return rules.maximum_results ? listed.slice(0, rules.maximum_results) : listed;
}

const lineOf = (outcome, board, rules, more) => ({
  result: spelled(outcome, rules),
  scores: scores(outcome, board, rules),
  ns: "",
  ew: "",
  count: 1,
  is_own: false,
  ...more,
});

function frequencies(made, board, rules) {
  const counted = new Map();
  for (const { outcome, line } of made) {
    const found = counted.get(outcome.text) ?? { outcome, count: 0, is_own: false };
    counted.set(outcome.text, { outcome, count: found.count + 1, is_own: found.is_own || line.is_own });
  }
  return [...counted.values()]
    .sort(byScore(board))
    .map(({ outcome, count, is_own }) => lineOf(outcome, board, rules, { count, is_own }));
}

const traveller = (made, board, rules) =>
  made
    .sort(byScore(board))
    .map(({ outcome, line: { ns, ew, is_own } }) => lineOf(outcome, board, rules, { ns, ew, is_own }));

// The best for North-South first, what has no score last.
const byScore =
  (board) =>
  ({ outcome: one }, { outcome: other }) => {
    const [first, second] = [nsScore(one, board), nsScore(other, board)];
    if ((first === null) !== (second === null)) return first === null ? 1 : -1;
    if (first !== second) return second - first;
    return one.text < other.text ? -1 : one.text > other.text ? 1 : 0;
  };

// How many pages the list of a board has.
export const pages = (machine, board) =>
  Math.max(1, Math.ceil(resultLines(machine, board).length / machine.rules.lines));

// A share with one decimal; a tie goes to the even one, as the scores of the desk have it.
export function share(percentage) {
  const isTie = Math.abs(percentage * 4) % 2 === 1;
  if (!isTie) return `${percentage.toFixed(1)}%`;
  const below = Math.floor(percentage * 10);
  return `${((below % 2 === 0 ? below : below + 1) / 10).toFixed(1)}%`;
}

// Points with six figures, and no more than they need.
export const points = (figure) => String(Number(figure.toPrecision(6)));

// The list of a board's results: frequencies or traveller, the score columns, pages.

import { nsScore, parseOutcome, sideOf, writeOver } from "./bridge.js";
import { Perspective, SIGNS, Spelling, STRAINS, ViewResults } from "./vocabulary.js";

// Return an outcome as players read it: 4♠x N +1.
export function outcomeText(outcome, rules) {
  if (outcome.kind !== "played") return outcome.text;
  const { level, strain, doubling, declarer } = outcome.contract;
  return `${level}${strainName(strain, rules)}${SIGNS[doubling]} ${declarer} ${writeOver(outcome.over)}`;
}

export const strainName = (strain, rules) =>
  rules.spelling === Spelling.LETTERS ? STRAINS[strain].letter : STRAINS[strain].symbol;

// Return the score columns of an outcome: one, or two (North-South and East-West).
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

// Return the results of all tables on a board, with this table's own as the terminal has it.
function compared(machine, board) {
  const others = machine.tableSnapshot.compared.filter((line) => line.board === board && !line.is_own);
  const own = ownLine(machine, board);
  return own ? [...others, own] : others;
}

// Return this table's own line on a board, null if it has no result.
export function ownLine(machine, board) {
  const standing = machine.resultOf(machine.round, board);
  if (!standing?.outcome) return null;
  const { outcome } = standing;
  const line = machine.tableSnapshot.compared.find(
    (each) => each.board === board && each.is_own && each.outcome === outcome,
  );
  if (line) return line;
  const tableRound = machine.currentRound();
  // A result that the server has not acknowledged has no points yet.
  return {
    board,
    ns: tableRound ? String(tableRound.ns) : "",
    ew: tableRound ? String(tableRound.ew) : "",
    outcome,
    is_own: true,
    ns_points: null,
    ns_percentage: null,
    ew_points: null,
    ew_percentage: null,
  };
}

// Return the lines of a board's list as the rules want them.
export function resultLines(machine, board) {
  const { rules } = machine;
  let lines = compared(machine, board);
  if (rules.view_results === ViewResults.OWN) lines = lines.filter((line) => line.is_own);
  else if (!rules.show_own_result) lines = lines.filter((line) => !line.is_own);
  const parsed = lines.map((line) => ({ outcome: parseOutcome(line.outcome), line }));
  const listed = rules.is_frequency ? frequencies(parsed, board, rules) : traveller(parsed, board, rules);
  return rules.maximum_results ? listed.slice(0, rules.maximum_results) : listed;
}

const lineOf = (outcome, board, rules, fields) => ({
  result: outcomeText(outcome, rules),
  scores: scores(outcome, board, rules),
  ns: "",
  ew: "",
  count: 1,
  is_own: false,
  ...fields,
});

// Return one line for each outcome, with its count.
function frequencies(parsed, board, rules) {
  const counted = new Map();
  for (const { outcome, line } of parsed) {
    const previous = counted.get(outcome.text) ?? { outcome, count: 0, is_own: false };
    counted.set(outcome.text, { outcome, count: previous.count + 1, is_own: previous.is_own || line.is_own });
  }
  return [...counted.values()]
    .sort(byScore(board))
    .map(({ outcome, count, is_own }) => lineOf(outcome, board, rules, { count, is_own }));
}

// Return one line for each table.
const traveller = (parsed, board, rules) =>
  parsed
    .sort(byScore(board))
    .map(({ outcome, line: { ns, ew, is_own } }) => lineOf(outcome, board, rules, { ns, ew, is_own }));

// Compare results: best for North-South first, results without a score last.
const byScore =
  (board) =>
  ({ outcome: one }, { outcome: other }) => {
    const [first, second] = [nsScore(one, board), nsScore(other, board)];
    if ((first === null) !== (second === null)) return first === null ? 1 : -1;
    if (first !== second) return second - first;
    return one.text < other.text ? -1 : one.text > other.text ? 1 : 0;
  };

// Return the number of pages of a board's list.
export const pages = (machine, board) =>
  Math.max(1, Math.ceil(resultLines(machine, board).length / machine.rules.lines));

// Return a percentage with one decimal, rounding a half to the even digit as the server does.
export function percentText(percentage) {
  const isTie = Math.abs(percentage * 4) % 2 === 1;
  if (!isTie) return `${percentage.toFixed(1)}%`;
  const below = Math.floor(percentage * 10);
  return `${((below % 2 === 0 ? below : below + 1) / 10).toFixed(1)}%`;
}

// Return points with at most six significant digits.
export const points = (figure) => String(Number(figure.toPrecision(6)));

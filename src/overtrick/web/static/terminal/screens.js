// The screens of a terminal as data: a name, the key of the heading's text, the figures in the heading, and the
// content. A screen holds no finished sentence: messages.js makes it in the player's language.

// The text that heads each screen.
export const SCREENS = {
  LogOnScreen: "log-on",
  TakeOverScreen: "take-over",
  ConnectingScreen: "connecting",
  StartingPositionsScreen: "starting-positions",
  NumberScreen: "enter-number",
  PlayersScreen: "confirm-players",
  RoundScreen: "round",
  BoardScreen: "enter-board",
  ContractScreen: "enter-contract",
  DeclarerScreen: "enter-declarer",
  PairScreen: "enter-pair",
  LeadScreen: "enter-lead",
  AuctionScreen: "record-auction",
  PlayScreen: "record-play",
  ResultScreen: "enter-result",
  VerifyScreen: "verify",
  ResultsScreen: "board-results",
  HandScreen: "hand-record",
  EnterHandScreen: "enter-hand",
  RecapScreen: "score-recap",
  RankingScreen: "ranking",
  NextScreen: "next-seating",
  WaitingScreen: "waiting",
  SummaryScreen: "summary",
  EndScreen: "session-end",
  PinScreen: "enter-pin",
  MenuScreen: "director-menu",
  StatusScreen: "status",
  ViewBoardScreen: "view-board",
  ConflictScreen: "conflict",
};

// The fields of a screen that its heading mentions.
const ABOUT = {
  TakeOverScreen: ["table"],
  ConnectingScreen: ["table"],
  StartingPositionsScreen: ["table"],
  NumberScreen: ["seat"],
  RoundScreen: ["round", "table", "boards"],
  ContractScreen: ["board"],
  DeclarerScreen: ["board"],
  PairScreen: ["board"],
  LeadScreen: ["board"],
  AuctionScreen: ["board"],
  PlayScreen: ["board"],
  ResultScreen: ["board"],
  VerifyScreen: ["board"],
  ResultsScreen: ["board"],
  HandScreen: ["board"],
  EnterHandScreen: ["board", "seat"],
  RecapScreen: ["round"],
  MenuScreen: ["table"],
  StatusScreen: ["table", "round", "unsent"],
  ViewBoardScreen: ["board"],
  ConflictScreen: ["meant", "stands"],
};

// Return a screen with its heading's figures.
export function screen(name, fields = {}) {
  const about = Object.fromEntries(
    (ABOUT[name] ?? []).map((each) => [
      each,
      Array.isArray(fields[each]) ? boardsText(fields[each]) : String(fields[each]),
    ]),
  );
  return { screen: name, key: SCREENS[name], about, ...fields };
}

// Return boards as people write them: 1-3, 7.
export function boardsText(boards) {
  const runs = [];
  for (const board of boards) {
    if (runs.length && board === runs.at(-1).at(-1) + 1) runs.at(-1).push(board);
    else runs.push([board]);
  }
  return runs.map((run) => (run.length > 1 ? `${run[0]}-${run.at(-1)}` : String(run[0]))).join(", ");
}

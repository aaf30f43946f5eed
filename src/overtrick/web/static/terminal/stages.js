// The stages of a terminal; states.js explains them. Devices store the values, so they must never change.

export const Stage = {
  LOG_ON: "log on",
  TAKE_OVER: "take over",
  CONNECTING: "connecting",
  STARTING_POSITIONS: "starting positions",
  NUMBERS: "numbers",
  PLAYERS: "players",
  ROUND: "round",
  BOARD: "board",
  AUCTION: "auction",
  CONTRACT: "contract",
  DECLARER: "declarer",
  PAIR: "pair",
  LEAD: "lead",
  PLAY: "play",
  RESULT: "result",
  VERIFY: "verify",
  RESULTS: "results",
  HAND: "hand",
  ENTER_HAND: "enter hand",
  RECAP: "recap",
  RANKING: "ranking",
  NEXT: "next seating",
  WAITING: "waiting",
  SUMMARY: "summary",
  END: "end",
  PIN: "pin",
  MENU: "director's menu",
  STATUS: "status",
  VIEW_BOARD: "view board",
};

// The reason why the director's PIN is asked for.
export const Purpose = { MENU: "menu", NOT_PLAYED: "not played" };

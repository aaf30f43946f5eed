// Screens after a board and after a round, setting by setting.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BACK,
  BARE,
  BARE_II,
  board,
  cards,
  correct,
  DEAL,
  entry,
  HAND_RECORD,
  handOf,
  kind,
  noticeOf,
  OK,
  rounds,
  SHORT,
  simple,
  TestEvent,
  vocabulary,
} from "./test_event.mjs";

const { HandEntry, Overview, Perspective, ScoreRecap, ShowRanking, Spelling, SummaryPoints, ViewResults } =
  vocabulary;

// After a board ---------------------------------------------------------------------------------------------------

async function resultsOfBoard1(settings) {
  const event = await TestEvent.open(settings);
  await event.do("EnterResult", { entry: entry(2, 1, 1, "3NTE-1") });
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, board());
  assert.equal(kind(screen), "Results");
  return screen;
}

test("results are shown as frequencies or traveller, from either side", async () => {
  const base = { ...BARE_II, show_results: true };
  let screen = await resultsOfBoard1(base);
  assert.ok(screen.is_frequency);
  assert.deepEqual(
    screen.lines.map((line) => [line.result, line.scores, line.count, line.is_own]),
    [
      ["4S N =", ["420"], 1, true],
      ["3NT E -1", ["-50"], 1, false],
    ],
  );
  assert.deepEqual(screen.points, ["100.0%", "0.0%"]);
  screen = await resultsOfBoard1({
    ...base,
    overview: Overview.TRAVELLER_6_2,
    perspective: Perspective.NORTH_SOUTH,
    show_percentage: false,
  });
  assert.deepEqual(
    screen.lines.map((line) => [line.ns, line.ew, line.scores]),
    [
      ["A1", "A2", ["420", ""]],
      ["A3", "A4", ["50", ""]],
    ],
  );
  assert.equal(screen.points, null);
  screen = await resultsOfBoard1({ ...base, overview: Overview.TRAVELLER_4_1, show_own_result: false });
  assert.deepEqual(
    screen.lines.map((line) => line.ns),
    ["A3"],
  );
  screen = await resultsOfBoard1({ ...base, maximum_results: 1 });
  assert.equal(screen.lines.length, 1);
});

test("Bridgemate 3 settings show all results or the own one", async () => {
  const all = await resultsOfBoard1({ ...BARE, view_results: ViewResults.ALL });
  assert.deepEqual(
    all.lines.map((line) => line.ns),
    ["A1", "A3"],
  );
  const own = await resultsOfBoard1({ ...BARE, view_results: ViewResults.OWN, view_percentages: false });
  assert.deepEqual(
    own.lines.map((line) => line.ns),
    ["A1"],
  );
  assert.ok(["2,0", "1,0"].includes(own.points.join()), own.points.join());
});

test("the first table on a board is shown no points", async () => {
  for (const shares of [true, false]) {
    const event = await TestEvent.open({ ...BARE, view_results: ViewResults.ALL, view_percentages: shares });
    const terminal = await event.atTable();
    const screen = await event.press(terminal, OK, board());
    assert.equal(kind(screen), "Results");
    assert.equal(screen.points, null);
  }
});

test("long lists have pages, and repeat if the setting is on", async () => {
  const nine = Array.from({ length: 9 }, (_, place) => place + 1);
  const planned = {
    section: { section: "A", group: 1, winners: 2 },
    tables: nine.map((table) => ({ table, rounds: rounds(1, [table, 20 + table, 1]) })),
  };
  for (const repeat of [true, false]) {
    const settings = {
      ...BARE_II,
      show_results: true,
      overview: Overview.TRAVELLER_4_1,
      repeat_results: repeat,
    };
    const event = await TestEvent.open(settings, planned);
    for (const table of nine.slice(1)) await event.do("EnterResult", { entry: entry(table, 1, 1, "Pass") });
    const terminal = await event.atTable();
    const screen = await event.press(terminal, OK, board(), simple("More"), simple("More"), simple("More"));
    assert.equal(kind(screen), "Results");
    assert.deepEqual([screen.page, screen.pages, screen.lines.length], [2, 3, 1]);
    assert.equal(terminal.press(simple("Repeat"), event.at), repeat);
    assert.equal(terminal.machine.page, repeat ? 0 : 2);
  }
});

test("results at the end of the round are shown board by board", async () => {
  const event = await TestEvent.open({ ...BARE, view_results: ViewResults.END_OF_ROUND }, SHORT);
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, board())), "Contract");
  const shown = [];
  let screen = await event.press(terminal, board());
  while (kind(screen) === "Results") {
    shown.push(screen.board);
    screen = await event.press(terminal, OK);
  }
  assert.deepEqual(shown, [1, 2]);
});

test("the hand record is shown after the board if the setting is on", async () => {
  for (const settings of [
    { ...BARE, view_results: ViewResults.ALL },
    { ...BARE_II, show_results: true },
  ]) {
    for (const allowed of [true, false]) {
      const event = await TestEvent.open({ ...settings, view_hand_record: allowed });
      await event.do(...HAND_RECORD);
      const terminal = await event.atTable();
      assert.deepEqual(
        terminal.machine.tableSnapshot.deals ?? {},
        {},
        "nobody holds a deal that is still to be played",
      );
      await event.press(terminal, OK, board());
      assert.equal(terminal.press(simple("ShowHand"), event.at), allowed);
      if (allowed) {
        const { screen } = terminal.display;
        assert.deepEqual([screen.screen, screen.board, screen.deal], ["HandScreen", 1, DEAL]);
        assert.equal(kind(await event.press(terminal, OK)), "Results");
      }
    }
  }
});

test("a deal is entered hand by hand", async () => {
  const hands = ["N", "E", "S"].map(handOf);
  for (const [when, keys] of [
    [HandEntry.AFTER_BOARD, board()],
    [HandEntry.AFTER_ROUND, [...board(), ...board()]],
  ]) {
    const event = await TestEvent.open({ ...BARE, enter_hand_record: when }, SHORT);
    const terminal = await event.atTable();
    const screen = await event.press(terminal, OK, keys);
    assert.deepEqual([screen.screen, screen.board, screen.seat], ["EnterHandScreen", 1, "N"]);
    await event.press(terminal, cards(hands[0].slice(0, 12)));
    assert.equal(noticeOf(terminal), "not-thirteen");
    await event.press(terminal, cards(hands[0]), cards(hands[0]));
    assert.equal(noticeOf(terminal), "card-twice");
    await event.press(terminal, cards(hands[1]), cards(hands[2]));
    assert.equal((await event.state()).deals["1/1"], DEAL);
  }
  const event = await TestEvent.open({ ...BARE, enter_hand_record: HandEntry.AFTER_BOARD });
  await event.do(...HAND_RECORD);
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, board())), "Contract", "the deal is known");
});

// After a round ---------------------------------------------------------------------------------------------------

test("a round ends with recap, ranking and next seating", async () => {
  const event = await TestEvent.open(
    {
      generation: "II",
      show_results: false,
      auto_score_recap: true,
      ranking: ShowRanking.EVERY_ROUND,
      spelling: Spelling.LETTERS,
    },
    SHORT,
  );
  const terminal = await event.atTable();
  let screen = await event.press(terminal, OK, board(), board(3, "NT", "E", -1));
  assert.equal(kind(screen), "Recap");
  assert.equal(screen.round, 1);
  assert.deepEqual(screen.lines, [
    [1, "4S N =", ["420"]],
    [2, "3NT E -1", ["-50"]],
  ]);
  assert.equal(screen.can_correct, false);
  screen = await event.press(terminal, OK);
  assert.equal(kind(screen), "Ranking");
  assert.deepEqual(
    screen.lines.map((line) => line[0]),
    ["NS", "EW"],
  );
  assert.deepEqual(
    screen.lines.map((line) => line[2]),
    ["–", "–"],
    "nobody can be compared yet",
  );
  screen = await event.press(terminal, OK);
  assert.equal(kind(screen), "Next");
  assert.deepEqual(
    screen.places.map((place) => [place.side, place.table, place.next_side]),
    [
      ["NS", "A1", "NS"],
      ["EW", "A2", "EW"],
    ],
  );
  screen = await event.press(terminal, OK);
  assert.equal(kind(screen), "Round");
  assert.deepEqual([screen.round, screen.ew], [2, 3]);
});

test("Bridgemate 3 settings show recap and ranking at the end of a round, or always", async () => {
  for (const [recap, ranking] of [
    [ScoreRecap.END_OF_ROUND, ShowRanking.AT_END],
    [ScoreRecap.ALWAYS, ShowRanking.ALWAYS],
  ]) {
    const event = await TestEvent.open({ ...BARE, score_recap: recap, ranking, summary: true }, SHORT);
    const terminal = await event.atTable();
    const always = recap === ScoreRecap.ALWAYS;
    assert.equal(terminal.press(simple("ShowScores"), event.at), always);
    if (always) {
      assert.equal(kind(terminal.display.screen), "Recap");
      await event.press(terminal, OK, BACK, BACK);
    }
    const shown = [];
    for (let place = 0; place < 40; place += 1) {
      if (terminal.display.keys.includes("Bid")) {
        await event.press(terminal, board());
      } else {
        shown.push(kind(terminal.display.screen));
        if (shown.at(-1) === "End") break;
        await event.press(terminal, OK);
      }
    }
    assert.deepEqual(
      shown,
      always
        ? ["Round", "Ranking", "Round", "Ranking", "Summary", "End"]
        : ["Round", "Recap", "Round", "Recap", "Ranking", "Summary", "End"],
    );
  }
});

test("a result can be corrected from the recap if the setting is on", async () => {
  for (const [settings, allowed] of [
    [{ ...BARE_II, score_recap: true, score_correction: true }, true],
    [{ ...BARE_II, score_recap: true }, false],
    [{ ...BARE, score_recap: ScoreRecap.ALWAYS }, true],
    [{ ...BARE, score_recap: ScoreRecap.ALWAYS, reentry: false }, false],
  ]) {
    const event = await TestEvent.open(settings);
    const terminal = await event.atTable();
    await event.press(terminal, OK, board(), simple("ShowScores"));
    assert.equal(terminal.press(correct(1), event.at), allowed);
    if (allowed) {
      await event.press(terminal, board(2, "H", "E", -1));
      assert.deepEqual(await event.results(), { "A/1/1/1": "2HE-1" });
      assert.equal(kind(terminal.display.screen), "Contract");
    }
  }
});

const ONE_BOARD = {
  tables: [
    { table: 1, rounds: rounds(1, [1, 2, 1]) },
    { table: 2, rounds: rounds(1, [3, 4, 1]) },
  ],
};

test("Swiss: the table waits for its next round", async () => {
  const event = await TestEvent.open({ ...BARE, ranking: ShowRanking.EVERY_ROUND }, ONE_BOARD);
  await event.do("SetWaiting", { section: "A", table: 1, is_waiting: true });
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, board(), OK)), "Waiting");
  await event.do("ReplaceRounds", {
    section: "A",
    table: 1,
    first: 2,
    rounds: [{ ns: 1, ew: 3, boards: [2] }],
    is_waiting: false,
  });
  await event.tell(terminal);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Round");
  assert.equal(screen.round, 2);
  assert.equal(kind(await event.press(terminal, OK, board(), OK)), "End");
});

test("Swiss: a waiting table shows the seating of the round that was drawn", async () => {
  const event = await TestEvent.open({ ...BARE, show_next_seating: true }, ONE_BOARD);
  await event.do("SetWaiting", { section: "A", table: 1, is_waiting: true });
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, board())), "Waiting");
  await event.do("ReplaceRounds", {
    section: "A",
    table: 2,
    first: 2,
    rounds: [{ ns: 4, ew: 1, boards: [2] }],
  });
  await event.tell(terminal);
  assert.equal(kind(terminal.display.screen), "Waiting");
  await event.do("ReplaceRounds", {
    section: "A",
    table: 1,
    first: 2,
    rounds: [{ ns: 2, ew: 3, boards: [2] }],
  });
  await event.tell(terminal);
  const { screen } = terminal.display;
  assert.equal(kind(screen), "Next");
  assert.deepEqual(
    screen.places.map((place) => [place.side, place.table, place.next_side]),
    [
      ["NS", "A2", "EW"],
      ["EW", "A1", "NS"],
    ],
  );
  assert.equal(kind(await event.press(terminal, OK)), "Round");
});

test("the summary shows both pairs, and the terminal logs off", async () => {
  const event = await TestEvent.open(
    {
      ...BARE_II,
      ranking: ShowRanking.AT_END,
      summary: true,
      summary_points: SummaryPoints.PERCENTAGE,
    },
    SHORT,
  );
  for (const [round, played] of [
    [1, 1],
    [1, 2],
    [2, 3],
    [2, 4],
  ]) {
    await event.do("EnterResult", { entry: entry(2, round, played, "Pass") });
  }
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), board(), OK, board());
  assert.equal(kind(await event.press(terminal, board())), "Ranking");
  const screen = await event.press(terminal, OK);
  assert.equal(kind(screen), "Summary");
  assert.deepEqual(
    screen.lines.filter(([side]) => side === "NS").map(([, ...rest]) => rest),
    [1, 2, 3, 4].map((each) => [each, "4SN=", "100.0%"]),
  );
  assert.deepEqual(
    screen.lines.filter(([side]) => side === "EW").map((line) => line[1]),
    [1, 2, 3, 4],
  );
  assert.equal(kind(await event.press(terminal, OK)), "End");
  assert.equal(kind(await event.press(terminal, OK)), "LogOn");
  assert.deepEqual((await event.state()).logged_on, {});
});

test("a pair is told before a sit-out where it plays after it", async () => {
  const event = await TestEvent.open(
    { ...BARE, show_next_seating: true },
    {
      tables: [
        { table: 1, rounds: rounds(1, [1, 2, 1], [1, 3, 2], [2, 3, 3]) },
        { table: 2, rounds: [...rounds(1, [3, 0, 2], [0, 2, 3], [1, 0, 1])] },
      ],
    },
  );
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, board());
  assert.equal(kind(screen), "Next");
  assert.deepEqual(
    screen.places.map(({ side, round, is_sit_out: sits, after }) => [side, round, sits, after]),
    [
      ["NS", 2, false, null],
      ["EW", 2, true, { table: "A1", round: 3, side: "NS" }],
    ],
  );
  await event.press(terminal, OK, OK, board());
  assert.deepEqual(
    terminal.display.screen.places.map((place) => [place.is_sit_out, place.after]),
    [
      [true, null],
      [false, null],
    ],
  );
  const { screen: resting } = (await event.atTable("A", 2, "second")).display;
  assert.deepEqual(
    [resting.key, ...resting.sit_outs.map(({ pair, after }) => [pair, after])],
    ["label.sit-out", [3, { table: "A1", round: 2 }], [2, { table: "A1", round: 3 }], [1, null]],
  );
});

test("the end shows rank, best and worst board of both pairs, final once the session has ended", async () => {
  const event = await TestEvent.open(
    { ...BARE, ranking: ShowRanking.EVERY_ROUND, view_results: ViewResults.ALL },
    SHORT,
  );
  for (const [round, played, outcome] of [
    [1, 1, "Pass"],
    [1, 2, "7NTN="],
    [2, 3, "4SN="],
    [2, 4, "4SN="],
  ]) {
    await event.do("EnterResult", { entry: entry(2, round, played, outcome) });
  }
  const terminal = await event.atTable();
  await event.press(terminal, OK, board(), OK, board(), OK, OK, OK, board(), OK, board(), OK);
  let screen = await event.press(terminal, OK);
  assert.equal(kind(screen), "End");
  const [ns, ew] = screen.finals;
  assert.deepEqual(
    [ns.side, ns.pair, ns.rank, ns.of, ns.score, ns.is_final],
    ["NS", 1, "1=", 4, "50.00%", false],
  );
  assert.deepEqual([ns.best.board, ns.best.outcome, ns.best.points], [1, "4SN=", "100%"]);
  assert.deepEqual([ns.worst.board, ns.worst.points], [2, "0%"]);
  assert.deepEqual([ns.card, ew.card], ["card-A1.html", "card-A3.html"]);
  await event.do("SetStatus", { status: "finished" });
  await event.tell(terminal);
  screen = terminal.display.screen;
  assert.deepEqual(
    screen.finals.map((final) => final.is_final),
    [true, true],
  );
});

test("a session that ends early ends at the table, and goes on where it was when it is opened again", async () => {
  const event = await TestEvent.open({ ...BARE, ranking: ShowRanking.EVERY_ROUND }, SHORT);
  const terminal = await event.atTable();
  assert.equal(kind(await event.press(terminal, OK, board())), "Contract");
  await event.do("SetStatus", { status: "finished" });
  await event.tell(terminal);
  let { screen } = terminal.display;
  assert.equal(kind(screen), "End");
  assert.deepEqual(
    screen.finals.map(({ pair, is_final: isFinal }) => [pair, isFinal]),
    [
      [1, true],
      [2, true],
    ],
  );
  await event.do("SetStatus", { status: "started" });
  await event.tell(terminal);
  screen = terminal.display.screen;
  assert.equal(kind(screen), "Round");
  assert.equal(screen.round, 1);
});

test("a board that is half entered when the session ends early can be finished", async () => {
  const event = await TestEvent.open(BARE, SHORT);
  const terminal = await event.atTable();
  const [first, ...rest] = board().flat();
  await event.press(terminal, OK, first);
  const before = kind(terminal.display.screen);
  await event.do("SetStatus", { status: "finished" });
  await event.tell(terminal);
  assert.equal(kind(terminal.display.screen), before);
  assert.equal(kind(await event.press(terminal, ...rest)), "End");
  assert.equal(terminal.machine.results().size, 1);
});

test("settings that hide ranks and results hide them at the end too", async () => {
  const event = await TestEvent.open(BARE, ONE_BOARD);
  await event.do("EnterResult", { entry: entry(2, 1, 1, "Pass") });
  const terminal = await event.atTable();
  const { finals } = await event.press(terminal, OK, board());
  assert.deepEqual(
    finals.map(({ rank, score, best, worst }) => [rank, score, best, worst]),
    [
      ["", "", null, null],
      ["", "", null, null],
    ],
  );
});

test("a rank that was shown stays when the next round has a result, and when the session ends", async () => {
  const event = await TestEvent.open({ ...BARE, ranking: ShowRanking.EVERY_ROUND }, SHORT);
  const terminal = await event.atTable();
  const shown = await event.press(terminal, OK, board(), board());
  assert.equal(kind(shown), "Ranking");
  assert.equal(shown.lines.length, 2);
  await event.do("EnterResult", { entry: entry(1, 2, 3, "Pass") });
  await event.tell(terminal);
  assert.equal(terminal.display.screen.lines.length, 2);
  await event.do("SetStatus", { status: "finished" });
  await event.tell(terminal);
  assert.equal(terminal.display.screen.lines.length, 2);
  const other = await event.atTable("A", 1, "second");
  await event.press(other, OK);
  assert.equal(other.machine.tableSnapshot.ranks.filter(({ round }) => round === 2).length, 2);
});

test("East-West of a team are sent to their home table between rounds", async () => {
  const event = await TestEvent.open(
    { ...BARE, show_next_seating: true },
    {
      section: { section: "A", group: 1, winners: 2 },
      tables: [
        { table: 1, rounds: rounds(2, [1, 2, 1], [1, 3, 3]) },
        { table: 2, rounds: rounds(2, [2, 1, 1], [3, 1, 3]) },
        { table: 3, rounds: rounds(2, [3, 3, 5], [2, 2, 5]) },
      ],
      ew_return_home: true,
    },
  );
  const terminal = await event.atTable();
  const screen = await event.press(terminal, OK, board(), board());
  assert.equal(kind(screen), "Next");
  assert.deepEqual(
    screen.places.map((place) => [place.side, place.table]),
    [
      ["NS", "A1"],
      ["EW", "A2"],
    ],
  );
});

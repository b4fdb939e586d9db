// The report of one run.

const data = JSON.parse(byId("data").textContent);
const times = JSON.parse(byId("times").textContent);
const rows = data.rows.map((values, place) => {
  const row = { place };
  for (const [number, name] of data.columns.entries()) row[name] = values[number];
  row.points = toPoints(row.score);
  if (times !== null && times[place] !== null) row.seconds = times[place];
  return row;
});

const failureTitle = (name) => data.failures[name] ?? plain(name);
const result = (row) => (row.status !== "finished" ? "not judged" : row.success ? "succeeded" : "failed");
const has = (name) => rows.some((row) => row[name]);

function resultCell(row) {
  if (row.failure) return badge(failureTitle(row.failure), row.status === "finished" ? "bad" : "warn");
  return badge("Success", "good");
}

const columns = [
  {
    id: "instruction",
    title: "Episode",
    value: (row) => row.instruction,
    cell: (row) => [
      h("span", { class: "asked", dir: "auto", title: row.instruction }, row.instruction || "(no instruction)"),
      h("small", { class: "muted", dir: "auto" }, [row.key, row.kind && plain(row.kind), row.split].filter(Boolean).join(" · ")),
    ],
  },
  {
    id: "failure",
    title: "Result",
    value: (row) => (row.failure ? failureTitle(row.failure) : ""),
    cell: (row) => [resultCell(row), row.failure ? h("small", { class: "muted reason", dir: "auto", title: row.why }, row.why) : null],
  },
  { id: "score", title: "Score", number: true, value: (row) => row.score, cell: (row) => row.points.toFixed(1) },
  { id: "steps", title: "Steps", number: true, value: (row) => row.steps, cell: (row) => count(row.steps) },
];
if (has("tokens")) columns.push({ id: "tokens", title: "Tokens", number: true, value: (row) => row.tokens, cell: (row) => count(row.tokens) });
if (has("cost"))
  columns.push({ id: "cost", title: "Cost", number: true, value: (row) => row.cost ?? 0, cell: (row) => (row.cost === null ? "–" : dollars(row.cost)) });
if (has("seconds"))
  columns.push({ id: "seconds", title: "Time", number: true, value: (row) => row.seconds ?? 0, cell: (row) => (row.seconds === undefined ? "–" : seconds(row.seconds)) });

const table = new EpisodeTable(byId("table"), {
  rows,
  columns,
  selects: [
    { id: "result", title: "Result", value: result, titleOf: capital },
    { id: "failure", title: "Failure", value: (row) => row.failure, titleOf: failureTitle },
    { id: "kind", title: "Kind", value: (row) => row.kind, titleOf: plain },
    { id: "split", title: "Split", value: (row) => row.split, titleOf: plain },
  ],
  range: { title: "Score", ends: ["min", "max"], min: 0, max: 100, value: (row) => row.points },
  steps: true,
  search: ["key", "instruction", "wanted", "bought", "why"],
  noun: "episode",
  detail: async (row) => {
    const part = await inflated(`part-${Math.floor(row.place / data.part_size)}`);
    return detailElement(row, part[row.place % data.part_size]);
  },
});
followAddress(table);

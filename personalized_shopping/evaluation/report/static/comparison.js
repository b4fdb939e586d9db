// The comparison of two runs, pair by pair.

const data = JSON.parse(byId("data").textContent);
const rows = data.rows.map((values, place) => {
  const row = { place };
  for (const [number, name] of data.columns.entries()) row[name] = values[number];
  row.points = Math.round((row.score_b - row.score_a) * 1000) / 10;
  return row;
});

const classTitle = (name) => data.failures[name] ?? plain(name);
const signed = (points) => (points > 0 ? `+${points.toFixed(1)}` : points < 0 ? `−${Math.abs(points).toFixed(1)}` : "0.0");
const tone = (row) => ({ better: "up", worse: "down" })[row.outcome] ?? "muted";

function side(row, name) {
  const failure = row[name];
  return [
    badge(classTitle(failure), failure === "success" ? "good" : "bad"),
    h("span", { class: "muted" }, ` ${toPoints(row[`score_${name}`]).toFixed(1)}`),
    row[`why_${name}`] && failure !== "success" ? h("small", { class: "muted reason", dir: "auto", title: row[`why_${name}`] }, row[`why_${name}`]) : null,
  ];
}

function opened(row, name, number, detail) {
  const one = {
    failure: row[name] === "success" ? "" : row[name],
    why: row[`why_${name}`],
    instruction: row.instruction,
    steps: detail.actions.length,
    score: row[`score_${name}`],
  };
  const element = detailElement(one, detail);
  element.querySelector(".whole").remove(); // it stands above both
  const report = data.reports[number];
  const link = report && h("a", { class: "button", href: `${report}#${new URLSearchParams({ open: row.key })}` }, "Open in its report");
  const title = h("h3", { dir: "auto" }, `${"AB"[number]}: ${data.names[number]}`);
  return h("section", null, title, element, link);
}

const table = new EpisodeTable(byId("table"), {
  rows,
  columns: [
    {
      id: "instruction",
      title: "Episode",
      value: (row) => row.instruction,
      cell: (row) => [
        h("span", { class: "asked", dir: "auto", title: row.instruction }, row.instruction || "(no instruction)"),
        h("small", { class: "muted", dir: "auto" }, [row.key, row.kind && plain(row.kind), row.split].filter(Boolean).join(" · ")),
      ],
    },
    { id: "a", title: "A", value: (row) => row.score_a, cell: (row) => side(row, "a") },
    { id: "b", title: "B", value: (row) => row.score_b, cell: (row) => side(row, "b") },
    {
      id: "change",
      title: "B − A",
      number: true,
      value: (row) => row.points,
      cell: (row) => h("span", { class: tone(row) }, signed(row.points)),
    },
  ],
  selects: [
    { id: "outcome", title: "Outcome", value: (row) => row.outcome, titleOf: (name) => ({ better: "Got better", worse: "Got worse", same: "Same score" })[name] },
    { id: "a", title: "In A", value: (row) => row.a, titleOf: classTitle },
    { id: "b", title: "In B", value: (row) => row.b, titleOf: classTitle },
    { id: "kind", title: "Kind", value: (row) => row.kind, titleOf: plain },
    { id: "split", title: "Split", value: (row) => row.split, titleOf: plain },
  ],
  range: { title: "Change", ends: ["min", "max"], min: -100, max: 100, value: (row) => row.points },
  steps: false,
  search: ["key", "instruction", "why_a", "why_b"],
  noun: "pair",
  detail: async (row) => {
    const part = await inflated(`part-${Math.floor(row.place / data.part_size)}`);
    const [a, b] = part[row.place % data.part_size];
    return h(
      "div",
      { class: "opened" },
      h("p", { class: "whole", dir: "auto" }, row.instruction),
      h("div", { class: "runs" }, opened(row, "a", 0, a), opened(row, "b", 1, b)),
    );
  },
});
followAddress(table);

// One step: what the model said and asked for, what was decided, what came of it.

function stepParts(step) {
  return [
    ...(step.failed_calls ?? []).map(failedCall),
    ...(step.errors ?? [])
      .filter(([, , action]) => !action)
      .filter(([, error]) => !isFailedCall(step, error))
      .map(([when, error]) => errorBox("Error", error, time(when))),
    step.thought ? fold("Thought", () => prose(step.thought), { class: "thought" }) : null,
    step.response
      ? h(
          "section",
          { class: "card said-by-agent", "aria-label": "Answer" },
          h("h3", null, "Answer"),
          prose(step.response),
        )
      : null,
    step.plan ? planCard(step.plan) : null,
    ...step.actions.map((action) => actionCard(action)),
  ].filter(Boolean);
}

const isFailedCall = (step, error) =>
  (step.failed_calls ?? []).some((call) => call.error.type === error.type && call.error.message === error.message);

function stepFacts(step) {
  const usage = step.usage ?? {};
  const details = [
    ["in", usage.prompt_tokens],
    ["out", usage.completion_tokens],
    ["thoughts", usage.thoughts_tokens],
    ["cached", usage.cached_tokens],
    ["tool use", usage.tool_use_tokens],
    [
      "in failed calls",
      (step.failed_calls ?? []).reduce((sum, call) => sum + (call.usage?.total_tokens ?? 0), 0) || null,
    ],
  ].filter(([, value]) => value !== undefined && value !== null);
  const failed = step.failed_calls?.length ?? 0;
  return facts([
    ["Time", time(step.time)],
    ["Took", duration(step.duration_ms)],
    ["Model", step.model],
    ["Latency", step.latency_ms === undefined ? null : duration(step.latency_ms)],
    [
      "Tokens",
      step.tokens || step.usage
        ? [
            count(step.tokens),
            details.length
              ? h("small", null, ` ${details.map(([name, value]) => `${count(value)} ${name}`).join(", ")}`)
              : "",
          ]
        : null,
    ],
    ["Guard tokens", step.guard_tokens ? count(step.guard_tokens) : null],
    ["Finish", step.finish_reason && step.finish_reason !== "STOP" ? step.finish_reason : null],
    ["Failed calls", failed ? count(failed) : null],
  ]);
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h(
    "dl",
    { class: "facts" },
    shown.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

function errorBox(title, error, ...more) {
  return h(
    "section",
    { class: "card error", "aria-label": title },
    h("h3", null, title, " ", h("code", null, error.type), " ", more),
    h("p", { class: "prose", dir: "auto" }, error.message),
  );
}

function failedCall(call) {
  const tokens = call.usage?.total_tokens ? ` · ${count(call.usage.total_tokens)} tokens` : "";
  return errorBox(
    "Model call failed",
    call.error,
    h("small", { class: "muted" }, `${call.model ?? "model"} · ${duration(call.latency_ms)}${tokens}`),
  );
}

function planCard(plan) {
  return h(
    "section",
    { class: "card", "aria-label": "Plan" },
    h("h3", null, "Plan"),
    prose(plan.current_plan),
    plan.plan_steps?.length
      ? h(
          "ol",
          { class: "plan" },
          plan.plan_steps.map((text) => h("li", { dir: "auto" }, asText(text))),
        )
      : null,
    plan.update_reason ? h("p", { class: "muted", dir: "auto" }, `Changed because: ${plan.update_reason}`) : null,
  );
}

function actionCard(action) {
  const line = resultLine(action);
  const given = isObject(action.arguments) ? Object.entries(action.arguments) : [["arguments", action.arguments]];
  return h(
    "section",
    { class: `card action ${action.outcome ?? "unknown"}`, "aria-label": `Action ${cut(action.text, 80)}` },
    h(
      "header",
      null,
      h("code", { class: "call", dir: "auto" }, action.text),
      action.irreversible ? badge("irreversible", "warn", "This call buys") : null,
      outcomeBadge(action),
      h("small", { class: "muted" }, duration(action.duration_ms)),
    ),
    given.length
      ? h(
          "dl",
          { class: "arguments" },
          given.map(([name, value]) =>
            h("div", null, h("dt", null, name), h("dd", { dir: "auto" }, cut(asText(value), 1000))),
          ),
        )
      : null,
    line && !action.purchase
      ? h("p", { class: `result ${action.error ? "problem" : ""}`, dir: "auto" }, cut(line, 1000))
      : null,
    rewardPart(action),
    purchasePart(action),
    decisionsPart(action),
    confirmationsPart(action),
    h(
      "div",
      { class: "folds" },
      action.result === null || action.result === undefined ? null : fold("Whole result", () => json(action.result)),
      action.error ? fold("Error", () => json(action.error)) : null,
      isObject(action.info) && Object.keys(action.info).length ? fold("Info", () => json(action.info)) : null,
      action.scored ? fold("What the reward depends on", () => json(action.scored)) : null,
      action.artifacts?.length
        ? fold(plural(action.artifacts.length, "artifact"), () =>
            h(
              "ul",
              null,
              action.artifacts.map((made) => h("li", null, `${made.name}, version ${made.version}`)),
            ),
          )
        : null,
    ),
  );
}

function rewardPart(action) {
  const parts =
    isObject(action.info) && isObject(action.info.reward_info) ? Object.entries(action.info.reward_info) : [];
  if (!action.reward && !parts.length && (action.reward === null || !action.done)) return null;
  const word = (value) => (typeof value === "number" ? String(Math.round(value * 10000) / 10000) : asText(value));
  return h(
    "div",
    { class: "reward" },
    action.reward === null ? null : h("span", { class: "score" }, "Reward ", h("b", null, word(action.reward))),
    parts.map(([name, value]) => h("span", { class: "part" }, h("i", null, name), " ", word(value))),
    action.done ? badge("done", "calm", "The episode ended here") : null,
  );
}

function purchasePart(action) {
  if (!isObject(action.purchase)) return null;
  const { options, ...rest } = action.purchase;
  const chosen = isObject(options)
    ? Object.entries(options)
        .map(([name, value]) => `${name}: ${asText(value)}`)
        .join(", ")
    : "";
  return h(
    "div",
    { class: "bought-box" },
    h("b", null, "Bought"),
    facts([...Object.entries(rest).map(([name, value]) => [name, asText(value)]), ["options", chosen]]),
  );
}

const VERDICT = {
  allow: ["allowed", "good"],
  allow_logged: ["allowed, logged", "good"],
  confirm: ["asks the person", "waits"],
  block: ["blocked", "bad"],
};

function decisionsPart(action) {
  if (!action.decisions?.length) return null;
  return h("ol", { class: "decisions", "aria-label": "Decisions" }, action.decisions.map(decisionItem));
}

function decisionItem(decision) {
  const [word, tone] = VERDICT[decision.decision] ?? [decision.decision, "calm"];
  const tokens = Object.values(decision.usage ?? {}).reduce((sum, usage) => sum + (usage.total_tokens ?? 0), 0);
  const spent = [
    decision.model,
    decision.duration_ms === null ? null : duration(decision.duration_ms),
    tokens ? `${count(tokens)} tokens` : null,
  ];
  return h(
    "li",
    { class: tone },
    h(
      "header",
      null,
      badge(word, tone, "What was decided"),
      h("b", null, decision.source),
      decision.attempt > 1 ? h("small", null, `attempt ${decision.attempt}`) : null,
      decision.status && decision.status !== "ok"
        ? badge(decision.status, "warn", "The state of whoever decided")
        : null,
      riskMeter(decision),
      h("small", { class: "muted" }, spent.filter(Boolean).join(" · ")),
    ),
    decision.violated_policy_ids?.length
      ? h(
          "p",
          { class: "policies" },
          decision.violated_policy_ids.map((id) => h("code", { class: "policy" }, asText(id))),
        )
      : null,
    decision.risk_explanation ? prose(decision.risk_explanation) : null,
    decision.guidance ? h("div", { class: "guidance" }, h("i", null, "Guidance: "), prose(decision.guidance)) : null,
    h(
      "div",
      { class: "folds" },
      decision.facts ? fold("Facts", () => json(decision.facts)) : null,
      decision.world_model ? fold("Prediction", () => json(decision.world_model)) : null,
      Object.keys(decision.usage ?? {}).length ? fold("Tokens", () => json(decision.usage)) : null,
      decision.extra ? fold("More", () => json(decision.extra)) : null,
    ),
  );
}

function riskMeter(decision) {
  if (decision.risk_score === null || decision.risk_score === undefined) return null;
  const percent = (value) => `${Math.min(Math.max(value, 0), 1) * 100}%`;
  const threshold = decision.threshold ?? null;
  const label = `Risk ${decision.risk_score}${threshold === null ? "" : `, threshold ${threshold}`}`;
  const fill = h("i");
  fill.style.width = percent(decision.risk_score);
  const mark = h("u");
  if (threshold !== null) mark.style.left = percent(threshold);
  return h(
    "span",
    { class: "risk", title: label },
    h("span", { class: "meter", "aria-hidden": "true" }, fill, threshold === null ? null : mark),
    label,
  );
}

function confirmationsPart(action) {
  if (!action.confirmations?.length) return null;
  return h(
    "ol",
    { class: "confirmations", "aria-label": "The person was asked" },
    action.confirmations.map((entry) => {
      const answer =
        entry.confirmed === null
          ? null
          : entry.confirmed
            ? badge("yes", "good", "The person agreed")
            : badge("no", "bad", "The person refused");
      return h(
        "li",
        null,
        answer ?? badge("asked", "waits", "The person was asked"),
        h("span", { dir: "auto" }, entry.question || (entry.confirmed === null ? "" : "The person answered")),
      );
    }),
  );
}

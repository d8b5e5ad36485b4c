// Interactive curves of a page, drawn by Bokeh from the numbers in window.CURVES. The choices are the elements of the
// form, the legend is a row of buttons, and the address of the page holds whatever differs from the beginning.
(() => {
const root = document.querySelector(".live"), all = window.CURVES;
if (!root || !all || !window.Bokeh) return;
Bokeh.logger?.set_level("warn");
const form = root.querySelector("form"), field = form.elements, plot = root.querySelector(".plot");
const legend = root.querySelector(".legend"), answer = root.querySelector(".answer"), begin = "#curves?";
const MEASURES = [["flops", "flops", ""], ["time", "time", " s"], ["iterations", "iterates", ""]];
const PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F3C8D", "#8C510A"];
const dark = matchMedia("(prefers-color-scheme: dark)"), grey = () => dark.matches ? "#66635e" : "#B5B5B5";
// matplotlib's markers as Bokeh's, and as paths of the legend; the last three are hollow
const MARKERS = {
  o: ["circle", "M11 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"], s: ["square", "M11 3h8v8h-8z"], D: ["diamond", "m15 2 4 5-4 5-4-5z"], "^": ["triangle", "m15 2 5 9H10z"],
  v: ["inverted_triangle", "m15 12 5-9H10z"], P: ["plus", "M13 2h4v3h3v4h-3v3h-4V9h-3V5h3z"], "*": ["star", "m15 1 2 4 4 .5-3 3 1 4-4-2-4 2 1-4-3-3 4-.5z"],
  X: ["x", "m11 4 1-1 3 3 3-3 1 1-3 3 3 3-1 1-3-3-3 3-1-1 3-3z"], h: ["hex", "m15 2 4 2.5v5L15 12l-4-2.5v-5z"],
  "<": ["circle", "M11 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", true], ">": ["square", "M11 3h8v8h-8z", true], p: ["diamond", "m15 2 4 5-4 5-4-5z", true] };
const LEAST = [1, 1e-9, 1];  // of flops, seconds and iterates on a logarithmic axis
const show = (value, digits = 3) => {
  if (value === null || !isFinite(value)) return "n/a";
  if (value === 0 || (Math.abs(value) < 1e5 && Math.abs(value) >= 1e-3)) return String(Number(value.toPrecision(digits)));
  return value.toExponential(digits - 1).split("e").map(Number).join("e");
};
const percent = share => (100 * share).toFixed(2) + " %";

// ---- which solvers are seen: "on" in colour, "grey", "off"
const focus = all.solvers.findIndex(s => s.name === root.dataset.focus);
const first = all.solvers.map((s, i) => (focus < 0 ? s.colour : i === focus) ? "on" : "grey");
let state = [...first];
const colours = () => {
  const found = all.solvers.map(grey), taken = new Set(), seen = [...found.keys()].filter(i => state[i] === "on");
  const order = seen.sort((a, b) => (b === focus) - (a === focus) || !all.solvers[a].colour - !all.solvers[b].colour);
  for (const i of order) {
    found[i] = [all.solvers[i].colour, ...PALETTE].find(c => c && !taken.has(c)) ?? "#777777";
    taken.add(found[i]);
  }
  return found;
};

// ---- the runs of a comparison
const cost = (run, target, m) => {
  const total = run.cost[m];
  if (total === null || run.share < target) return Infinity;
  const step = run.steps.find(s => s[3] >= target);
  return Math.max(Math.min(step ? step[m] : total, total), 1e-9);
};
const reachedBy = (run, m, x) => {  // the share of the best known that a run has at a cost
  if (run.cost[m] === null) return 0;
  if (x >= run.cost[m]) return run.share;
  let best = 0;
  for (const s of run.steps) if (s[m] !== null && s[m] <= x) best = s[3];
  return Math.min(best, run.share);
};
const grid = values => {
  const finite = values.filter(v => isFinite(v) && v > 0), low = Math.min(...finite), high = Math.max(...finite);
  return finite.length ? Array.from({ length: 161 }, (_, i) => low * (high / low) ** (i / 160)) : [];
};
const bySolver = runs => Map.groupBy ? Map.groupBy(runs, r => r.s)
  : runs.reduce((map, r) => map.set(r.s, [...(map.get(r.s) ?? []), r]), new Map());
const chosenPairs = () => {
  const [kind, name, k] = field.problem.value.split("|");
  return new Set(all.pairs.map((p, i) => [p, i]).filter(([p]) =>
    kind === "all" || (kind === "family" ? p.family === name : p.item === name && (!k || p.k === Number(k)))).map(([, i]) => i));
};
const COMPARISON = {
  budget: {
    words: "Quality within a budget", curve: true,
    make(m) {
      const pairs = chosenPairs(), runs = all.runs.filter(r => pairs.has(r.p)), xs = grid(runs.map(r => r.cost[m] ?? NaN));
      const known = all.runs.some(r => pairs.has(r.p) && r.cost[m] !== null);
      const curves = [...bySolver(runs)].filter(([, mine]) => mine.some(r => r.cost[m] !== null)).map(([s, mine]) => ({ s, points: xs.map(x => {
        const mean = mine.reduce((sum, r) => sum + reachedBy(r, m, x), 0) / pairs.size;
        return { x, y: mean, tip: `${percent(mean)} of the best known, mean of ${pairs.size} pairs, within ${show(x)}${MEASURES[m][2]}` };
      }) }));
      return { curves: known ? curves : [], y: "share of the best known value, mean", at: x => curves.map(c => {
        const mine = runs.filter(r => r.s === c.s);
        return [c.s, mine.reduce((sum, r) => sum + reachedBy(r, m, x), 0) / pairs.size];
      }) };
    },
  },
  reach: {
    words: "Pairs solved within a cost", curve: true,
    make(m) {
      const target = Number(field.target.value), pairs = chosenPairs(), runs = all.runs.filter(r => pairs.has(r.p));
      const costs = runs.map(r => [r.s, cost(r, target, m)]), xs = grid(costs.map(c => c[1]));
      const count = (s, x) => costs.filter(c => c[0] === s && c[1] <= x).length;
      const curves = [...new Set(costs.filter(c => isFinite(c[1])).map(c => c[0]))].map(s => ({ s, points: xs.map(x => {
        const n = count(s, x);
        return { x, y: n / pairs.size, tip: `${n} of ${pairs.size} pairs to ${100 * target} % within ${show(x)}${MEASURES[m][2]}` };
      }) }));
      return { curves, y: `share of pairs solved to ${100 * target} %`, at: x => curves.map(c => [c.s, count(c.s, x) / pairs.size]) };
    },
  },
  anytime: {
    words: "One problem, value so far", curve: true, one: true,
    make(m) {
      const pairs = chosenPairs(), runs = all.runs.filter(r => pairs.has(r.p) && r.cost[m] !== null);
      const curves = runs.map(r => ({ s: r.s, step: true, points: [...r.steps.filter(s => s[m] !== null && s[m] < r.cost[m]).map(s => ({ x: Math.max(s[m], LEAST[m]), y: s[3],
        tip: `${percent(s[3])} of the best known after ${show(s[m])}${MEASURES[m][2]}, before the refit` })), { x: Math.max(r.cost[m], LEAST[m]), y: r.share,
        tip: `${percent(r.share)} of the best known, variance ${show(r.value, 6)}, ${r.k} nonzeros; in all ${show(r.cost[m])}${MEASURES[m][2]}; settings ${r.with}` }] }));
      const pair = all.pairs[[...pairs][0]];
      return { curves, y: "value so far over the best known", bound: pair?.bound, at: x => runs.map(r => [r.s, reachedBy(r, m, x)]) };
    },
  },
  tradeoff: {
    words: "One problem, every cardinality", curve: true, one: true, cardinality: true,
    make() {
      const name = field.problem.value.split("|")[1], pairs = new Set(all.pairs.map((p, i) => [p, i]).filter(([p]) => p.item === name).map(([, i]) => i));
      const curves = [...bySolver(all.runs.filter(r => pairs.has(r.p)))].map(([s, mine]) => ({ s, points: mine.sort((a, b) => a.k - b.k).map(r => ({ x: r.k, y: r.value,
        tip: `variance ${show(r.value, 6)} with ${r.k} nonzeros, ${percent(r.share)} of the best known at k = ${all.pairs[r.p].k}; ${show(r.cost[1])} s, ${show(r.cost[0])} flops, memory ${show(r.memory === null ? null : r.memory / 1e6)} MB; settings ${r.with}` })) }));
      return { curves, y: "variance after the refit", x: "cardinality" };
    },
  },
};

// ---- the runs behind the figures of papers: one point for each
const RUNS = Object.fromEntries([["share", "Share of the best", "variance divided by the largest variance of all solvers"], ["variance", "Variance", "variance after the refit"],
  ["gap", "Certified gap", "gap to the certified bound"], ["time", "Time", "time, s"], ["flops", "Flops", "flops"]].map(([name, words, axis], place) => [name, {
    words, runs: true,
    make(m) {
      const at = { time: 3, flops: 4, iterations: 5, cardinality: 6 }[field.x.value], y = place, [kind, which] = field.problem.value.split("|");
      const rows = all.runs.filter(r => r.v[at] !== null && r.v[y] !== null && (kind === "problem" ? r.p === Number(which) : all.problems[r.p].dataset === which));
      const curves = [...bySolver(rows)].map(([s, mine]) => ({ s, loose: kind !== "problem", points: mine.sort((a, b) => a.v[at] - b.v[at]).map(r => ({ x: r.v[at], y: r.v[y],
        tip: `${r.v[6]} nonzeros, variance ${show(r.v[1], 6)}, ${show(r.v[3])} s, ${show(r.v[4])} flops, ${show(r.v[5])} iterates; ${all.problems[r.p].name}; settings ${r.with}; figure ${r.f}` })) }));
      return { curves: curves.filter(c => c.points.length), y: axis };
    },
  }]));
const views = all.kind === "comparison" ? COMPARISON : RUNS;

// ---- choices
const option = (value, words) => Object.assign(document.createElement("option"), { value, textContent: words });
const group = (label, options) => { const g = Object.assign(document.createElement("optgroup"), { label }); g.append(...options); return g; };
const fillProblems = () => {
  const old = field.problem.value, view = views[field.view.value];
  let options;
  if (view.runs) {
    const mine = new Set(all.runs.filter(r => focus < 0 || r.s === focus).map(r => r.p)), sets = new Map();
    for (const i of mine) sets.set(all.problems[i].dataset, [...(sets.get(all.problems[i].dataset) ?? []), i]);
    options = [...sets].map(([name, places]) => group(name, [...(places.length > 1 ? [option(`dataset|${name}`, `${name}: all ${places.length}`)] : []),
      ...places.map(i => option(`problem|${i}`, `${name} ${all.problems[i].name}`))]));
  }
  else {
    const items = [...new Set(all.pairs.map(p => p.item))], each = group("one problem", items.map(i => option(`item|${i}`, i)));
    const single = group("one problem and cardinality", all.pairs.map(p => option(`item|${p.item}|${p.k}`, `${p.item}, k = ${p.k}`)));
    options = view.cardinality ? [each] : view.one ? [single] : [option("all", "all"), group("a kind", [...new Set(all.pairs.map(p => p.family))].map(f => option(`family|${f}`, f))), each, single];
  }
  field.problem.replaceChildren(...options);
  if ([...field.problem.options].some(o => o.value === old)) field.problem.value = old;
  else if (view.one && old.startsWith("item|")) field.problem.value = [...field.problem.options].find(o => o.value.startsWith(old.split("|").slice(0, 2).join("|")))?.value ?? field.problem.options[0].value;
};
for (const [name, view] of Object.entries(views)) field.view.append(option(name, view.words));
fillProblems();
const initial = all.begin ?? {};
for (const [name, value] of Object.entries(initial)) field[name].value = value;
const CHOICES = ["view", "problem", "target", "x", "xscale", "yscale", "at"].filter(name => field[name]);
const defaults = Object.fromEntries(CHOICES.map(name => [name, field[name].value]));

// ---- the address
const write = () => {
  const query = new URLSearchParams(CHOICES.filter(name => field[name].value !== defaults[name]).map(name => [name, field[name].value]));
  for (const word of ["on", "grey", "off"]) {
    const names = all.solvers.filter((s, i) => state[i] === word && first[i] !== word).map(s => s.name);
    if (names.length) query.set(word, names.join(","));
  }
  if (`${query}` || location.hash.startsWith(begin)) history.replaceState(null, "", `${query}` ? begin + query : "#curves");
};
const read = () => {
  if (!location.hash.startsWith(begin)) return;
  const query = new URLSearchParams(location.hash.slice(begin.length));
  if (query.get("view") in views) field.view.value = query.get("view");
  fillProblems();
  for (const name of CHOICES) {
    const value = query.get(name) ?? (name === "problem" && field.problem.selectedIndex >= 0 && !views[field.view.value].one ? defaults[name] : name === "problem" ? field.problem.value : defaults[name]);
    if (field[name].tagName !== "SELECT" || [...field[name].options].some(o => o.value === value)) field[name].value = value;
  }
  state = [...first];
  for (const word of ["on", "grey", "off"])
    for (const name of (query.get(word) ?? "").split(",")) { const i = all.solvers.findIndex(s => s.name === name); if (i >= 0) state[i] = word; }
  document.querySelector("#curves").scrollIntoView();
};

// ---- drawing
let drawn = { curves: [] };
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const draw = async () => {
  const view = views[field.view.value], m = Math.max(MEASURES.findIndex(x => x[0] === field.x.value), 0), paint = colours();
  for (const label of form.querySelectorAll("[data-views]")) label.hidden = !label.dataset.views.split(" ").includes(field.view.value);
  drawn = view.make(m);
  const seen = drawn.curves.filter(c => state[c.s] !== "off").sort((a, b) => (state[a.s] === "on") - (state[b.s] === "on") || b.s - a.s);
  const xname = drawn.x ?? (field.x.value === "cardinality" ? "cardinality" : MEASURES[m][1] + (m === 1 ? ", s" : ""));
  const { Plotting, HoverTool, ColumnDataSource, Span } = Bokeh;
  const narrow = plot.clientWidth < 500;
  const positive = (key, c) => c.points.every(p => p[key] > 0);
  const xtype = field.xscale.value === "log" && seen.every(c => positive("x", c)) ? "log" : "linear";
  const ytype = field.yscale.value === "log" ? "log" : "linear";
  const figure = Plotting.figure({ width: Math.max(plot.clientWidth, 280), height: narrow ? 320 : 430, x_axis_type: xtype, y_axis_type: ytype,
    tools: narrow ? "pan,box_zoom,reset,save" : "pan,box_zoom,wheel_zoom,reset,save", active_drag: null });
  const text = style("--text"), soft = style("--line"), page = style("--page"), dots = [];
  for (const c of seen) {
    const on = state[c.s] === "on", look = all.solvers[c.s], points = ytype === "log" ? c.points.filter(p => p.y > 0) : c.points;
    const data = { x: points.map(p => p.x), y: points.map(p => p.y), name: points.map(() => look.name), tip: points.map(p => p.tip) };
    const source = new ColumnDataSource({ data }), line = { line_color: paint[c.s], line_width: on ? 2 : 1, line_alpha: on ? 1 : 0.6, line_dash: on ? look.dash : [] };
    const drawnLine = c.step ? figure.step({ field: "x" }, { field: "y" }, "after", { source, ...line }) : figure.line({ field: "x" }, { field: "y" }, { source, ...line });
    if (c.loose) drawnLine.visible = false;
    // a curve has some marks; single points, and runs of several problems, are marks alone
    const alone = c.loose || points.length === 1, every = c.points.length > 60 && !alone ? 20 : 1;
    const [marker, , hollow] = MARKERS[look.marker], mark = { marker, size: on ? 7 : 4, line_color: paint[c.s], fill_color: hollow ? page : paint[c.s] };
    const some = Object.fromEntries(Object.entries(data).map(([key, values]) => [key, values.filter((_, i) => i % every === (c.s * 3) % every)]));
    const marks = on || alone ? figure.scatter({ field: "x" }, { field: "y" }, { source: new ColumnDataSource({ data: some }), ...mark }) : null;
    dots.push(alone ? marks : drawnLine);
  }
  if (dots.length) figure.add_tools(new HoverTool({ renderers: dots, tooltips: [["solver", "@name"], ["", "@tip"]], line_policy: "nearest", mode: "mouse" }));
  figure.background_fill_color = page; figure.border_fill_color = page; figure.outline_line_color = soft;
  if (drawn.bound) figure.add_layout(new Span({ location: drawn.bound, dimension: "width", line_dash: [2, 3], line_color: text }));
  for (const [axis, label] of [[figure.below[0], xname], [figure.left[0], drawn.y]])
    Object.assign(axis, { axis_label: label, axis_label_text_color: text, axis_label_text_font_style: "normal", major_label_text_color: text, axis_line_color: text, major_tick_line_color: text, minor_tick_line_color: soft });
  for (const grid of figure.center) if ("grid_line_color" in grid) grid.grid_line_color = soft;
  // a drawing that another one overtakes goes with its holder
  const holder = document.createElement("div");
  plot.replaceChildren(holder);
  plot.dataset.shown = seen.filter(c => state[c.s] === "on").map(c => all.solvers[c.s].name).join(",");
  plot.dataset.points = seen.reduce((sum, c) => sum + c.points.length, 0);
  plot.dataset.axes = `${xname}|${xtype}|${drawn.y}|${ytype}`;
  plot.setAttribute("aria-label", `${view.words}: ${drawn.y} against ${xname}; ${seen.length} solvers. The numbers are behind the button below.`);
  root.querySelector(".empty").hidden = seen.length > 0;
  best();
  await Plotting.show(figure, holder);
};
const best = () => {
  const at = Number(field.at?.value), unit = MEASURES[Math.max(MEASURES.findIndex(x => x[0] === field.x.value), 0)];
  if (!drawn.at || !(at > 0) || !field.at.value) { answer.textContent = ""; return; }
  const list = drawn.at(at).filter(x => x[1] > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]), top = list.length ? list[0][1] : 0, names = i => all.solvers[i].name;
  answer.textContent = top > 0 ? `Within ${show(at)}${unit[2] || ` ${unit[1]}`}: ` + list.slice(0, 6).map(([s, y]) => `${names(s)} ${percent(y)}`).join(", ") + "." : `Nobody has an answer within ${show(at)}${unit[2] || ` ${unit[1]}`}.`;
};

// ---- legend
const swatch = (look, colour, on) => {
  const [, path, hollow] = MARKERS[look.marker], dash = on ? look.dash.join(" ") : "";
  const mark = `<path d="${path}" fill="${hollow ? "var(--page)" : colour}" stroke="${colour}" stroke-width="1.5"/>`;
  return `<svg viewBox="0 0 30 14" width="30" height="14" aria-hidden="true"><path d="M0 7h30" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>${on ? mark : ""}</svg>`;
};
const list = () => {
  const paint = colours();
  legend.replaceChildren(...all.solvers.map((look, i) => {
    const button = Object.assign(document.createElement("button"), { type: "button", innerHTML: swatch(look, paint[i], state[i] === "on") });
    button.append(look.name);
    button.className = state[i];
    button.dataset.solver = look.name;
    button.setAttribute("aria-pressed", state[i] === "on");
    return button;
  }));
};
const refresh = () => { list(); write(); return draw(); };
legend.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  const i = all.solvers.findIndex(s => s.name === button.dataset.solver);
  state[i] = state[i] === "on" ? "off" : "on";
  refresh();
  legend.querySelectorAll("button")[i].focus();
});
const others = root.querySelector(".others");
others.addEventListener("click", () => {
  const hide = state.includes("grey");
  state = state.map(s => s === "on" ? s : hide ? "off" : "grey");
  refresh();
});
root.querySelector(".begin").addEventListener("click", () => {
  for (const name of CHOICES) { if (name === "problem") fillProblems(); field[name].value = defaults[name]; }
  state = [...first];
  refresh();
});
root.querySelector(".csv").addEventListener("click", () => {
  const quoted = value => `"${String(value).replaceAll('"', '""')}"`;
  const lines = drawn.curves.filter(c => state[c.s] !== "off").flatMap(c => c.points.map(p => [quoted(all.solvers[c.s].name), p.x, p.y, quoted(p.tip)].join(",")));
  window.save("curves.csv", ["solver,x,y,what", ...lines].join("\n") + "\n");
});
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("change", event => { if (event.target.name === "view") fillProblems(); if (event.target.name !== "at") refresh(); });
field.at?.addEventListener("input", () => { write(); best(); });
addEventListener("hashchange", () => { read(); list(); draw(); });
dark.addEventListener("change", () => { list(); draw(); });
let width = 0;
addEventListener("resize", () => { if (Math.abs(innerWidth - width) > 30) { width = innerWidth; draw(); } });
width = innerWidth;
root.hidden = false;
read();
list();
draw();
})();

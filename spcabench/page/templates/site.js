{ // names of a page's own script may be the same
// search over the index of the results, and of the documents where they lie beside: scripts, because pages opened as files may fetch nothing
const FILLERS = new Set("a an and are at be by can did do does for from has have how i in is it its me my of on or our that the there to was were what when which who why where with you your".split(" "));
// "k = 50" is one word, 5,000 is 5000, and "Kuleshov's" is Kuleshov
const plainWords = text => text.toLowerCase().replaceAll("’", "'").replace(/'s\b/g, "").replace(/(\d),(?=\d{3})/g, "$1").replace(/\s*=\s*/g, "=");
for (const form of document.querySelectorAll(".search")) {
  const field = form.querySelector("input"), list = form.querySelector("ol"), folders = form.dataset.indexes.split(" ");
  window.SEARCH = {};
  const load = () => { for (const folder of folders) document.head.append(Object.assign(document.createElement("script"), { src: `${folder}search.js`, async: false, onload: () => show() })); };
  const show = () => {
    const typed = plainWords(field.value).split(/[\s?!"“”]+/).filter(Boolean), telling = typed.filter(word => !FILLERS.has(word)), words = telling.length ? telling : typed;
    let found = [], most = 1;
    for (const [folder, entries] of Object.entries(window.SEARCH)) for (const [title, text, address] of words.length ? entries : []) {
      const head = plainWords(title), all = `${head} ${plainWords(text)}`, matched = words.filter(word => all.includes(word)).length;
      most = Math.max(most, matched);
      const parts = head.split(/[^\w=-]+/), exact = words.filter(word => parts.includes(word)).length, inside = words.filter(word => word[1] ? head.includes(word) : parts.includes(word)).length;
      // of equally good titles, the shorter one
      found.push([exact * 2 + inside + 1 / parts.length, title, text, folder + address, matched]);
    }
    // where nothing has all the words, what has most of them
    found = found.filter(entry => entry[4] === most).sort((a, b) => b[0] - a[0]);
    // a size asks for a solver: "5,000 x 20,000 text"
    const [, m, n, kind] = field.value.replaceAll(",", "").replace("words", "text").match(/(\d+)\s*x\s*(\d+)\s*(\w*)/) ?? [], [, k] = field.value.match(/k\s*=\s*(\d+)/) ?? [];
    if (m && form.dataset.choose) found.unshift([0, `choose a solver for ${m} x ${n} ${kind}`, "the best five within a time", `${form.dataset.choose}#m=${m}&n=${n}${kind && `&kind=${kind}`}${k ? `&k=${k}` : ""}`]);
    list.hidden = !words.length;
    list.replaceChildren(...found.slice(0, 12).map(([, title, text, address]) => {
      const item = document.createElement("li"), link = Object.assign(document.createElement("a"), { href: address });
      // the begin of a text says the verdict or the answer; a match far behind it is shown after it
      const place = Math.max(0, ...words.map(word => text.toLowerCase().indexOf(word))), start = place > 110 ? place - 30 : 0;
      link.append(Object.assign(document.createElement("b"), { textContent: title }), Object.assign(document.createElement("span"), { textContent: start ? `${text.slice(0, 90)} ... ${text.slice(start, start + 80)}` : text.slice(0, 170) }));
      item.append(link);
      return item;
    }));
    if (words.length && !found.length) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
  };
  field.addEventListener("focus", load, { once: true });
  field.addEventListener("input", show);
  form.addEventListener("submit", event => { event.preventDefault(); list.querySelector("a")?.click(); });
  form.addEventListener("keydown", event => { if (event.key === "Escape") { list.hidden = true; field.focus(); } });
  // an address on the same page leaves the page as it is
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("click", event => { if (!form.contains(event.target)) list.hidden = true; });
  form.hidden = false;
}
// large tables are stored as columns: all cells, or the different cells and the place of each line's cell among them
const LONGEST = 40;
const filled = (cell, told) => {
  // a pair is a text and the address to which it leads
  const [text, address] = Array.isArray(told) ? told : [told], [first, second] = text.split("\n");
  if (address) cell.append(Object.assign(document.createElement("a"), { href: address, textContent: first }));
  else if (first.length > LONGEST) {
    const fold = document.createElement("details");
    fold.append(Object.assign(document.createElement("summary"), { textContent: `${first.slice(0, LONGEST / 2).replace(/[ ,]+[^ ,]*$/, "")} ...` }), first);
    cell.append(fold);
  } else cell.append(first);
  if (second) cell.append(Object.assign(document.createElement("span"), { className: "block soft", textContent: second }));
  return cell;
};
for (const table of document.querySelectorAll("[data-drawn]")) {
  const columns = JSON.parse(table.nextElementSibling.textContent).map(([cells, places]) => places ? places.map(place => cells[place]) : cells);
  const heads = [...table.tHead.rows[0].cells], body = table.createTBody();
  columns[0]?.forEach((_, line) => {
    const row = body.insertRow();
    heads.forEach((head, place) => row.append(Object.assign(filled(document.createElement("td"), columns[place][line]), { className: head.className })));
  });
}
const UNITS = { "%": 1, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
for (const head of document.querySelectorAll(".sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0], up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = row => { const cell = row.children[head.cellIndex]; return cell.dataset.sort ?? cell.innerText.split("\n")[0].trim(); };
    const number = text => {
      const [, digits, unit] = text.replace(/(?<=\d),(?=\d{3})/g, "").match(/^([-+\d.e]+) ?([%a-zA-Zµ]*)$/) ?? [];
      return Number(digits ?? NaN) * (unit ? UNITS[unit] ?? NaN : 1);
    };
    // numbers by value, before words; words as people sort them, with the numbers in them
    const rank = (a, b) => {
      const x = number(a), y = number(b);
      if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
      return isNaN(x) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
    };
    const order = (a, b) => (up ? 1 : -1) * rank(key(a), key(b));
    body.append(...[...body.rows].sort(order));
  });
}
// what scrolls can be reached with the keys
for (const part of document.querySelectorAll("pre, article table")) if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
// a long table shows its first lines; a button shows a hundred more, because a browser needs seconds to lay out thousands
const STEP = 100, limits = new Map();
const limit = (table, most = limits.get(table)) => {
  limits.set(table, most);
  const rows = [...table.tBodies[0].rows].filter(row => !row.classList.contains("off")), rest = rows.length - most;
  rows.forEach((row, place) => { row.hidden = place >= most; });
  Object.assign(table.parentNode.nextElementSibling, { hidden: rest <= 0, textContent: `Show ${Math.min(STEP, rest)} more` });
};
for (const table of document.querySelectorAll("[data-first]")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "rest" });
  table.parentNode.after(button);
  button.addEventListener("click", () => limit(table, limits.get(table) + STEP));
  table.tHead.addEventListener("click", () => limit(table)); // sorting moves other rows to the top
  limit(table, Number(table.dataset.first));
}
// choices above a table: the field of words searches, every other one compares a cell, or the data of a row
for (const form of document.querySelectorAll("form[data-table]")) {
  const table = document.getElementById(form.dataset.table), begin = `#${table.id}?`;
  // with a space between cells, because the last word of one is no part of the first word of the next
  const words = row => [...row.cells].flatMap(cell => [...cell.childNodes].map(part => part.textContent)).join(" ");
  const heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows].map(row => [row, plainWords(words(row))]), fits = {};
  const text = (row, head) => row.cells[head.cellIndex].firstChild?.textContent ?? "";
  for (const head of heads.filter(head => head.dataset.choose)) {
    const found = [...new Set(rows.map(([row]) => text(row, head)))].filter(Boolean).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    fits[head.dataset.choose] = (row, value) => text(row, head) === value;
    // a choice for few different values, and a field for one of many numbers
    if (found.length > 60 && !head.classList.contains("number")) continue;
    const choice = Object.assign(document.createElement(found.length > 60 ? "input" : "select"), { name: head.dataset.choose });
    if (choice.options) choice.append(new Option("all", ""), ...found.map(words => new Option(words, words)));
    const label = document.createElement("label");
    label.append(head.textContent.trim() + " ", choice);
    form.elements.words.parentNode.before(label);
  }
  const judged = heads.find(head => head.textContent === "Statements");
  if (judged) fits.statement = (row, value) => text(row, judged).split(" ").includes(value);
  const fit = (row, all, [name, value]) => name !== "words" ? (fits[name]?.(row, value) ?? row.dataset[name] === value)
    // "k = 20" is one word, which "k = 200" does not contain
    : plainWords(value).split(/\s+/).every(word => word.includes("=") ? all.split(/[\s;,]+/).includes(word) : all.includes(word));
  const show = () => {
    const asked = [...new FormData(form)].filter(([, value]) => value.trim());
    for (const [row, all] of rows) row.classList.toggle("off", !asked.every(choice => fit(row, all, choice)));
    if (limits.has(table)) limit(table, STEP);
    form.querySelector("output").value = `${rows.filter(([row]) => !row.classList.contains("off")).length} of ${rows.length} shown`;
    if (asked.length || location.hash.startsWith(begin)) history.replaceState(null, "", asked.length ? begin + new URLSearchParams(asked) : `#${table.id}`);
  };
  const read = () => {
    if (!location.hash.startsWith(begin)) return;
    for (const [name, value] of new URLSearchParams(location.hash.slice(begin.length))) {
      const field = form.elements[name];
      if (field) field.value = value;
      if (field?.selectedIndex === -1) field.selectedIndex = 0;
    }
    table.scrollIntoView();
  };
  form.elements.csv?.addEventListener("click", () => {
    const line = cells => [...cells].map(cell => `"${[...cell.childNodes].map(part => part.textContent.trim()).join(" ").replaceAll('"', '""')}"`).join(",");
    window.save(`${form.dataset.name}.csv`, [table.tHead.rows[0], ...rows.map(([row]) => row).filter(row => !row.classList.contains("off"))].map(row => line(row.cells)).join("\n") + "\n");
  });
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  addEventListener("hashchange", () => { read(); show(); });
  read();
  show();
}
// a link to what is folded opens it
const unfold = () => {
  const part = document.getElementById(location.hash.slice(1).split("?")[0]);
  for (let fold = part?.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) fold.open = true;
  if (part?.closest(".more")) part.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
// what is folded is read on paper too, except in cards, and parts of a comparison, which are printed if the reader opened them
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details:not([open], .more, .more details, .claim details)")) { part.open = true; part.dataset.folded = ""; } });
addEventListener("afterprint", () => { for (const part of document.querySelectorAll("details[data-folded]")) { part.open = false; delete part.dataset.folded; } });
window.save = (name, text) => {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
}

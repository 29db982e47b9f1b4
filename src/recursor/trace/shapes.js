// Shapes that drawings and legends share. Pointers of a row: tags with their names.

const TAG = 12; // pixels of a pointer's name

// The outlines of the categories 0, 1, 2, …: told apart without colour.
const OUTLINES = [
  (r) => circle(r),
  (r) => circle(r) + circle(r * 1.38),
  (r) => polygon(r * 1.18, 4, Math.PI / 4),
  (r) => polygon(r * 1.25, 3, -Math.PI / 2),
  (r) => polygon(r * 1.1, 6, 0),
  (r) => polygon(r * 1.25, 4, 0),
  (r) => polygon(r * 1.15, 5, -Math.PI / 2),
  (r) => polygon(r * 1.25, 3, Math.PI / 2),
];
const HUES = 8;

function circle(r) {
  return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

function polygon(r, corners, turn) {
  const points = Array.from({ length: corners }, (_, k) => {
    const angle = turn + (2 * Math.PI * k) / corners;
    return `${(r * Math.cos(angle)).toFixed(2)} ${(r * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}z`;
}

// Signs of what differs from the classical algorithm, by the verdict of the whole: in a wrong answer, and in a right one.
const SIGNS = { right: "✓", near: "≈", wrong: "✗" };

// What drawings of all layouts know of a trace.
class TraceDrawing {
  constructor(element, data, trace, select) {
    this.element = element;
    this.data = data;
    this.trace = trace;
    this.select = select;
    this.count = data.names.length;
    const parameters = data.source.functions.flatMap(([, names]) => names); // what a call is about comes first
    this.pointers = trace.fields
      .filter((field) => field.place === "graph" && field.kind === "pointer")
      .sort((a, b) => parameters.includes(b.name) - parameters.includes(a.name));
    this.fields = trace.fields.filter((field) => field.place === "node");
    const states = this.fields.filter((field) => field.kind === "category" || field.kind === "mask");
    this.state = states.find((field) => field.kind === "category") ?? states[0];
    this.extras = states.filter((field) => field !== this.state);
    this.sign = trace.verdict?.[0] === "near" ? "≠" : "✗";
  }

  all() {
    return this.data.names.keys();
  }

  wrongNode(node, replay, truth) {
    return truth !== null && this.fields.some((field) => !same(field, replay.nodes[field.name][node], truth.nodes[field.name]?.[node], this.data.near));
  }

  extraText(node, replay) {
    return this.extras.map((field) => (replay.nodes[field.name][node] ? field.name[0] : "")).join("");
  }

  // The nodes at which an output of the whole is wrong.
  wrongOutputs() {
    return this.trace.verdict?.[0] === "wrong" ? new Set(Object.values(this.trace.wrongOutputs).flat()) : new Set();
  }

  // The tags of a row: which nodes are pointed at, by which names.
  tagged(replay, truth) {
    const at = new Map();
    for (const field of this.pointers) {
      const node = replay.value(field.name);
      const wrong = truth !== null && node !== truth.value(field.name);
      if (node >= 0 && node < this.count) {
        const tag = at.get(node) ?? { names: [], wrong: false };
        tag.names.push(wrong ? `${field.name} ${this.sign}` : field.name);
        tag.wrong ||= wrong;
        at.set(node, tag);
      }
    }
    return [...at.entries()];
  }

  makeTags(layer, count) {
    return Array.from({ length: count }, () => {
      const group = svg("g", { class: "tag", visibility: "hidden" }, layer);
      const box = svg("rect", { rx: 5, class: "tagbox" }, group);
      const text = svg("text", { "font-size": TAG, class: "tagtext" }, group);
      return { group, box, text };
    });
  }

  // Writes a tag around a place, and returns how wide it is.
  writeTag({ group, box, text }, words, className) {
    setText(text, words);
    const width = words.length * TAG * 0.61 + TAG * 0.8;
    group.setAttribute("class", className);
    for (const [name, value] of Object.entries({ x: -width / 2, y: -TAG * 0.75, width, height: TAG * 1.4 })) box.setAttribute(name, value);
    text.setAttribute("y", TAG * 0.3);
    return width;
  }

  // The legend of the rows: each entry is a text and what draws its sign.
  legend() {
    const states = (this.state?.words ?? []).slice(0, HUES).map((text, k) => [text, (picture) => this.sample(picture, k)]);
    const extras = this.extras.map((field) => [field.words[1] === "yes" ? field.name : field.words[1], (picture) => (svg("text", { class: "extra", y: 7, "text-anchor": "middle", "font-size": 20 }, picture).textContent = field.name[0])]);
    return [...states, ...extras];
  }

  sample(picture, kind) {
    svg("path", { class: "shape", d: OUTLINES[kind % OUTLINES.length](11) }, svg("g", { class: `node c${kind % HUES}` }, picture));
  }

  // The legend of the answer.
  answerLegend(answer) {
    const entries = answer.groups.slice(0, HUES).map((group, k) => [answer.groupWords[k] ?? `group ${k + 1}`, (picture) => this.groupSample(picture, k)]);
    if (answer.groups.length > HUES) entries.push([`and ${answer.groups.length - HUES} more`, () => {}]);
    if (answer.nodes.length && answer.nodeWord) entries.push([answer.nodeWord, (picture) => this.hitSample(picture)]);
    if (answer.edges.length && answer.edgeWord) entries.push([answer.edgeWord, (picture) => svg("path", { class: "branch answer", d: answer.arrows ? "M-16 0H15M7 -7L15 0L7 7" : "M-16 0H16" }, picture)]);
    if (answer.order.length && this.data.layout !== "bars") entries.push([answer.orderWord, (picture) => this.badge(picture, 0, 0, "1", 11)]);
    if (this.wrongOutputs().size) entries.push(["wrong here", (picture) => svg("path", { class: "cross", d: "M-9 -9L9 9M9 -9L-9 9" }, svg("g", { class: "node wrong" }, picture))]);
    return entries;
  }

  hitSample(picture) {
    svg("path", { class: "shape", d: OUTLINES[1](10) }, svg("g", { class: "node hit" }, picture));
  }

  groupSample(picture, k) {
    svg("path", { class: "shape", d: OUTLINES[k % OUTLINES.length](11) }, svg("g", { class: `node g${k % HUES}` }, picture));
  }

  badge(layer, x, y, words, size) {
    const group = svg("g", { class: "badge", transform: `translate(${x} ${y})` }, layer);
    svg("circle", { r: size }, group);
    svg("text", { y: size * 0.38, "font-size": size * (words.length > 2 ? 0.85 : 1.15) }, group).textContent = words;
  }
}

function fillLegend(element, entries) {
  element.replaceChildren(
    ...entries.map(([text, draw]) => {
      const item = html("span", "item");
      const sample = svg("svg", { viewBox: "-18 -18 36 36" }, item);
      draw(sample);
      if (!sample.firstChild) sample.remove(); // words alone
      item.append(html("span", "", elided(text, 60)));
      return item;
    }),
  );
}

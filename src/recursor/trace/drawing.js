// The drawing of the graph: nodes by their state, collected outputs as tree edges, the row's pointers as tags and arrows.

const TAG = 12; // pixels of a pointer's name
const MANY_EDGES = 700; // without arrowheads, which would only be a blur

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

class Drawing {
  constructor(element, data, trace, select) {
    this.element = element;
    this.data = data;
    this.trace = trace;
    this.select = select;
    this.count = data.names.length;
    this.inside = Math.max(...data.names.map((name) => Array.from(name).length)) <= 3; // names inside their nodes
    const parameters = data.source.functions.flatMap(([, names]) => names); // what a call is about comes first
    this.pointers = trace.fields
      .filter((field) => field.place === "graph" && field.kind === "pointer")
      .sort((a, b) => parameters.includes(b.name) - parameters.includes(a.name));
    this.fields = trace.fields.filter((field) => field.place === "node");
    const states = this.fields.filter((field) => field.kind === "category" || field.kind === "mask");
    this.state = states.find((field) => field.kind === "category") ?? states[0];
    this.extras = states.filter((field) => field !== this.state);
  }

  // Lays the graph out for a place of that many pixels; everything has to be drawn after it.
  fit(width, height) {
    const { element } = this;
    const share = this.inside ? 0.29 : 0.2; // of the way to the nearest node
    this.radius = Math.max(5, Math.min(17, share * this.nearest(width, height)));
    this.font = this.count > 40 ? 10 : Math.max(12, Math.min(14, this.radius));
    const margin = { x: this.radius * 1.5 + (this.inside ? 12 : 28), top: this.radius * 1.75 + this.font * 1.9, bottom: this.radius * 1.5 + (this.inside ? 6 : this.font * 1.5) };
    const [xs, ys] = [0, 1].map((axis) => this.data.places.filter((_, k) => k % 2 === axis));
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = [width - 2 * margin.x, height - margin.top - margin.bottom];
    const scales = [room[0] / Math.max(1, right - left), room[1] / Math.max(1, bottom - top)];
    const most = 1.7 * Math.min(...scales); // a little stretching does no harm
    const [sx, sy] = scales.map((scale) => Math.min(scale, most));
    const middle = [margin.x + room[0] / 2, margin.top + room[1] / 2];
    this.places = this.data.names.map((_, node) => [
      Math.round(10 * (middle[0] + sx * (xs[node] - (left + right) / 2))) / 10,
      Math.round(10 * (middle[1] + sy * (ys[node] - (top + bottom) / 2))) / 10,
    ]);
    this.width = width;
    this.outlines = OUTLINES.map((outline) => outline(this.radius));
    element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    element.replaceChildren();
    this.drawEdges(svg("g", { class: "edges" }, element));
    this.treeLayer = svg("g", { class: "tree" }, element);
    this.tree = {}; // output → node → its edge, once there is one
    for (const { output, kind } of this.trace.collect) if (kind === "pointer") this.tree[output] = {};
    this.onward = new Set(this.trace.collect.filter(({ onward }) => onward).map(({ output }) => output));
    this.halo = svg("path", { class: "halo", d: circle(this.radius * 1.75) }, element);
    this.drawNodes(svg("g", { class: "nodes" }, element));
    this.drawArrows(svg("g", { class: "pointers" }, element));
  }

  // How far apart near nodes are, about: all but a fifth have their nearest one farther away.
  nearest(width, height) {
    const [sx, sy] = [(width - 80) / 1350, (height - 90) / 1000]; // about what the margins leave
    const { places } = this.data;
    const distances = this.data.names.map((_, a) => {
      let least = Infinity;
      for (let b = 0; b < this.count; b++) {
        if (a !== b) least = Math.min(least, Math.hypot(sx * (places[2 * a] - places[2 * b]), sy * (places[2 * a + 1] - places[2 * b + 1])));
      }
      return least;
    });
    return distances.sort((a, b) => a - b)[Math.floor(this.count / 5)];
  }

  place(node) {
    return this.places[node];
  }

  // A straight way between two nodes that ends where they begin: its ends and its direction; none if they touch.
  way(from, to, gap = 1.25, start = gap) {
    const [[x, y], [x2, y2]] = [this.place(from), this.place(to)];
    const length = Math.hypot(x2 - x, y2 - y);
    const [cut, first] = [gap, start].map((share) => Math.min(this.radius * share, length * 0.4));
    const [dx, dy] = length ? [(x2 - x) / length, (y2 - y) / length] : [0, 0];
    return { x: x + dx * first, y: y + dy * first, x2: x2 - dx * cut, y2: y2 - dy * cut, dx, dy, length };
  }

  drawEdges(layer) {
    const { edges } = this.data;
    const known = new Set();
    for (let k = 0; k < edges.length; k += 2) known.add(edges[k] * this.count + edges[k + 1]);
    const heads = edges.length / 2 <= MANY_EDGES;
    const pieces = [];
    for (let k = 0; k < edges.length; k += 2) {
      const [from, to] = [edges[k], edges[k + 1]];
      if (from === to) {
        const [x, y] = this.place(from);
        const r = this.radius;
        pieces.push(`M${x + r * 0.5} ${y - r}c${r} ${-r * 1.6} ${r * 2.2} ${-r * 0.4} ${r * 0.7} ${r * 0.6}`);
        continue;
      }
      const both = known.has(to * this.count + from);
      if (both && from > to) continue; // drawn once, without a head
      const { x, y, x2, y2, dx, dy } = this.way(from, to);
      pieces.push(`M${x.toFixed(1)} ${y.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`);
      if (heads && !both) pieces.push(this.head(x2, y2, dx, dy, this.radius * 0.5));
    }
    svg("path", { d: pieces.join(""), class: edges.length / 2 > MANY_EDGES ? "edge many" : "edge" }, layer);
  }

  head(x, y, dx, dy, size) {
    const side = (turn) => `${(x - size * (dx - turn * dy * 0.55)).toFixed(1)} ${(y - size * (dy + turn * dx * 0.55)).toFixed(1)}`;
    return `M${side(1)}L${x.toFixed(1)} ${y.toFixed(1)}L${side(-1)}`;
  }

  drawNodes(layer) {
    const { inside } = this;
    this.above = this.namesAbove();
    this.nodes = this.data.names.map((name, node) => {
      const [x, y] = this.place(node);
      const group = svg("g", { class: "node", transform: `translate(${x} ${y})` }, layer);
      const shape = svg("path", { class: "shape", d: this.outlines[0] }, group);
      const cross = svg("path", { class: "cross", d: `M${-this.radius} ${-this.radius}l${2 * this.radius} ${2 * this.radius}m0 ${-2 * this.radius}l${-2 * this.radius} ${2 * this.radius}` }, group);
      const size = inside ? Math.min(this.font, this.radius) : this.font;
      const down = inside ? size * 0.36 : this.above[node] ? -this.radius * 1.55 - 3 : this.radius * 1.5 + size;
      const label = svg("text", { y: down, "font-size": size, class: inside ? "name inside" : "name" }, group);
      label.textContent = elided(name, this.count > 40 ? 8 : 16);
      const half = 0.3 * size * Array.from(label.textContent).length;
      if (half < this.width / 2) label.setAttribute("x", Math.max(half - x, Math.min(this.width - half - x, 0)));
      const extra = this.extras.length ? svg("text", { class: "extra", x: this.radius * 1.2, y: -this.radius * 0.9, "font-size": this.font * 0.7 }, group) : null;
      const note = this.data.notes[node];
      if (note) svg("text", { class: "note", x: this.radius * 1.35, y: this.radius * 1.1, "font-size": this.font * 0.85 }, group).textContent = elided(note, 10);
      svg("title", {}, group).textContent = note ? `${name}: ${note}` : name;
      group.addEventListener("click", () => this.select(node));
      return { group, shape, cross, extra };
    });
  }

  // Whether a node's name is better above it: most of its neighbours are below.
  namesAbove() {
    const down = new Array(this.count).fill(0);
    const { edges } = this.data;
    for (let k = 0; k < edges.length; k += 2) {
      const { dy } = this.way(edges[k], edges[k + 1]);
      down[edges[k]] += dy;
      down[edges[k + 1]] -= dy;
    }
    return down.map((sum) => !this.inside && sum > 0.7);
  }

  // The first pointer, what the call is about, is the current node: a halo. Every other is an arrow from there. All have a tag with their names.
  drawArrows(layer) {
    this.arrows = this.pointers.slice(1).map((field, k) => ({ field, path: svg("path", { class: `arrow p${(k + 1) % 4}` }, layer) }));
    this.tags = this.pointers.map((_, k) => {
      const group = svg("g", { class: "tag" }, layer);
      const box = svg("rect", { rx: 5, class: "tagbox" }, group);
      const text = svg("text", { "font-size": TAG, class: "tagtext" }, group);
      return { group, box, text };
    });
  }

  // Redraws the touched nodes, and the pointers, of which there are few.
  draw(replay, truth, touched) {
    for (const node of touched) this.drawNode(node, replay, truth);
    this.drawPointers(replay, truth);
  }

  all() {
    return this.data.names.keys();
  }

  drawNode(node, replay, truth) {
    const { group, shape, extra } = this.nodes[node];
    const value = this.state ? replay.nodes[this.state.name][node] : 0;
    const wrong = truth !== null && this.fields.some((field) => !same(field, replay.nodes[field.name][node], truth.nodes[field.name]?.[node], this.data.near));
    const look = `node c${value % HUES}${wrong ? " wrong" : ""}`;
    if (group.getAttribute("class") !== look) {
      group.setAttribute("class", look);
      shape.setAttribute("d", this.outlines[value % OUTLINES.length]);
    }
    if (extra) setText(extra, this.extras.map((field) => (replay.nodes[field.name][node] ? field.name[0] : "")).join(""));
    for (const [output, edges] of Object.entries(this.tree)) this.drawTreeEdge(edges, node, replay.outputs[output][node], truth?.outputs[output]?.[node], this.onward.has(output));
  }

  drawTreeEdge(edges, node, from, trueFrom, onward) {
    const shown = from !== NOTHING && from !== node && from < this.count;
    if (!shown && !edges[node]) return;
    const edge = (edges[node] ??= svg("path", {}, this.treeLayer));
    edge.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const { x, y, x2, y2, dx, dy } = onward ? this.way(node, from, 1.4, 1) : this.way(from, node, 1.4, 1);
    edge.setAttribute("class", trueFrom !== undefined && trueFrom !== NOTHING && trueFrom !== from ? "branch wrong" : "branch");
    edge.setAttribute("d", `M${x} ${y}L${x2} ${y2}` + this.head(x2, y2, dx, dy, Math.min(9, this.radius * 0.75)));
  }

  drawPointers(replay, truth) {
    if (!this.pointers.length) return this.halo.setAttribute("visibility", "hidden");
    const current = replay.value(this.pointers[0].name);
    const there = current >= 0 && current < this.count;
    this.halo.setAttribute("visibility", there ? "visible" : "hidden");
    if (there) this.halo.setAttribute("transform", `translate(${this.place(current).join(" ")})`);
    this.arrows.forEach(({ field, path }, k) => {
      const to = replay.value(field.name);
      const shown = there && to !== current && to >= 0 && to < this.count;
      path.setAttribute("visibility", shown ? "visible" : "hidden");
      if (shown) path.setAttribute("d", this.bow(current, to, k % 2 ? -1 : 1));
    });
    const at = new Map();
    for (const field of this.pointers) {
      const node = replay.value(field.name);
      const wrong = truth !== null && node !== truth.value(field.name);
      if (node >= 0 && node < this.count) {
        const tag = at.get(node) ?? { names: [], wrong: false };
        tag.names.push(wrong ? `${field.name} ✗` : field.name);
        tag.wrong ||= wrong;
        at.set(node, tag);
      }
    }
    const tags = [...at.entries()];
    const taken = [];
    this.tags.forEach(({ group, box, text }, k) => {
      group.setAttribute("visibility", k < tags.length ? "visible" : "hidden");
      if (k >= tags.length) return;
      const [node, { names, wrong }] = tags[k];
      const [x, y] = this.place(node);
      setText(text, names.join(", "));
      const size = TAG;
      const width = text.textContent.length * size * 0.61 + size * 0.8;
      group.setAttribute("class", wrong ? "tag wrong" : "tag");
      const inward = Math.max(width / 2, Math.min(this.width - width / 2, x)); // not over the margin
      const free = (level) => taken.every((tag) => Math.abs(tag.x - inward) > (tag.width + width) / 2 || Math.abs(tag.y - level) > size * 1.5);
      const away = this.radius * 1.75 + size * 0.85;
      const levels = this.above[node] ? [y + away, y - away - size] : [y - away, y + away];
      const level = free(levels[0]) ? levels[0] : levels[1]; // where the name is not, or there if another tag is in the way
      taken.push({ x: inward, y: level, width });
      group.setAttribute("transform", `translate(${inward} ${level})`);
      box.setAttribute("x", -width / 2);
      box.setAttribute("y", -size * 0.75);
      box.setAttribute("width", width);
      box.setAttribute("height", size * 1.4);
      text.setAttribute("y", size * 0.3);
    });
  }

  // A bent arrow, so that it does not lie on the edge between the nodes.
  bow(from, to, side) {
    const { x, y, x2, y2, dx, dy, length } = this.way(from, to, 1.5);
    const bend = side * Math.min(60, 0.2 * length + 0.6 * this.radius);
    const [cx, cy] = [(x + x2) / 2 - dy * bend, (y + y2) / 2 + dx * bend];
    const last = Math.hypot(x2 - cx, y2 - cy) || 1;
    return `M${x} ${y}Q${cx} ${cy} ${x2} ${y2}` + this.head(x2, y2, (x2 - cx) / last, (y2 - cy) / last, this.radius * 0.8);
  }
}

// The drawing of the graph: nodes by their state, collected outputs as tree edges, the row's pointers as tags and arrows.

const APART = 4; // pixels between the ring around a node and its name
const ARROWS = 6; // how many pointers have arrows that can be told apart

class GraphDrawing extends TraceDrawing {
  constructor(element, data, trace, select) {
    super(element, data, trace, select);
    // In a text the place of a word is in its node, and the word below it: 2:and.
    const words = data.layout === "text" ? data.names.map((name) => /^(\d+):(.+)$/.exec(name)) : [null];
    // Of an interval of time only the end has its name, since both would not find room.
    const starts = new Set(data.layout === "times" ? data.edges.filter((_, k) => k % 2) : []);
    this.labels = words.every(Boolean) ? words.map(([, place]) => place) : data.names.map((name, node) => (starts.has(node) ? "" : name));
    this.notes = words.every(Boolean) ? words.map(([, , word]) => word) : data.notes;
    this.inside = Math.max(0, ...this.labels.map((name) => Array.from(name).length)) <= 3; // names inside their nodes
    this.known = new Set();
    for (let k = 0; k < data.edges.length; k += 2) this.known.add(data.edges[k] * this.count + data.edges[k + 1]);
    const turned = (edge) => (edge % this.count) * this.count + Math.floor(edge / this.count);
    const lines = [...this.known].filter((edge) => edge <= turned(edge) || !this.known.has(turned(edge))).length; // both ways are one line
    this.dense = lines > Math.max(40, 3 * this.count); // edges are faded, but those of the current node
    this.faded = this.dense ? Math.max(0.12, Math.min(0.5, (1.25 * this.count) / lines)) : 1;
  }

  // Lays the graph out for a place of that many pixels; everything has to be drawn after it.
  fit(width, height) {
    const { element } = this;
    const written = this.data.layout === "text";
    const times = this.data.layout === "times"; // names need room between the lines
    const share = written ? (this.inside ? 0.36 : 0.25) : times ? 0.16 : this.inside ? 0.29 : 0.2; // of the way to the nearest node
    this.radius = this.data.page ? Math.max(9, Math.min(15, width / (times ? 36 : 28))) : Math.max(5, Math.min(17, share * this.nearest(width, height)));
    this.font = this.count > 40 ? 10 : Math.max(12, Math.min(14, this.radius));
    const margin = { x: this.radius * 1.5 + (this.inside ? 12 : 28), top: this.radius * 1.75 + this.font * 1.9, bottom: this.radius * 1.75 + (this.inside && !written ? 4 : this.font * 1.4 + APART) };
    const longest = written ? 0 : Math.max(0, ...this.notes.map((note) => Array.from(elided(note, 10)).length));
    if (longest && !this.data.page) margin.x = Math.max(margin.x, this.radius * 1.7 + longest * this.font * 0.53); // so that notes are at the right of all nodes
    const [xs, ys] = [0, 1].map((axis) => this.data.places.filter((_, k) => k % 2 === axis));
    // A page that is drawn on keeps its scale, so that nothing moves when a node is added.
    const [left, right, top, bottom] = this.data.page ?? [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = [width - 2 * margin.x, height - margin.top - margin.bottom];
    const scales = [room[0] / Math.max(1, right - left), room[1] / Math.max(1, bottom - top)];
    const most = this.data.page ? Infinity : (written ? 1.3 : this.count <= 24 ? 2.6 : 1.7) * Math.min(...scales); // a little stretching does no harm
    const [sx, sy] = scales.map((scale) => Math.min(scale, most));
    const middle = [margin.x + room[0] / 2, margin.top + room[1] / 2];
    this.scale = { x: middle[0] - (sx * (left + right)) / 2, y: middle[1] - (sy * (top + bottom)) / 2, sx, sy };
    this.places = this.data.names.map((_, node) => [
      Math.round(10 * (this.scale.x + sx * xs[node])) / 10,
      Math.round(10 * (this.scale.y + sy * ys[node])) / 10,
    ]);
    this.width = width;
    this.outlines = OUTLINES.map((outline) => outline(this.radius));
    element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    element.replaceChildren();
    this.edgeLayer = svg("g", { class: "edges" }, element);
    this.drawEdges(this.edgeLayer);
    this.near = svg("path", { class: "edge near" }, element); // edges of the current node, above all others
    this.treeLayer = svg("g", { class: "tree" }, element);
    this.tree = {}; // output → node → its edge, once there is one
    for (const { output, kind } of this.trace.collect) if (kind === "pointer") this.tree[output] = {};
    this.onward = new Set(this.trace.collect.filter(({ onward }) => onward).map(({ output }) => output));
    this.halo = svg("path", { class: "halo", d: circle(this.radius * 1.75) }, element);
    this.drawNodes(svg("g", { class: "nodes" }, element));
    this.pointerLayer = svg("g", { class: "pointers" }, element);
    this.drawArrows(this.pointerLayer);
    this.answerLayer = svg("g", { class: "marks" }, element);
  }

  // The node at a place of the picture, and that place in the units of the data.
  at(x, y) {
    const node = this.places.findIndex(([a, b]) => Math.hypot(a - x, b - y) <= Math.max(20, this.radius + 5));
    return { node, place: [(x - this.scale.x) / this.scale.sx, (y - this.scale.y) / this.scale.sy] };
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
    return distances.sort((a, b) => a - b)[Math.floor(this.count / 5)] ?? Infinity; // of no nodes
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
    const pieces = [];
    for (let k = 0; k < edges.length; k += 2) pieces.push(this.edge(edges[k], edges[k + 1], !this.dense));
    svg("path", { d: pieces.join(""), class: this.dense ? "edge many" : "edge", "stroke-opacity": this.faded.toFixed(2) }, layer);
  }

  edge(from, to, heads) {
    if (from === to) {
      const [x, y] = this.place(from);
      const r = this.radius;
      return `M${x + r * 0.5} ${y - r}c${r} ${-r * 1.6} ${r * 2.2} ${-r * 0.4} ${r * 0.7} ${r * 0.6}`;
    }
    const both = this.known.has(to * this.count + from);
    if (both && from > to) return ""; // drawn once, without a head
    const { x, y, x2, y2, dx, dy } = this.way(from, to);
    const line = `M${x.toFixed(1)} ${y.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`;
    return heads && this.data.heads && !both ? line + this.head(x2, y2, dx, dy, Math.max(6, this.radius * 0.55)) : line;
  }

  // In a dense graph the edges of the current node stand out.
  drawNear(node) {
    if (!this.dense || this.nearNode === node) return;
    this.nearNode = node;
    const { edges } = this.data;
    const pieces = [];
    for (let k = 0; k < edges.length; k += 2) if (edges[k] === node || edges[k + 1] === node) pieces.push(this.edge(edges[k], edges[k + 1], true));
    this.near.setAttribute("d", pieces.join(""));
  }

  head(x, y, dx, dy, size) {
    const side = (turn) => `${(x - size * (dx - turn * dy * 0.55)).toFixed(1)} ${(y - size * (dy + turn * dx * 0.55)).toFixed(1)}`;
    return `M${side(1)}L${x.toFixed(1)} ${y.toFixed(1)}L${side(-1)}`;
  }

  drawNodes(layer) {
    const { inside } = this;
    const names = this.placeNames();
    this.above = names.map(({ above }) => above);
    this.nodes = this.data.names.map((name, node) => {
      const [x, y] = this.place(node);
      const group = svg("g", { class: "node", transform: `translate(${x} ${y})` }, layer);
      const shape = svg("path", { class: "shape", d: this.outlines[0] }, group);
      const cross = svg("path", { class: "cross", d: this.crossAt(-this.radius, -this.radius) }, group);
      const size = this.nameSize();
      const { words, down, middle, crowded } = names[node];
      const label = svg("text", { x: middle, y: down, "font-size": size, class: inside ? "name inside" : "name" }, group);
      label.textContent = words;
      if (crowded) label.classList.add("crowded"); // is shown where the mouse is
      const extra = this.extras.length ? svg("text", { class: "extra", x: this.radius * 1.2, y: -this.radius * 0.9, "font-size": this.font * 0.7 }, group) : null;
      const note = this.notes[node];
      if (note) this.writeNote(group, elided(note, 10), x);
      svg("title", {}, group).textContent = note ? `${name}: ${note}` : name;
      group.addEventListener("click", () => this.select(node));
      return { group, shape, cross, extra };
    });
  }

  // The sign of a mistake, at the upper left of its node: a name in the node stays legible.
  crossAt(x, y) {
    const arm = Math.max(3.5, Math.min(6, this.radius * 0.4));
    return `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
  }

  // What a node has beside its name: at its right, or at its left if that is outside of the picture; in a text, below it.
  writeNote(group, note, x) {
    const below = this.data.layout === "text";
    const apart = below ? Math.abs((this.places[1]?.[0] ?? Infinity) - this.places[0][0]) : Infinity;
    const longest = Math.max(...this.notes.map((one) => one.length));
    const size = Math.max(6, Math.min(this.font * (below ? 1.15 : 0.85), apart / (0.62 * longest)));
    const beside = this.radius * 1.7; // outside of the ring
    const left = x + beside + note.length * size * 0.6 > this.width;
    const place = below ? { class: "extra middle", x: 0, y: this.radius * 1.75 + size * 0.9 } : { class: left ? "note end" : "note", x: left ? -beside : beside, y: this.radius * 1.4 };
    svg("text", { ...place, "font-size": size }, group).textContent = note;
  }

  // How large names are: those in nodes fit into them, but stay legible.
  nameSize() {
    return this.inside ? Math.max(8, Math.min(this.font, this.radius)) : this.font;
  }

  // Where the names are: above or below their nodes, where the fewest edges, nodes and other names are in the way; a name that
  // would cover another is shortened. In large graphs a name for which there is no room is hidden.
  placeNames() {
    if (this.inside) return this.labels.map((words) => ({ words, above: false, middle: 0, down: this.nameSize() * 0.36 }));
    const many = this.count > 40;
    const preferred = this.namesAbove();
    const size = this.font;
    const taken = [];
    const overlap = (a, b) => Math.abs(a.x - b.x) < a.half + b.half && Math.abs(a.y - b.y) < (a.high + b.high) / 2;
    const onNodes = (box, own) => this.places.filter(([x, y], node) => node !== own && overlap(box, { x, y, half: this.radius * 1.3, high: this.radius * 2.6 })).length;
    return this.labels.map((name, node) => {
      const [x, y] = this.place(node);
      const choices = (many ? [8] : [16, 8]).flatMap((longest) => {
        const words = shortName(name, longest);
        const half = 0.3 * size * Array.from(words).length;
        const middle = half < this.width / 2 ? Math.max(half - x, Math.min(this.width - half - x, 0)) : 0;
        const sides = this.data.layout === "times" ? [false] : [preferred[node], !preferred[node]]; // above is another line of time
        return sides.map((above) => {
          const down = above ? -this.radius * 1.75 - APART - 3 : this.radius * 1.75 + size * 0.9 + APART;
          const box = { x: x + middle, y: y + down - 0.35 * size, half, high: size };
          const covered = taken.filter((other) => overlap(box, other)).length;
          const cost = 9 * covered + (longest === 8 && words !== name ? 4 : 0) + (many ? 0 : 6 * onNodes(box, node) + 2 * this.crossed(box));
          return { words, above, down, middle, box, cost, crowded: many && covered > 0 };
        });
      });
      const best = choices.reduce((a, b) => (b.cost < a.cost ? b : a));
      if (!best.crowded) taken.push(best.box);
      return best;
    });
  }

  // How many edges lie behind a box.
  crossed({ x, y, half, high }) {
    const { edges } = this.data;
    let found = 0;
    for (let k = 0; k < edges.length; k += 2) {
      const [[a, b], [c, d]] = [this.place(edges[k]), this.place(edges[k + 1])];
      // From where to where on the line, from 0 to 1, an axis is inside of the box.
      const span = (from, to, low, up) => {
        if (from === to) return from > low && from < up ? [0, 1] : [1, 0];
        const ends = [(low - from) / (to - from), (up - from) / (to - from)];
        return [Math.min(...ends), Math.max(...ends)];
      };
      const [across, down] = [span(a, c, x - half, x + half), span(b, d, y - high / 2, y + high / 2)];
      if (Math.max(across[0], down[0], 0) < Math.min(across[1], down[1], 1)) found++;
    }
    return found;
  }

  // Whether a node's name is rather above it: most of its neighbours are below. In a tree, one child is enough.
  namesAbove() {
    const least = this.data.layout === "tree" ? 0 : 0.7;
    const down = new Array(this.count).fill(0);
    const { edges } = this.data;
    for (let k = 0; k < edges.length; k += 2) {
      const { dy } = this.way(edges[k], edges[k + 1]);
      down[edges[k]] += dy;
      down[edges[k + 1]] -= dy;
    }
    return down.map((sum) => !this.inside && sum > least);
  }

  // The first pointer, what the call is about, is the current node: a halo. Every other is an arrow from there. All have a tag with their names.
  drawArrows(layer) {
    this.arrows = this.pointers.slice(1).map((field, k) => ({ field, path: svg("path", { class: `arrow p${(k + 1) % ARROWS}` }, layer) }));
    this.tags = this.makeTags(layer, this.pointers.length);
  }

  // Redraws the touched nodes, and the pointers, of which there are few.
  draw(replay, truth, touched) {
    for (const node of touched) this.drawNode(node, replay, truth);
    this.drawPointers(replay, truth);
  }

  drawNode(node, replay, truth) {
    const { group, shape, extra } = this.nodes[node];
    const value = this.state ? replay.nodes[this.state.name][node] : 0;
    const wrong = this.wrongNode(node, replay, truth);
    const look = `node c${value % HUES}${wrong ? " wrong" : ""}`;
    if (group.getAttribute("class") !== look) {
      group.setAttribute("class", look);
      shape.setAttribute("d", this.outlines[value % OUTLINES.length]);
    }
    if (extra) setText(extra, this.extraText(node, replay));
    Object.entries(this.tree).forEach(([output, edges], k) => {
      this.drawTreeEdge(edges, node, replay.outputs[output][node], truth?.outputs[output]?.[node], this.onward.has(output), k % 2 === 1);
    });
  }

  drawTreeEdge(edges, node, from, trueFrom, onward, second) {
    const shown = from !== NOTHING && from !== node && from < this.count;
    if (!shown && !edges[node]) return;
    const edge = (edges[node] ??= svg("path", {}, this.treeLayer));
    edge.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const ends = onward ? [node, from] : [from, node];
    edge.setAttribute("class", `branch${second ? " second" : ""}${trueFrom !== undefined && trueFrom !== NOTHING && trueFrom !== from ? " wrong" : ""}`);
    edge.setAttribute("d", this.link(...ends, 1.4, Math.min(9, this.radius * 0.75)));
  }

  // The line of an output between two nodes, with a head unless its size is 0. In a line of text it is a bow over the nodes between.
  link(from, to, gap, head) {
    const [[a, line], [b, other]] = [this.place(from), this.place(to)];
    if (this.data.layout === "text" && line === other) {
      const top = line - this.radius * 1.15;
      const middle = [(a + b) / 2, top - Math.min(76, 12 + 0.28 * Math.abs(b - a))];
      const last = Math.hypot(b - middle[0], top - middle[1]) || 1;
      return `M${a} ${top}Q${middle[0]} ${middle[1]} ${b} ${top}` + (head ? this.head(b, top, (b - middle[0]) / last, (top - middle[1]) / last, head) : "");
    }
    const { x, y, x2, y2, dx, dy } = this.way(from, to, gap, 1);
    return `M${x} ${y}L${x2} ${y2}` + (head ? this.head(x2, y2, dx, dy, head) : "");
  }

  drawPointers(replay, truth) {
    if (!this.pointers.length) return this.halo.setAttribute("visibility", "hidden");
    const current = replay.value(this.pointers[0].name);
    const there = current >= 0 && current < this.count;
    this.drawNear(there ? current : NOTHING);
    this.halo.setAttribute("visibility", there ? "visible" : "hidden");
    if (there) this.halo.setAttribute("transform", `translate(${this.place(current).join(" ")})`);
    this.arrows.forEach(({ field, path }, k) => {
      const to = replay.value(field.name);
      const shown = there && to !== current && to >= 0 && to < this.count;
      path.setAttribute("visibility", shown ? "visible" : "hidden");
      if (shown) path.setAttribute("d", this.bow(current, to, k % 2 ? -1 : 1));
    });
    const tags = this.tagged(replay, truth);
    const taken = [];
    this.tags.forEach((tag, k) => {
      tag.group.setAttribute("visibility", k < tags.length ? "visible" : "hidden");
      if (k >= tags.length) return;
      const [node, { names, wrong }] = tags[k];
      const [x, y] = this.place(node);
      const width = this.writeTag(tag, names.join(", "), wrong ? "tag wrong" : "tag");
      const inward = Math.max(width / 2, Math.min(this.width - width / 2, x)); // not over the margin
      const free = (level) => taken.every((other) => Math.abs(other.x - inward) > (other.width + width) / 2 || Math.abs(other.y - level) > TAG * 1.5);
      const away = this.radius * 1.75 + TAG * 0.85;
      const beyond = this.inside ? 0 : this.font * 1.3 + APART; // the other side of a name
      const levels = this.above[node] ? [y + away, y - away - TAG] : [y - away, y + away + beyond];
      const level = free(levels[0]) ? levels[0] : levels[1]; // where the name is not, or there if another tag is in the way
      taken.push({ x: inward, y: level, width });
      tag.group.setAttribute("transform", `translate(${inward} ${level})`);
    });
  }

  legend() {
    const pointers = this.pointers.map((field, k) => [
      field.about ? `${field.name}: ${field.about}` : field.name,
      (picture) => {
        if (k === 0) svg("path", { class: "halo", d: circle(14) }, picture);
        else svg("path", { class: `arrow p${k % ARROWS}`, d: "M-15 6Q0 -12 14 2M5 0L14 2L15 -8" }, picture);
      },
    ]);
    const trees = this.trace.collect
      .filter(({ kind }) => kind === "pointer")
      .map(({ output }, k) => [`${output}: output so far`, (picture) => svg("path", { class: k % 2 ? "branch second" : "branch", d: "M-16 0H15M7 -7L15 0L7 7" }, picture)]);
    return [...super.legend(), ...pointers, ...trees];
  }

  // The answer: groups by colour and shape, highlighted nodes and edges, places in an order, words.
  drawAnswer(answer) {
    const wrong = this.wrongOutputs();
    const group = new Map(answer.groups.flatMap((nodes, k) => nodes.map((node) => [node, k])));
    const hit = new Set(answer.nodes);
    this.nodes.forEach(({ group: element, shape, extra }, node) => {
      const k = group.get(node);
      const look = k !== undefined ? `g${k % HUES}` : hit.has(node) ? "hit" : "c0";
      element.setAttribute("class", `node ${look}${wrong.has(node) ? " wrong" : ""}`);
      shape.setAttribute("d", this.outlines[k !== undefined ? k % OUTLINES.length : hit.has(node) ? 1 : 0]);
      if (extra) setText(extra, "");
    });
    for (const element of [this.treeLayer, this.pointerLayer, this.halo, this.near]) element.setAttribute("display", "none");
    this.edgeLayer.setAttribute("class", answer.edges.length ? "edges behind" : "edges");
    for (const [from, to] of answer.edges) this.drawAnswerEdge(from, to, answer.arrows, wrong.has(to));
    answer.order.forEach((node, k) => {
      const [x, y] = this.place(node);
      const size = Math.max(8, this.radius * 0.62);
      const place = this.radius < 9 ? [x, y] : [x + this.radius, y - this.radius]; // a small node is covered by its number alone
      this.badge(this.answerLayer, ...place, String(k + 1), size);
    });
    const labelled = this.radius >= 9 ? Object.entries(answer.labels) : []; // where nodes are small, labels would cover others
    for (const [node, words] of labelled) {
      const [x, y] = this.place(Number(node));
      const [tag] = this.makeTags(this.answerLayer, 1);
      tag.group.setAttribute("visibility", "visible");
      const width = this.writeTag(tag, words, "tag answer");
      const side = !this.inside && words.length <= 2 ? 0 : this.above[node] ? 1 : -1; // a short one is in the node
      tag.group.setAttribute("transform", `translate(${Math.max(width / 2, Math.min(this.width - width / 2, x))} ${y + side * (this.radius * 1.5 + TAG * 0.85)})`);
    }
  }

  drawAnswerEdge(from, to, arrows, wrong) {
    if (from === to) return;
    const d = this.link(from, to, arrows ? 1.3 : 1, arrows ? Math.min(10, this.radius * 0.8) : 0);
    this.treeLayer.before(svg("path", { class: `branch answer${this.count > 40 ? " many" : ""}${wrong ? " wrong" : ""}`, d, "data-answer": "" }));
  }

  leaveAnswer() {
    for (const element of [this.treeLayer, this.pointerLayer, this.halo, this.near]) element.removeAttribute("display");
    this.edgeLayer.setAttribute("class", "edges");
    this.answerLayer.replaceChildren();
    for (const edge of this.element.querySelectorAll("[data-answer]")) edge.remove();
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

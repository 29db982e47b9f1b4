// The drawing of numbers as bars: their state by colour, the row's pointers as tags below, the answer as bars in order.

class BarDrawing extends TraceDrawing {
  fit(width, height) {
    const { element } = this;
    this.width = width;
    this.foot = height - 26 - this.levels() * TAG * 1.7; // tags are below
    this.tall = this.foot - 40;
    this.step = Math.min(84, (width - 12) / this.count);
    this.left = (width - this.step * this.count) / 2;
    this.thick = Math.max(2, this.step * (this.step > 14 ? 0.72 : 0.9));
    element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    element.replaceChildren();
    svg("path", { class: "baseline", d: `M${this.left - 4} ${this.foot + 0.5}H${width - this.left + 4}` }, element);
    const layer = svg("g", { class: "bars" }, element);
    const size = Math.max(9, Math.min(15, this.step * 0.42));
    const labelled = this.step >= 13;
    this.nodes = this.data.names.map((name, node) => {
      const group = svg("g", { class: "node bar" }, layer);
      const bar = 3 + this.tall * this.data.heights[node];
      const shape = svg("rect", { class: "shape", x: -this.thick / 2, y: -bar, width: this.thick, height: bar, rx: Math.min(4, this.thick / 4) }, group);
      svg("path", { class: "cross", d: `M-7 ${-bar / 2 - 7}l14 14m0 -14l-14 14` }, group);
      const label = svg("text", { class: "name", y: -bar - 9, "font-size": size }, group);
      if (labelled) label.textContent = shortNumber(name, Math.max(3, Math.floor(this.step / (size * 0.55))));
      const extra = svg("text", { class: "extra middle", y: -bar - 11 - size, "font-size": Math.max(8, size * 0.8) }, group);
      const before = svg("text", { class: "before", y: 15, "font-size": Math.min(11, size) }, group);
      svg("title", {}, group).textContent = name;
      group.addEventListener("click", () => this.select(node));
      return { group, shape, extra, before };
    });
    this.put(this.data.names.map((_, node) => node));
    this.tags = this.makeTags(svg("g", { class: "pointers" }, element), this.pointers.length);
    this.halo = svg("rect", { class: "halo", rx: 6, visibility: "hidden" }, element);
  }

  // How many lines the tags may need.
  levels() {
    return Math.min(4, this.pointers.length);
  }

  x(place) {
    return this.left + this.step * (place + 0.5);
  }

  // Puts the bars into an order: the first node of the list is the leftmost.
  put(order) {
    order.forEach((node, place) => this.nodes[node].group.style.setProperty("transform", `translate(${this.x(place)}px, ${this.foot}px)`));
  }

  // The bar at a place of the picture, and how high that is, from 0 to 1.
  at(x, y) {
    const node = Math.floor((x - this.left) / this.step);
    return { node: node >= 0 && node < this.count ? node : NOTHING, height: (this.foot - y) / this.tall };
  }

  draw(replay, truth, touched) {
    for (const node of touched) this.drawNode(node, replay, truth);
    this.drawPointers(replay, truth);
  }

  drawNode(node, replay, truth) {
    const { group, extra, before } = this.nodes[node];
    const value = this.state ? replay.nodes[this.state.name][node] : 0;
    group.setAttribute("class", `node bar c${value % HUES}${this.wrongNode(node, replay, truth) ? " wrong" : ""}`);
    setText(extra, this.extraText(node, replay));
    const collected = Object.values(replay.outputs)[0]?.[node] ?? NOTHING;
    setText(before, collected === NOTHING || this.step < 26 ? "" : collected === node ? "first" : `↤ ${shortNumber(this.data.names[collected], 5)}`);
  }

  drawPointers(replay, truth) {
    const tags = this.tagged(replay, truth);
    const current = this.pointers.length ? replay.value(this.pointers[0].name) : NOTHING;
    this.halo.setAttribute("visibility", current >= 0 ? "visible" : "hidden");
    if (current >= 0) {
      const bar = 3 + this.tall * this.data.heights[current];
      const place = { x: this.x(current) - this.thick / 2 - 4, y: this.foot - bar - 4, width: this.thick + 8, height: bar + 8 };
      for (const [name, value] of Object.entries(place)) this.halo.setAttribute(name, value);
    }
    const taken = [];
    this.tags.forEach((tag, k) => {
      tag.group.setAttribute("visibility", k < tags.length ? "visible" : "hidden");
      if (k >= tags.length) return;
      const [node, { names, wrong }] = tags[k];
      const width = this.writeTag(tag, names.join(", "), wrong ? "tag wrong" : "tag");
      const x = Math.max(width / 2, Math.min(this.width - width / 2, this.x(node)));
      let level = 0;
      while (taken.some((other) => other.level === level && Math.abs(other.x - x) < (other.width + width) / 2 + 3)) level++;
      taken.push({ x, width, level });
      tag.group.setAttribute("transform", `translate(${x} ${this.foot + 32 + level * TAG * 1.7})`);
    });
  }

  sample(picture, kind) {
    svg("rect", { class: "shape", x: -7, y: -13, width: 14, height: 26, rx: 3 }, svg("g", { class: `node bar c${kind % HUES}` }, picture));
  }

  legend() {
    const pointers = this.pointers.map((field, k) => [
      field.about && field.about !== field.name ? `${field.name}: ${field.about}` : field.name,
      (picture) => (k === 0 ? svg("rect", { class: "halo", x: -9, y: -14, width: 18, height: 28, rx: 5 }, picture) : svg("rect", { class: "tagbox", x: -13, y: -8, width: 26, height: 16, rx: 5 }, picture)),
    ]);
    const outputs = this.trace.collect.slice(0, 1).map(({ output }) => [`${output}: output so far`, (picture) => (svg("text", { class: "before", y: 8, "font-size": 24 }, picture).textContent = "↤")]);
    return [...super.legend(), ...pointers, ...outputs, ...this.scaleWords()];
  }

  // Says of a picture of ranks that it is one.
  answerLegend(answer) {
    return [...super.answerLegend(answer), ...this.scaleWords()];
  }

  scaleWords() {
    return this.data.ranks ? [["heights: ranks, since the numbers differ by so much", () => {}]] : [];
  }

  hitSample(picture) {
    svg("rect", { class: "shape", x: -7, y: -13, width: 14, height: 26, rx: 3 }, svg("g", { class: "node bar hit" }, picture));
  }

  drawAnswer(answer) {
    const wrong = this.wrongOutputs();
    const hit = new Set(answer.order.length ? answer.order : answer.nodes);
    this.nodes.forEach(({ group, extra, before }, node) => {
      group.setAttribute("class", `node bar ${hit.has(node) ? "hit" : "c0"}${wrong.has(node) ? " wrong" : ""}`);
      setText(extra, "");
      setText(before, answer.labels[node] ?? "");
    });
    for (const { group } of this.tags) group.setAttribute("visibility", "hidden");
    this.halo.setAttribute("visibility", "hidden");
    if (answer.order.length) this.put(answer.order);
  }

  leaveAnswer() {
    this.put(this.data.names.map((_, node) => node));
  }
}

const DRAWINGS = { graph: GraphDrawing, tree: GraphDrawing, text: GraphDrawing, times: GraphDrawing, bars: BarDrawing };

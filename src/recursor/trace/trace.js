// The page: panes on one clock, moved by buttons, keys and the timeline.

class Pane {
  constructor(data, trace, several) {
    this.data = data;
    this.trace = trace;
    this.element = document.getElementById("pane").content.firstElementChild.cloneNode(true);
    const find = (selector) => this.element.querySelector(selector);
    this.replay = new Replay(trace, data.names.length);
    this.truth = trace.truth ? new Replay(trace.truth, data.names.length) : null;
    this.wrong = new Set(trace.wrong ?? []);
    this.telling = new Telling(data, trace);
    find(".label").hidden = !several;
    setText(find(".label"), `${trace.label}: ${verdict(trace)}`);
    this.drawing = new Drawing(find(".graph"), data, trace, (node) => this.select(node));
    this.stack = new StackPanel(find(".stack"), this.telling, trace.ops.length > 0);
    const [row, node] = this.element.querySelectorAll(".values");
    this.values = new ValueTable(row, this.telling, data.near, this.truth !== null);
    this.nodeValues = new ValueTable(node, this.telling, data.near, this.truth !== null);
    this.source = new SourcePanel(find(".source"), data.source);
    this.graphFields = trace.fields.filter((field) => field.place === "graph");
    this.nodeFields = trace.fields.filter((field) => field.place === "node");
    this.op = find(".op");
    this.sentence = find(".sentence");
    this.number = find(".number");
    this.happening = find(".happening");
    this.graph = find(".graph");
    this.which = find(".which");
    data.names.forEach((name, k) => {
      const option = html("option", "", elided(name, 30));
      option.value = k;
      option.title = name;
      this.which.append(option);
    });
    this.which.addEventListener("change", () => this.select(Number(this.which.value)));
    this.selected = 0;
    this.legend(find(".legend"));
  }

  legend(element) {
    const { drawing } = this;
    const entry = (text, draw) => {
      const item = html("span", "item");
      const picture = svg("svg", { viewBox: "-18 -18 36 36" }, item);
      draw(picture);
      item.append(html("span", "", text));
      element.append(item);
    };
    const words = drawing.state?.words ?? [];
    words.slice(0, HUES).forEach((text, k) => {
      entry(text, (picture) => {
        const group = svg("g", { class: `node c${k}` }, picture);
        svg("path", { class: "shape", d: OUTLINES[k](11) }, group);
      });
    });
    drawing.pointers.forEach((field, k) => {
      const text = field.about ? `${field.name}: ${field.about}` : field.name;
      entry(text, (picture) => {
        if (k === 0) svg("path", { class: "halo", d: circle(14) }, picture);
        else svg("path", { class: `arrow p${k % 4}`, d: "M-15 6Q0 -12 14 2M5 0L14 2L15 -8" }, picture);
      });
    });
    for (const { output, kind } of this.trace.collect) {
      if (kind === "pointer") entry(`${output}: output so far`, (picture) => svg("path", { class: "branch", d: "M-16 0H15M7 -7L15 0L7 7" }, picture));
    }
  }

  select(node) {
    this.selected = node;
    this.which.value = node;
    this.drawNodeValues();
  }

  begin() {
    this.fit();
    new ResizeObserver(() => this.fit()).observe(this.graph);
    this.panels();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.graph;
    if (!width || !height || (width === this.width && height === this.height)) return;
    [this.width, this.height] = [width, height];
    this.drawing.fit(width, height);
    this.drawing.draw(this.replay, this.truth, this.drawing.all());
  }

  // Goes to a row; only what changes on the way is drawn again.
  show(row) {
    const touched = this.replay.move(row);
    if (this.truth) for (const node of this.truth.move(row)) touched.add(node);
    this.drawing.draw(this.replay, this.truth, touched);
    this.panels();
  }

  panels() {
    const { replay, truth, telling } = this;
    const op = { 0: "pop", 1: "noop", 2: "push" }[this.trace.ops[replay.row]] ?? "";
    setText(this.op, op);
    this.op.className = `op ${op}`;
    const wrong = this.wrong.has(replay.row);
    setText(this.sentence, telling.happening(replay) + (wrong ? " ✗ a mistake" : ""));
    this.happening.classList.toggle("wrong", wrong);
    setText(this.number, `${replay.row} of ${replay.length - 1}`);
    this.graph.setAttribute("aria-label", `The graph in row ${replay.row}. ${telling.happening(replay)}`);
    this.stack.draw(replay);
    const truthRow = truth && truth.row === replay.row ? truth.row : undefined;
    const entries = this.graphFields.map((field) => [field, replay.value(field.name), truthRow === undefined ? undefined : truth.value(field.name)]);
    this.values.draw([...entries, ...this.wrongNodes(truthRow)]);
    this.source.draw(this.trace.lines[replay.row], wrong);
    this.drawNodeValues();
  }

  // Node fields are in the drawing; here are only the values that are wrong.
  wrongNodes(truthRow) {
    if (truthRow === undefined) return [];
    const { replay, truth, data } = this;
    return this.nodeFields.flatMap((field) => {
      const [values, trueValues] = [replay.nodes[field.name], truth.nodes[field.name]];
      const wrong = [...data.names.keys()].filter((node) => !same(field, values[node], trueValues[node], data.near));
      const tell = (given, last) => [...wrong.slice(0, 3).map((node) => `${elided(data.names[node], 8)}: ${this.telling.value(field, given[node])}`), ...(wrong.length > 3 ? [last] : [])].join(", ");
      const more = `and at ${wrong.length - 3} more`;
      return wrong.length ? [[{ ...field, kind: "text" }, tell(values, more), tell(trueValues, "…")]] : [];
    });
  }

  drawNodeValues() {
    const { replay, truth } = this;
    const entries = this.nodeFields.map((field) => [field, replay.nodes[field.name][this.selected], truth?.nodes[field.name][this.selected]]);
    for (const { output, kind } of this.trace.collect) {
      const field = { name: output, kind, words: ["no", "yes"], about: "the output so far" };
      const [value, truly] = [replay, truth].map((side) => side?.outputs[output][this.selected]);
      entries.push([field, ...[value, truly].map((found) => (found === NOTHING ? undefined : found))]);
    }
    this.nodeValues.draw(entries);
  }
}

function verdict(trace) {
  const rows = `${trace.lines.length} rows`;
  const halt = trace.told ? `was told to stop after ${rows}` : trace.halted ? `halted by itself after ${rows}` : `did not halt within ${rows}`;
  if (!trace.wrong) return halt;
  if (!trace.wrong.length) return `${halt}; every row is the classical algorithm's`;
  const differing = trace.wrong.length === 1 ? "1 row differs" : `${trace.wrong.length} rows differ`;
  const nodes = Object.values(trace.wrongOutputs).reduce((sum, wrong) => sum + wrong.length, 0);
  return `${halt}; ${differing} from the classical algorithm's; the output is ${nodes ? `wrong at ${nodes} node${nodes > 1 ? "s" : ""}` : "right"}`;
}

class Page {
  constructor(data) {
    this.data = data;
    const several = data.traces.length > 1;
    const panes = document.getElementById("panes");
    panes.classList.toggle("two", several);
    this.panes = data.traces.map((trace) => new Pane(data, trace, several));
    panes.append(...this.panes.map((pane) => pane.element));
    if (several) {
      const [legend, ...others] = panes.querySelectorAll(".legend");
      for (const other of others) other.remove();
      panes.append(legend); // one for both
    }
    this.rows = Math.max(...this.panes.map((pane) => pane.replay.length));
    this.row = 0;
    this.playing = false;
    setText(document.getElementById("title"), `${data.algorithm}: ${data.title}`);
    const edges = data.edges.length / 2;
    setText(document.getElementById("subtitle"), `${data.names.length} nodes, ${edges} edges; executed by ${data.traces.map((trace) => (trace.truth ? `the network ${trace.label}` : trace.label)).join(" and by ")}`);
    this.drawVerdict(several);
    this.clock = document.getElementById("clock");
    this.timeline = new Timeline(document.getElementById("timeline"), data, this.panes.map((pane) => pane.replay), this.rows, (row) => this.go(row));
    this.controls();
    this.jumps(several);
    for (const pane of this.panes) pane.begin();
    this.drawClock();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  drawVerdict(several) {
    const element = document.getElementById("verdict");
    if (several) {
      const { difference } = this.data;
      setText(element, difference === null ? "✓ both do the same in every row" : `≠ they first differ in row ${difference}`);
      element.className = difference === null ? "right" : "differ";
      return;
    }
    const [trace] = this.data.traces;
    const right = trace.halted && !trace.wrong?.length;
    setText(element, `${right ? "✓" : "✗"} ${verdict(trace)}`);
    element.className = right ? "right" : "wrong";
  }

  controls() {
    const on = (id, act) => document.getElementById(id).addEventListener("click", act);
    on("start", () => this.go(0));
    on("back", () => this.go(this.row - 1));
    on("forward", () => this.go(this.row + 1));
    on("end", () => this.go(this.rows - 1));
    on("play", () => this.play(!this.playing));
    this.playButton = document.getElementById("play");
    this.speed = document.getElementById("speed");
    const speeds = [1, 2, 4, 8, 16, 32, 60];
    const wanted = speeds.find((speed) => speed >= Math.max(2, this.rows / 25)) ?? 32;
    for (const speed of speeds) {
      const option = html("option", "", `${speed}/s`);
      option.value = speed;
      option.selected = speed === wanted;
      this.speed.append(option);
    }
  }

  jumps(several) {
    const place = document.getElementById("jumps");
    const add = (text, row, className) => {
      const button = html("button", className, text);
      button.addEventListener("click", () => this.go(row));
      place.append(button);
    };
    if (several && this.data.difference !== null) add(`≠ First difference: row ${this.data.difference}`, this.data.difference, "jump differ");
    for (const trace of this.data.traces) {
      if (trace.wrong?.length) add(`✗ First mistake${several ? ` of ${elided(trace.label, 16)}` : ""}: row ${trace.wrong[0]}`, trace.wrong[0], "jump wrong");
    }
    this.firstJump = place.querySelector("button");
  }

  go(row, playing = false) {
    if (!playing) this.play(false);
    const target = Math.max(0, Math.min(this.rows - 1, row));
    if (target === this.row) return;
    this.row = target;
    for (const pane of this.panes) pane.show(target);
    this.drawClock();
  }

  drawClock() {
    setText(this.clock, `${this.row} / ${this.rows - 1}`);
    const [pane] = this.panes;
    this.timeline.draw(this.row, `row ${this.row}, ${pane.replay.depths[pane.replay.row]} frames on the stack, ${pane.telling.happening(pane.replay)}`);
  }

  play(on) {
    if (this.playing === on) return;
    this.playing = on;
    if (on && this.row === this.rows - 1) this.go(0, true);
    this.playButton.setAttribute("aria-label", on ? "Pause" : "Play");
    this.playButton.querySelector("path").setAttribute("d", on ? "M5 3h4v14H5zM11 3h4v14h-4z" : "M5 3l12 7-12 7z");
    if (on) {
      let due = 0;
      let last = performance.now();
      const tick = (now) => {
        if (!this.playing) return;
        due += ((now - last) / 1000) * Number(this.speed.value);
        last = now;
        const rows = Math.floor(due);
        due -= rows;
        if (rows) this.go(this.row + rows, true);
        if (this.row === this.rows - 1) this.play(false);
        else requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const choosing = target instanceof HTMLSelectElement;
    const far = event.shiftKey ? 10 : 1;
    const acts = {
      ArrowRight: () => this.go(this.row + far),
      ArrowLeft: () => this.go(this.row - far),
      PageUp: () => this.go(this.row - 10),
      PageDown: () => this.go(this.row + 10),
      Home: () => this.go(0),
      End: () => this.go(this.rows - 1),
      m: () => this.firstJump?.click(),
      " ": () => this.play(!this.playing),
    };
    const act = acts[event.key];
    if (!act || choosing || (event.key === " " && target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    act();
  }
}

window.page = new Page(JSON.parse(document.getElementById("data").textContent));

// The page: panes on one clock, moved by buttons, keys and the timeline.

const SPEEDS = [1, 2, 4, 8, 16, 32, 60]; // rows a second
// What the op of a row does, for those who meet it for the first time.
const OPS = {
  push: "push: a call begins, and the caller waits on the stack",
  pop: "pop: a call returns, and the caller on top of the stack goes on",
  noop: "noop: the call goes on, and the stack stays as it is",
};

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
    const [kind, words] = trace.verdict ?? ["right", ""];
    this.element.classList.add(kind);
    this.element.classList.toggle("sketch", Boolean(trace.sketch));
    this.kind = kind;
    setText(find(".label"), `${trace.label}: ${words}`);
    this.drawing = new DRAWINGS[data.layout](find(".graph"), data, trace, (node) => this.select(node));
    this.stack = new StackPanel(find(".stack"), this.telling, trace.ops.length > 0);
    const [row, node] = this.element.querySelectorAll(".values");
    this.values = new ValueTable(row, this.telling, data.near, this.truth !== null, this.drawing.sign);
    this.nodeValues = new ValueTable(node, this.telling, data.near, this.truth !== null, this.drawing.sign);
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
    this.answered = false;
    this.legend = find(".legend");
    fillLegend(this.legend, this.drawing.legend());
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
    if (this.answered) this.drawing.drawAnswer(this.trace.answer);
  }

  // Goes to a row; only what changes on the way is drawn again.
  show(row) {
    if (this.answered) {
      this.answered = false;
      this.element.classList.remove("answered");
      this.drawing.leaveAnswer();
      fillLegend(this.legend, this.drawing.legend());
      this.replay.move(row);
      this.truth?.move(row);
      this.drawing.draw(this.replay, this.truth, this.drawing.all());
      this.panels();
      return;
    }
    const touched = this.replay.move(row);
    if (this.truth) for (const node of this.truth.move(row)) touched.add(node);
    this.drawing.draw(this.replay, this.truth, touched);
    this.panels();
  }

  // After the last row: the answer.
  showAnswer() {
    if (this.answered) return;
    this.show(this.replay.length - 1);
    this.answered = true;
    this.element.classList.add("answered");
    const { answer, verdict } = this.trace;
    this.drawing.drawAnswer(answer);
    fillLegend(this.legend, this.drawing.answerLegend(answer));
    setText(this.op, "answer");
    this.op.title = "";
    this.op.className = `op answer ${this.kind}`;
    const right = this.kind === "wrong" && this.trace.correction ? ` ✗ wrong; ${this.trace.correction}` : "";
    setText(this.sentence, answer.sentence + right);
    this.happening.classList.toggle("wrong", this.kind === "wrong");
    this.graph.setAttribute("aria-label", `The answer: ${answer.sentence}. ${verdict?.[1] ?? ""}`);
  }

  // The classical value of a graph field: null for one that the network found itself, such as ops that nobody told it.
  trueValue(name, row) {
    if (row === undefined) return undefined;
    return name in this.truth.trace.graph ? this.truth.value(name) : null;
  }

  panels() {
    const { replay, truth, telling } = this;
    const op = { 0: "pop", 1: "noop", 2: "push" }[this.trace.ops[replay.row]] ?? "";
    setText(this.op, op);
    this.op.className = `op ${op}`;
    this.op.title = OPS[op] ?? "";
    const wrong = this.wrong.has(replay.row);
    if (this.trace.sketch) return setText(this.sentence, this.trace.label); // a graph that has not been executed
    setText(this.sentence, telling.happening(replay) + (wrong ? (this.kind === "near" ? " ≠ differs from the classical row" : " ✗ a mistake") : ""));
    this.happening.classList.toggle("wrong", wrong);
    setText(this.number, `${replay.row} of ${replay.length - 1}`);
    this.graph.setAttribute("aria-label", `The graph in row ${replay.row}. ${telling.happening(replay)}`);
    this.stack.draw(replay);
    const truthRow = truth && truth.row === replay.row ? truth.row : undefined;
    const entries = this.graphFields.map((field) => [field, replay.value(field.name), this.trueValue(field.name, truthRow)]);
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
    for (const { output, kind, words } of this.trace.collect) {
      const field = { name: output, kind, words, about: "the output so far" };
      const [value, truly] = [replay, truth].map((side) => side?.outputs[output][this.selected]);
      entries.push([field, ...[value, truly].map((found) => (found === NOTHING ? undefined : found))]);
    }
    this.nodeValues.draw(entries);
  }
}

// The page: one trace or two, which share a clock. Its last moment, after all rows, is the answer.
class Page {
  constructor() {
    this.panes = [];
    this.rows = 0;
    this.playing = false;
    this.clock = document.getElementById("clock");
    this.controls();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  show(data) {
    this.play(false);
    this.data = data;
    const several = data.traces.length > 1;
    const panes = document.getElementById("panes");
    panes.classList.toggle("two", several);
    this.panes = data.traces.map((trace) => new Pane(data, trace, several));
    panes.replaceChildren(...this.panes.map((pane) => pane.element));
    if (several) {
      const [legend, ...others] = panes.querySelectorAll(".legend");
      for (const other of others) other.remove();
      panes.append(legend); // one for both
    }
    this.rows = Math.max(...this.panes.map((pane) => pane.replay.length));
    this.row = 0;
    this.speeds();
    const networks = data.traces.map((trace) => (trace.truth ? `the network ${trace.label}` : trace.label)).join(" and by ");
    const what = data.title === data.algorithm ? data.size : `${data.algorithm} · ${data.size}`;
    setText(document.getElementById("subtitle"), `${what} · executed by ${networks}`);
    this.drawVerdict(several);
    this.timeline = new Timeline(document.getElementById("timeline"), data, this.panes.map((pane) => pane.replay), this.rows, (row) => this.go(row));
    this.jumps(several);
    for (const pane of this.panes) pane.begin();
    this.drawClock();
  }

  drawVerdict(several) {
    const element = document.getElementById("verdict");
    if (several) {
      const { difference } = this.data;
      setText(element, difference === null ? "✓ both do the same in every row" : `≠ they first differ in row ${difference}`);
      element.className = difference === null ? "right" : "differ";
      return;
    }
    const [kind, words] = this.data.traces[0].verdict ?? ["right", "the classical algorithm"];
    setText(element, `${SIGNS[kind]} ${words}`);
    element.className = kind;
  }

  controls() {
    const on = (id, act) => document.getElementById(id).addEventListener("click", act);
    on("start", () => this.go(0));
    on("back", () => this.go(this.row - 1));
    on("forward", () => this.go(this.row + 1));
    on("end", () => this.go(this.rows));
    on("play", () => this.play(!this.playing));
    this.playButton = document.getElementById("play");
    this.speed = document.getElementById("speed");
    for (const speed of SPEEDS) {
      const option = html("option", "", `${speed}/s`);
      option.value = speed;
      this.speed.append(option);
    }
    this.speed.addEventListener("change", () => (this.chosen = true));
  }

  // Unless one was chosen, a speed at which the whole takes about half a minute.
  speeds() {
    if (!this.chosen) this.speed.value = SPEEDS.find((speed) => speed >= Math.max(2, this.rows / 25)) ?? 32;
  }

  jumps(several) {
    const place = document.getElementById("jumps");
    place.replaceChildren();
    const add = (text, row, className) => {
      const button = html("button", className, text);
      button.addEventListener("click", () => this.go(row));
      place.append(button);
    };
    if (several && this.data.difference !== null) add(`≠ First difference: row ${this.data.difference}`, this.data.difference, "jump differ");
    for (const trace of this.data.traces) {
      const of = several ? ` of ${elided(trace.label, 16)}` : "";
      if (trace.wrong?.length && trace.verdict[0] === "near") add(`≈ First row that differs${of}: ${trace.wrong[0]}`, trace.wrong[0], "jump near");
      else if (trace.wrong?.length) add(`✗ First mistake${of}: row ${trace.wrong[0]}`, trace.wrong[0], "jump wrong");
    }
    this.firstJump = place.querySelector("button");
  }

  go(row, playing = false) {
    if (!playing) this.play(false);
    const target = Math.max(0, Math.min(this.rows, row));
    if (target === this.row) return;
    this.row = target;
    for (const pane of this.panes) {
      if (target === this.rows) pane.showAnswer();
      else pane.show(target);
    }
    this.drawClock();
  }

  drawClock() {
    const [pane] = this.panes;
    const end = this.row === this.rows;
    setText(this.clock, end ? "Answer" : `${this.row} / ${this.rows - 1}`);
    this.clock.previousElementSibling.hidden = end; // there is no row of this name
    this.timeline.draw(this.row, end ? `the answer: ${pane.trace.answer.sentence}` : `row ${this.row}, ${pane.replay.depths[pane.replay.row]} frames on the stack, ${pane.telling.happening(pane.replay)}`);
  }

  play(on) {
    if (this.playing === on) return;
    this.playing = on;
    if (on && this.row === this.rows) this.go(0, true);
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
        if (this.row === this.rows) this.play(false);
        else requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.panes.length) return;
    const { target } = event;
    const choosing = target instanceof HTMLElement && target.matches("select, textarea, input:not([type=checkbox])");
    const far = event.shiftKey ? 10 : 1;
    const acts = {
      ArrowRight: () => this.go(this.row + far),
      ArrowLeft: () => this.go(this.row - far),
      PageUp: () => this.go(this.row - 10),
      PageDown: () => this.go(this.row + 10),
      Home: () => this.go(0),
      End: () => this.go(this.rows),
      m: () => this.firstJump?.click(),
      " ": () => this.play(!this.playing),
    };
    const act = acts[event.key];
    if (!act || choosing || (event.key === " " && target instanceof HTMLElement && target.matches("button, input"))) return;
    event.preventDefault();
    act();
  }
}

window.page = new Page();

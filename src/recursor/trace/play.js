// The page of `recursor play`: one canvas that is drawn on, written into and watched.

const PAUSE = 450; // milliseconds after the last change, before the network runs
const TOKEN = new URLSearchParams(location.search).get("token") ?? "";
const find = (id) => document.getElementById(id);

class Play {
  constructor({ models, algorithms }) {
    this.models = models;
    this.algorithms = algorithms;
    const names = [...new Set(Object.values(models))];
    fillOptions(find("algorithm"), names.map((name) => [name, algorithms[name].title]));
    find("algorithm").addEventListener("change", () => this.choose());
    find("model").addEventListener("change", () => this.run());
    find("example").addEventListener("click", () => this.example());
    find("clear").addEventListener("click", () => this.clear());
    find("add").addEventListener("click", () => this.addNumber());
    find("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    find("text").addEventListener("input", () => this.written());
    find("undirected").addEventListener("change", () => {
      this.sketch.undirected = find("undirected").checked;
      this.changed();
    });
    find("moving").addEventListener("change", () => this.cursor());
    find("value").addEventListener("change", () => this.setValue());
    const panes = find("panes");
    panes.addEventListener("pointerdown", (event) => this.down(event));
    panes.addEventListener("pointermove", (event) => this.move(event));
    panes.addEventListener("pointerup", (event) => this.up(event));
    panes.addEventListener("pointercancel", () => this.letGo());
    panes.addEventListener("dblclick", (event) => this.twice(event));
    this.choose();
  }

  get about() {
    return this.algorithms[find("algorithm").value];
  }

  // Another algorithm: a graph of one's own is kept if it can be, else its example is shown.
  choose() {
    const algorithm = find("algorithm").value;
    const names = Object.keys(this.models).filter((name) => this.models[name] === algorithm);
    fillOptions(find("model"), names.map((name) => [name, name]));
    find("models").hidden = names.length < 2;
    const { about } = this;
    const bars = about.layout === "bars";
    setText(find("summary"), about.summary);
    setText(find("text-help"), about.written ? "The text. Change it as you like." : bars ? "Numbers, with spaces between them." : "One edge a line, as two names.");
    setText(find("drawing-help"), about.written ? "" : bars ? "Drag a bar to change its number. Click a bar twice to remove it." : "Click for a node. Drag from one node to another for an edge, and again to remove it. Click a node twice to remove it.");
    find("graph-tools").hidden = bars || about.written;
    find("bar-tools").hidden = !bars;
    this.offerValue();
    const kept = this.edited && this.sketch?.nodes.length && !about.written && this.sketch.written === null && this.sketch.bars === bars && !Object.keys(about.values).length === !Object.keys(this.sketch.about.values).length;
    if (!kept) return this.example();
    this.sketch.about = about;
    this.changed();
  }

  example() {
    this.edited = false;
    this.offerValue();
    this.sketch = Sketch.example(this.about);
    this.write();
    this.draw();
    this.run();
  }

  clear() {
    this.edited = true;
    this.offerValue();
    this.sketch = new Sketch(this.about, find("undirected").checked);
    this.write();
    this.draw();
    this.run();
  }

  addNumber() {
    const number = Math.round(1 + 9 * Math.random());
    this.sketch.nodes.push({ name: String(number), number });
    this.changed();
  }

  write() {
    find("text").value = this.sketch.text();
    find("undirected").checked = this.sketch.undirected;
  }

  // The text was changed: the drawing follows, once for many changes at a time, such as the lines of a text that is put in.
  written() {
    this.edited = true;
    clearTimeout(this.reading);
    this.reading = setTimeout(() => this.read(), 0);
    this.later();
  }

  read() {
    const sketch = Sketch.read(find("text").value, this.about, find("undirected").checked, this.sketch);
    if (sketch) {
      this.sketch = sketch;
      find("undirected").checked = sketch.undirected;
      this.draw(sketch.written === null ? undefined : "the last text that was read");
    } else this.draw(`the last ${this.thing} that could be read`); // and no longer its answer
  }

  // The drawing was changed: the text follows.
  changed() {
    this.edited = true;
    this.write();
    this.draw();
    this.later();
  }

  draw(words = `your ${this.thing}`) {
    window.page.show(this.sketch.data(words));
    this.cursor();
  }

  cursor() {
    this.graph.classList.toggle("moves", find("moving").checked);
  }

  later() {
    clearTimeout(this.timer);
    this.stop();
    say("");
    this.timer = setTimeout(() => this.run(), PAUSE);
  }

  // Nobody waits for an answer to a graph that has changed since.
  stop() {
    this.asking?.abort();
    this.asking = null;
    find("save").hidden = true;
  }

  async run() {
    clearTimeout(this.timer);
    this.stop();
    const { sketch } = this;
    if (!find("text").value.trim()) return say(sketch.written !== null ? "Write a text." : sketch.bars ? "Write some numbers." : "Click on the canvas for a node, or write an edge.");
    const asking = (this.asking = new AbortController());
    const waiting = setTimeout(() => say("The network runs; the first graph of a size takes some seconds longer …"), 300);
    try {
      const request = { graph: find("text").value, undirected: find("undirected").checked, algorithm: find("algorithm").value, model: find("model").value };
      const answer = await ask("/run", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal: asking.signal });
      clearTimeout(waiting);
      if (this.asking !== asking) return;
      this.watch(answer, sketch);
    } catch (error) {
      if (this.asking === asking) say(error.message, "wrong");
    } finally {
      clearTimeout(waiting);
    }
  }

  watch({ data, page }, sketch) {
    if (sketch === this.sketch) sketch.adopt(data);
    window.page.show(data);
    this.cursor();
    const [kind, words] = data.traces[0].verdict ?? ["right", ""];
    say(`${SIGNS[kind]} ${data.size}; ${words}`, kind);
    find("save").href = `/page/${page}?token=${encodeURIComponent(TOKEN)}`;
    find("save").hidden = false;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) window.page.go(window.page.rows);
    else window.page.play(true);
  }

  get pane() {
    return window.page.panes[0];
  }

  // What is drawn or written.
  get thing() {
    return this.sketch.written !== null ? "text" : this.sketch.bars ? "numbers" : "graph";
  }

  get graph() {
    return this.pane.graph;
  }

  // Where a pointer is: the node there, and the place.
  at(event) {
    const box = this.graph.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const hit = this.pane.drawing.at(x, y);
    const name = this.pane.data.names[hit.node];
    const node = this.sketch.bars ? this.sketch.nodes[hit.node] : this.sketch.nodes.find((one) => one.name === name);
    return { ...hit, hit: hit.node, x, y, node };
  }

  down(event) {
    if (event.button || !(event.target instanceof Element) || !event.target.closest(".graph")) return;
    if (this.sketch.bars && this.pane.answered) this.draw(); // from the sorted order back to one's own
    const start = this.at(event);
    if (this.sketch.bars && !start.node) return;
    if (this.sketch.written !== null) return start.node && this.pane.select(start.hit);
    event.preventDefault();
    this.drag = { start, moved: false };
    find("panes").setPointerCapture(event.pointerId);
    if (!this.sketch.bars && !start.node) {
      if (event.shiftKey || find("moving").checked) return this.letGo();
      this.sketch.undirected = find("undirected").checked;
      this.drag.start.node = this.sketch.add(start.place);
      this.drag.added = true;
    }
  }

  move(event) {
    if (!this.drag) return;
    const { start } = this.drag;
    const now = this.at(event);
    if (Math.hypot(now.x - start.x, now.y - start.y) > 6) this.drag.moved = true;
    if (!this.drag.moved) return;
    if (this.sketch.bars) return this.moveBar(start.node, now.height);
    if (event.shiftKey || find("moving").checked) {
      const [x, y] = now.place;
      Object.assign(start.node, { x: Math.round(Math.max(0, Math.min(1350, x))), y: Math.round(Math.max(0, Math.min(1000, y))), placed: true });
      this.drag.kept = true;
      return this.draw();
    }
    if (!this.pen?.isConnected) this.pen = svg("path", { class: "pen" }, this.graph);
    this.pen.setAttribute("d", `M${start.x} ${start.y}L${now.x} ${now.y}`);
  }

  up(event) {
    if (!this.drag) return;
    const { start, moved, added, kept } = this.drag;
    const now = this.at(event);
    this.letGo();
    if (added) this.keepFresh(start.node);
    if (this.sketch.bars) {
      delete this.sketch.top;
      if (moved) this.changed();
      return;
    }
    if (kept) return this.changed();
    if (!moved) return added ? this.changed() : this.select(start.node);
    const to = now.node ?? this.sketch.add(now.place); // where there is no node yet, there is one now
    if (to !== start.node) this.sketch.join(start.node, to);
    this.changed();
  }

  keepFresh(node) {
    this.fresh = node;
    setTimeout(() => (this.fresh = null), 600);
  }

  letGo() {
    this.drag = null;
    this.pen?.remove();
  }

  // A bar is dragged: whole numbers where all are whole.
  moveBar(node, height) {
    const numbers = this.sketch.nodes.map((one) => one.number);
    const low = Math.min(0, ...numbers);
    this.sketch.top ??= Math.max(1, Math.max(...numbers) - low); // the scale is kept while it is dragged
    const exact = low + Math.max(0, Math.min(1.12, height)) * this.sketch.top;
    const whole = numbers.every(Number.isInteger);
    node.number = whole ? Math.round(exact) : Math.round(100 * exact) / 100;
    node.name = String(node.number);
    this.draw();
  }

  twice(event) {
    const { node, x, y } = this.at(event); // the event is that of the pane, which has captured the pointer
    if (x < 0 || y < 0 || x > this.graph.clientWidth || y > this.graph.clientHeight) return;
    if (!node || node === this.fresh || this.sketch.written !== null) return; // two clicks that made a node do not remove it
    this.sketch.remove(node);
    this.changed();
  }

  select(node) {
    const place = this.pane.data.names.indexOf(node.name);
    if (place >= 0) this.pane.select(place);
    const [name, words] = this.category;
    if (!words.length) return;
    this.valued = { node, name };
    find("value").hidden = false;
    setText(find("value-name"), `${name} of ${shortName(node.name)}`);
    fillOptions(find("value"), words.map((word, k) => [String(k), word]));
    find("value").value = String(node.values[name] ?? 0);
  }

  // What nodes have that is one of some words, such as the gates of a tree.
  get category() {
    return Object.entries(this.about.values).find(([, words]) => words.length) ?? ["", []];
  }

  // Says that such a value can be changed; where that is done has its room from the beginning.
  offerValue() {
    const [name] = this.category;
    find("value-tools").hidden = !name || this.about.written;
    find("value").hidden = true;
    setText(find("value-name"), `Click a node to change its ${name}.`);
  }

  setValue() {
    const { node, name } = this.valued;
    node.values[name] = Number(find("value").value);
    this.changed();
  }
}

function say(text, kind = "") {
  setText(find("message"), text);
  find("message").className = kind;
}

function fillOptions(select, options) {
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = html("option", "", text);
      option.value = value;
      return option;
    }),
  );
}

// Asks the server. Whatever fails becomes an error with a sentence.
async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, "X-Token": TOKEN } });
  } catch (error) {
    throw new Error(error.name === "AbortError" ? "stopped" : "The server does not answer; is recursor play still running?");
  }
  const answer = await response.json().catch(() => ({ error: `The server gave no answer (status ${response.status}).` }));
  if (answer.error) throw new Error(answer.error);
  return answer;
}

window.addEventListener("error", (event) => say(`This page made a mistake: ${event.message}`, "wrong"));
window.addEventListener("unhandledrejection", (event) => say(`This page made a mistake: ${event.reason?.message ?? event.reason}`, "wrong"));
ask("/models").then(
  (known) => (window.playground = new Play(known)),
  (error) => say(error.message, "wrong"),
);

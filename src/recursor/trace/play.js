"use strict";
// The page of `recursor play`: a drawing and a text of the same graph, and the trace page of its execution below.

const find = (id) => document.getElementById(id);
const RADIUS = 13;

function svg(tag, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

// The drawn graph: nodes with places, edges between them. Whatever is drawn is written into the text.
class Board {
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.clear();
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("dblclick", (event) => this.remove(this.at(this.place(event))));
  }

  clear() {
    this.nodes = [];
    this.edges = [];
    this.next = 1;
    this.from = null;
    this.draw();
  }

  place(event) {
    const matrix = this.element.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [Math.max(RADIUS, Math.min(400 - RADIUS, x)), Math.max(RADIUS, Math.min(260 - RADIUS, y))];
  }

  at([x, y]) {
    return this.nodes.find((node) => Math.hypot(node.x - x, node.y - y) <= RADIUS + 3) ?? null;
  }

  down(event) {
    if (event.button) return;
    this.element.setPointerCapture(event.pointerId);
    const place = this.place(event);
    this.from = this.at(place) ?? this.add(place);
    this.draw();
  }

  move(event) {
    if (this.from) this.draw(this.place(event));
  }

  up(event) {
    if (!this.from) return;
    const place = this.place(event);
    const to = this.at(place) ?? this.add(place); // where there is no node yet, there is one now
    const [a, b] = [this.from, to];
    this.from = null;
    if (a !== b && !this.edges.some((edge) => edge.a === a && edge.b === b)) this.edges.push({ a, b });
    this.draw();
    this.changed(this.text());
  }

  add([x, y]) {
    const node = { name: String(this.next++), x, y };
    this.nodes.push(node);
    return node;
  }

  remove(node) {
    if (!node) return;
    this.nodes = this.nodes.filter((other) => other !== node);
    this.edges = this.edges.filter((edge) => edge.a !== node && edge.b !== node);
    this.draw();
    this.changed(this.text());
  }

  text() {
    const alone = this.nodes.filter((node) => !this.edges.some((edge) => edge.a === node || edge.b === node));
    return [...this.edges.map((edge) => `${edge.a.name} ${edge.b.name}`), ...alone.map((node) => node.name)].join("\n") + "\n";
  }

  draw(pen = null) {
    this.element.replaceChildren();
    const line = (a, b, className) => svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: className }, this.element);
    for (const { a, b } of this.edges) line(a, b, "edge");
    if (this.from && pen) line(this.from, { x: pen[0], y: pen[1] }, "edge new");
    for (const { name, x, y } of this.nodes) {
      const group = svg("g", { class: "node", transform: `translate(${x} ${y})` }, this.element);
      svg("circle", { r: RADIUS }, group);
      svg("text", { y: 4 }, group).textContent = name;
    }
  }
}

function say(text, wrong = false) {
  find("message").textContent = text;
  find("message").className = wrong ? "wrong" : "";
}

function fill(select, values) {
  select.replaceChildren(
    ...values.map((value) => {
      const option = document.createElement("option");
      option.value = option.textContent = value;
      return option;
    }),
  );
}

async function start() {
  const board = new Board(find("board"), (text) => {
    find("text").value = text;
  });
  find("clear").addEventListener("click", () => {
    board.clear();
    find("text").value = "";
  });
  find("text").addEventListener("input", () => board.clear()); // the text is the graph now
  const { models, examples } = await (await fetch("/models")).json();
  const offer = () => fill(find("model"), Object.keys(models).filter((name) => models[name] === find("algorithm").value));
  fill(find("algorithm"), [...new Set(Object.values(models))]);
  offer();
  find("algorithm").addEventListener("change", offer);
  find("example").addEventListener("click", () => {
    board.clear();
    const example = examples[find("algorithm").value] ?? examples.dfs;
    find("text").value = example.graph;
    find("undirected").checked = example.undirected;
  });
  find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

async function run() {
  const request = { graph: find("text").value, undirected: find("undirected").checked, algorithm: find("algorithm").value, model: find("model").value };
  find("run").disabled = true;
  say("running … (the first graph of a size takes some seconds longer)");
  try {
    const response = await fetch("/run", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
    const answer = await response.json();
    if (answer.error) return say(answer.error, true);
    say("");
    const frame = find("trace");
    frame.hidden = false;
    frame.src = answer.page;
    frame.addEventListener("load", () => frame.scrollIntoView({ block: "start" }), { once: true });
  } catch (error) {
    say(`the server does not answer (${error.message}); is recursor play still running?`, true);
  } finally {
    find("run").disabled = false;
  }
}

start().catch((error) => say(`the server does not answer (${error.message})`, true));

// Replay: the state of a trace in any row, reached from any other by doing or undoing the changes in between.

const PUSH = "2";
const POP = "0";
const NOTHING = -1; // no output collected yet

class Replay {
  constructor(trace, nodes) {
    this.trace = trace;
    this.length = trace.lines.length;
    this.row = 0;
    this.nodes = {}; // node field → its values in this row
    this.outputs = {}; // collected output → its values so far
    this.changes = Array.from({ length: this.length }, () => []); // row → [values, node, before, after]
    for (const [name, { first, changes }] of Object.entries(trace.nodes)) {
      this.nodes[name] = first.slice();
      const values = first.slice();
      changes.forEach((flat, index) => {
        for (let k = 0; k < flat.length; k += 2) {
          this.changes[index + 1].push([this.nodes[name], flat[k], values[flat[k]], flat[k + 1]]);
          values[flat[k]] = flat[k + 1];
        }
      });
    }
    for (const { output, at, value } of trace.collect) {
      this.outputs[output] = new Array(nodes).fill(NOTHING);
      const values = new Array(nodes).fill(NOTHING);
      for (let row = 0; row < this.length; row++) {
        const node = trace.graph[at][row];
        if (node < 0) continue; // it names nobody
        const found = value === null ? 1 : trace.graph[value][row]; // without a value it is put into a set
        const after = found < 0 ? node : found; // who is given nobody is given itself
        if (values[node] !== after) {
          this.changes[row].push([this.outputs[output], node, values[node], after]);
          values[node] = after;
        }
      }
    }
    for (const [values, node, , after] of this.changes[0]) values[node] = after;
    this.replayStack();
  }

  // Frames are shared between rows: each knows the one below it, each row the one on top. A network that keeps its frames in
  // another way brings the stack of every row.
  replayStack() {
    this.stacks = this.trace.stacks;
    if (this.stacks) {
      this.top = this.stacks.map((frames) => frames.at(-1) ?? NOTHING);
      this.depths = this.stacks.map((frames) => frames.length);
      return;
    }
    this.top = new Array(this.length).fill(NOTHING);
    this.below = {};
    this.depths = new Array(this.length).fill(0);
    let top = NOTHING;
    let depth = 0;
    for (let row = 0; row < this.trace.ops.length; row++) {
      const op = this.trace.ops[row];
      if (op === PUSH) {
        this.below[row] = top;
        top = row;
        depth++;
      } else if (op === POP && top !== NOTHING) {
        top = this.below[top];
        depth--;
      }
      this.top[row] = top;
      this.depths[row] = depth;
    }
  }

  // Goes to a row, or to the last one if it lies behind that; returns the nodes at which something changed.
  move(row) {
    const target = Math.min(row, this.length - 1);
    const touched = new Set();
    while (this.row < target) {
      for (const [values, node, , after] of this.changes[++this.row]) {
        values[node] = after;
        touched.add(node);
      }
    }
    while (this.row > target) {
      const changes = this.changes[this.row--];
      for (let k = changes.length - 1; k >= 0; k--) {
        const [values, node, before] = changes[k];
        values[node] = before;
        touched.add(node);
      }
    }
    return touched;
  }

  // The frames on the stack after this row, the bottom one first, each as the row that pushed it.
  frames(row = this.row) {
    if (this.stacks) return this.stacks[row];
    const frames = [];
    for (let frame = this.top[row]; frame !== NOTHING; frame = this.below[frame]) frames.push(frame);
    return frames.reverse();
  }

  value(name, row = this.row) {
    return this.trace.graph[name][row];
  }
}

// Whether two values of a field are the same to the eye.
function same(field, a, b, near) {
  return field.kind === "scalar" ? Math.abs(a - b) < near + near * Math.abs(b) : a === b;
}

// A trace in words.
class Telling {
  constructor(data, trace) {
    this.data = data;
    this.trace = trace;
    this.fields = new Map(trace.fields.map((field) => [field.name, field]));
  }

  node(index) {
    return index >= 0 && index < this.data.names.length ? this.data.names[index] : "none";
  }

  value(field, value) {
    if (value === undefined || value === null) return "–";
    if (field.kind === "text") return value;
    if (field.kind === "pointer") return this.node(value);
    if (field.kind === "scalar") return value.toFixed(2);
    if (field.name === "stack_op") return ["pop", "noop", "push"][value];
    return field.words[value] ?? String(value);
  }

  // The function that a row's line is in, and the values of its parameters, such as ["visit", ["hall"]]; a set is a list.
  call(row) {
    const { source } = this.data;
    const place = this.trace.lines[row] - source.first;
    const [name, parameters] = source.functions[source.within[place]] ?? ["?", []];
    const masks = (parameter) => (this.data.parameters[parameter] ?? [parameter]).filter((mask) => mask in this.trace.nodes);
    const known = parameters.filter((parameter) => parameter in this.trace.graph || masks(parameter).length);
    const tell = (parameter) => (parameter in this.trace.graph ? this.value(this.fields.get(parameter), this.trace.graph[parameter][row]) : this.set(masks(parameter), row));
    return [name, known.map(tell)];
  }

  // A call's variables that have a value for every node: the nodes at which one of them is not zero.
  set(masks, row) {
    const columns = masks.map((name) => {
      const { first, changes } = this.trace.nodes[name];
      const values = first.slice();
      for (let k = 0; k < row; k++) {
        for (let j = 0; j < changes[k].length; j += 2) values[changes[k][j]] = changes[k][j + 1];
      }
      return values;
    });
    return this.data.names.filter((_, node) => columns.some((values) => values[node]));
  }

  shortCall(row) {
    const [name, values] = this.call(row);
    return values.length ? `${name}(${elidedValues(values)})` : name;
  }

  longCall(row) {
    const [name, values] = this.call(row);
    const texts = values.map((value) => (Array.isArray(value) ? `{${value.join(", ")}}` : value));
    return values.length ? `${name}(${texts.join(", ")})` : name;
  }

  // The function that a push row calls: that of the next row, unless this returns already.
  calleeFunction(row) {
    const next = this.trace.ops[row + 1];
    return this.call(next !== undefined && next !== POP ? row + 1 : row)[0];
  }

  // The call that runs after a row: after a push the callee, after a pop the caller; none if all have returned.
  running(replay, row) {
    const op = this.trace.ops[row];
    if (op === PUSH) {
      const callee = this.trace.graph[this.data.callee];
      if (callee) return `${this.calleeFunction(row)}(${shortName(this.node(callee[row]))})`;
      return row + 1 < replay.length ? this.shortCall(row + 1) : this.call(row)[0];
    }
    if (op === POP) {
      const to = row > 0 ? replay.top[row - 1] : NOTHING;
      return to === NOTHING ? "" : this.shortCall(to);
    }
    return this.shortCall(row);
  }

  happening(replay) {
    const row = replay.row;
    const op = this.trace.ops[row];
    if (op === PUSH) {
      return `${this.shortCall(row)} calls ${this.running(replay, row)}`;
    }
    if (op === POP && this.data.popShows === "caller") {
      const to = row > 0 ? replay.top[row - 1] : NOTHING;
      const callee = row > 0 ? this.running(replay, row - 1) : "a call";
      return `${callee} returns` + (to === NOTHING ? "; the stack is empty" : ` to ${this.shortCall(to)}`);
    }
    if (op === POP) {
      const to = row > 0 ? replay.top[row - 1] : NOTHING;
      return `${this.shortCall(row)} returns` + (to === NOTHING ? "; the stack is empty" : ` to ${this.shortCall(to)}`);
    }
    return `${this.shortCall(row)} takes a step`;
  }
}

const LONGEST = 18;

function elided(text, longest = LONGEST) {
  const letters = Array.from(text);
  return letters.length > longest ? letters.slice(0, longest - 1).join("") + "…" : text;
}

// The values of a call: as many as there is room for, and of a set how many more are in it. None is cut off but a long name.
function elidedValues(values) {
  const texts = values.map((value) => (Array.isArray(value) ? elidedSet(value) : shortName(value)));
  let count = texts.length;
  while (count > 1 && texts.slice(0, count).join(", ").length > 2 * LONGEST) count--;
  return texts.slice(0, count).join(", ") + (count < texts.length ? ", …" : "");
}

function elidedSet(names) {
  const short = names.map((name) => shortName(name));
  if (short.join(", ").length <= LONGEST + 6) return `{${short.join(", ")}}`;
  let count = 1;
  while (short.slice(0, count + 1).join(", ").length <= LONGEST - 4) count++;
  return `{${short.slice(0, count).join(", ")} and ${names.length - count} more}`;
}

// A name of at most so many letters: its beginning and its end, by which long names differ more often.
function shortName(name, longest = LONGEST) {
  const letters = Array.from(name);
  const end = Math.floor(longest / 2);
  return letters.length > longest ? `${letters.slice(0, longest - 1 - end).join("")}…${letters.slice(-end).join("")}` : name;
}

// A number of at most so many letters: with fewer digits, but as large as it is.
function shortNumber(name, longest) {
  if (name.length <= longest || !Number.isFinite(Number(name))) return shortName(name, longest);
  for (let digits = 6; digits > 0; digits--) {
    const text = String(Number(Number(name).toPrecision(digits)));
    if (text.length <= longest) return text;
  }
  return Number(name).toExponential(0).replace("e+", "e");
}

// Elements. All text goes in as text, never as markup.
function html(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (parent) parent.append(element);
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

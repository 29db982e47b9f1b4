// A graph that is being made: drawn and written, both in step. Places are in the units of a page of 1350 × 1000.

const PAGE = [0, 1350, 0, 1000];

class Sketch {
  constructor(about, undirected) {
    this.about = about; // what the server tells of the algorithm
    this.bars = about.layout === "bars";
    this.written = about.written ? "" : null; // a text, which only the server understands: it is not drawn on
    this.undirected = undirected;
    this.nodes = []; // { name, x, y, placed, values }
    this.edges = []; // pairs of nodes
  }

  static example(about) {
    const { graph, undirected, places, names, notes } = about.example;
    const sketch = Sketch.read(graph, about, undirected, null);
    if (about.written) sketch.nodes = names.map((name, k) => ({ name, note: notes[k], values: {} }));
    sketch.nodes.forEach((node, k) => Object.assign(node, { x: places[k][0], y: places[k][1], placed: true }));
    return sketch;
  }

  // The sketch of a text, with the places that another has for the same names; none if the text is not understood here.
  static read(text, about, undirected, before) {
    const sketch = new Sketch(about, undirected);
    if (about.written) {
      sketch.written = text;
      sketch.nodes = before?.nodes ?? []; // until it has been read
      return sketch;
    }
    return (sketch.bars ? sketch.readNumbers(text) : sketch.readEdges(text, before)) ? sketch : null;
  }

  readNumbers(text) {
    const lines = text.split("\n").filter((line) => !line.trim().startsWith("#"));
    const words = lines.join(" ").split(/[\s,;]+/).filter(Boolean);
    if (words.some((word) => !Number.isFinite(Number(word)))) return false;
    this.nodes = words.map((word) => ({ name: String(Number(word)), number: Number(word) }));
    return true;
  }

  readEdges(text, before) {
    const known = new Map(before?.nodes.map((node) => [node.name, node]) ?? []);
    const found = new Map();
    const columns = {};
    const node = (name) => {
      if (!found.has(name)) found.set(name, { name, values: {}, ...this.placeOf(known.get(name)) });
      return found.get(name);
    };
    for (const line of text.split("\n").map((one) => one.trim())) {
      const list = /^# nodes:(.*)$/.exec(line);
      const values = /^# values:\s*(\S+)(.*)$/.exec(line);
      if (line === "# undirected") this.undirected = true;
      else if (list) list[1].trim().split(/\s+/).filter(Boolean).forEach(node);
      else if (values) (columns[values[1]] ??= []).push(...values[2].trim().split(/\s+/).map(this.valueOf(values[1])));
      if (!line || line.startsWith("#")) continue;
      const names = line.split(/\s+/);
      if (names.length > 2) return false;
      const ends = names.map(node);
      if (ends.length === 2 && !this.has(...ends)) this.edges.push(ends);
    }
    this.nodes = [...found.values()];
    for (const [name, numbers] of Object.entries(columns)) this.nodes.forEach((one, k) => (one.values[name] = numbers[k] ?? 0));
    for (const one of this.nodes) if (one.x === undefined) Object.assign(one, this.freePlace(one));
    return true;
  }

  // What a word of a line of values stands for: the number of a category, or a number that is written.
  valueOf(name) {
    const words = this.about.values[name] ?? [];
    return (word) => (words.includes(word) ? words.indexOf(word) : Number(word));
  }

  placeOf(node) {
    return node ? { x: node.x, y: node.y, placed: node.placed } : {};
  }

  // A place beside a neighbour that has one, or anywhere, as far from all others as can be had.
  freePlace(node) {
    const others = this.nodes.filter((other) => other !== node && other.x !== undefined);
    const near = this.edges.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : [])).find((other) => other.x !== undefined);
    const middle = near ?? { x: 675, y: 500 };
    let best = { x: middle.x, y: middle.y, room: -1 };
    for (let k = 0; k < 60; k++) {
      const reach = near ? 180 + 3 * k : 75 * Math.sqrt(k);
      const x = Math.round(middle.x + reach * Math.cos(2.4 * k));
      const y = Math.round(middle.y + reach * Math.sin(2.4 * k));
      if (x < 40 || x > 1310 || y < 40 || y > 960) continue;
      const room = Math.min(220, ...others.map((other) => Math.hypot(other.x - x, other.y - y)));
      if (room > best.room) best = { x, y, room };
    }
    return { x: best.x, y: best.y, placed: false };
  }

  has(a, b) {
    return this.edges.some(([c, d]) => (c === a && d === b) || (this.undirected && c === b && d === a));
  }

  // Adds a node with a name that is free: letters where all names are letters, else numbers.
  add([x, y]) {
    const names = new Set(this.nodes.map((node) => node.name));
    const letters = [...names].every((name) => /^[a-z]$/.test(name));
    const free = letters ? [..."abcdefghijklmnopqrstuvwxyz"].find((name) => !names.has(name)) : undefined;
    let number = 1;
    while (names.has(String(number))) number++;
    const place = { x: Math.round(Math.max(0, Math.min(1350, x))), y: Math.round(Math.max(0, Math.min(1000, y))), placed: true };
    const values = Object.fromEntries(Object.entries(this.about.values).map(([name, words]) => [name, words.length ? 1 : 0]));
    const node = { name: free ?? String(number), values, ...place };
    this.nodes.push(node);
    return node;
  }

  // Adds an edge, or removes it if it is there.
  join(a, b) {
    if (!this.has(a, b)) this.edges.push([a, b]);
    else this.edges = this.edges.filter(([c, d]) => !((c === a && d === b) || (this.undirected && c === b && d === a)));
  }

  remove(node) {
    this.nodes = this.nodes.filter((other) => other !== node);
    this.edges = this.edges.filter(([a, b]) => a !== node && b !== node);
  }

  text() {
    if (this.written !== null) return this.written;
    if (this.bars) return this.nodes.map((node) => node.name).join(" ") + "\n";
    const columns = Object.keys(this.about.values);
    const lines = this.edges.map(([a, b]) => `${a.name} ${b.name}`);
    const alone = this.nodes.filter((node) => !this.edges.some((edge) => edge.includes(node))).map((node) => node.name);
    if (!columns.length) return [...lines, ...alone, ""].join("\n");
    const values = columns.map((name) => {
      const numbers = this.nodes.map((node) => node.values[name] ?? 0);
      return `# values: ${name} ${numbers.map((number) => this.about.values[name][number] ?? number).join(" ")}`;
    });
    return [`# nodes: ${this.nodes.map((node) => node.name).join(" ")}`, ...values, ...lines, ""].join("\n");
  }

  // Takes over where the server has put the nodes, if nobody has put any of them anywhere.
  adopt(data) {
    if (this.bars) return;
    if (this.written !== null) {
      this.nodes = data.names.map((name, k) => ({ name, note: data.notes[k], values: {}, x: data.places[2 * k], y: data.places[2 * k + 1] }));
      return;
    }
    data.page = PAGE;
    const index = new Map(data.names.map((name, k) => [name, k]));
    const nobody = this.nodes.every((node) => !node.placed);
    for (const node of this.nodes) {
      const k = index.get(node.name);
      if (nobody && k !== undefined) Object.assign(node, { x: data.places[2 * k], y: data.places[2 * k + 1] });
      node.placed = true;
    }
    const places = new Map(this.nodes.map((node) => [node.name, node]));
    data.places = data.names.flatMap((name, k) => {
      const node = places.get(name);
      return node ? [node.x, node.y] : [data.places[2 * k], data.places[2 * k + 1]];
    });
  }

  // The data of a page that shows the graph alone.
  data(words) {
    const index = new Map(this.nodes.map((node, k) => [node, k]));
    const edges = this.edges.flatMap(([a, b]) => [index.get(a), index.get(b), ...(this.undirected && a !== b ? [index.get(b), index.get(a)] : [])]);
    const numbers = this.nodes.map((node) => node.number ?? 0);
    const low = Math.min(0, ...numbers);
    const range = this.top ?? Math.max(...numbers) - low;
    const answer = { sentence: "", groups: [], groupWords: [], nodes: [], nodeWord: "", edges: [], edgeWord: "", arrows: false, order: [], labels: {} };
    return {
      algorithm: this.about.title, callee: "", parameters: {}, popShows: "caller", layout: this.about.layout, page: this.written === null ? PAGE : null, near: 0.005, size: "", difference: null,
      names: this.nodes.map((node) => node.name),
      places: this.nodes.flatMap((node) => [node.x, node.y]),
      heights: numbers.map((number) => (number - low) / (range || 1)),
      notes: this.nodes.map((node) => node.note ?? Object.entries(node.values ?? {}).map(([name, value]) => this.about.values[name]?.[value] ?? value).join(" ")),
      edges, heads: this.about.heads,
      source: { first: 1, lines: [], functions: [], within: [], plumbing: [], instead: [] },
      traces: [{ label: words, sketch: true, view: "", fields: [], collect: [], halted: true, ops: "", lines: [0], graph: {}, nodes: {}, answer }],
    };
  }
}

// The panels beside the drawing: the call stack, the values of the row and of one node, the source.

class StackPanel {
  constructor(element, telling, hasOps) {
    this.list = element.querySelector(".frames");
    this.depth = element.querySelector(".depth");
    this.telling = telling;
    this.hasOps = hasOps;
    this.shown = []; // the rows of the frames that are in the list, the bottom one first
    this.elements = new Map();
    this.ghost = html("li", "frame ghost");
    this.running = html("li", "frame running");
    this.bottom = html("li", "bottom");
    this.list.append(this.bottom);
  }

  draw(replay) {
    const frames = replay.frames();
    let common = 0;
    while (common < this.shown.length && this.shown[common] === frames[common]) common++;
    for (const row of this.shown.slice(common)) {
      this.elements.get(row).remove();
      this.elements.delete(row);
    }
    this.ghost.remove();
    this.running.remove();
    for (const row of frames.slice(common)) {
      const element = this.frame(row);
      this.elements.set(row, element);
      this.list.prepend(element);
    }
    this.shown = frames;
    for (const element of this.list.querySelectorAll(".pushed")) element.classList.remove("pushed");
    const op = replay.trace.ops[replay.row];
    if (op === PUSH) this.elements.get(replay.row)?.classList.add("pushed");
    const running = this.telling.running(replay, replay.row);
    if (running) {
      const note = op === POP ? "goes on" : op === PUSH ? "begins" : "running";
      this.running.replaceChildren(breakable(running), html("span", "note", note));
      this.list.prepend(this.running);
    }
    if (op === POP && replay.row > 0) {
      this.ghost.replaceChildren(breakable(this.telling.running(replay, replay.row - 1)), html("span", "note", "returned"));
      this.list.prepend(this.ghost);
    }
    setText(this.depth, this.hasOps ? String(frames.length) : "");
    setText(this.bottom, !this.hasOps ? "This view shows no op." : frames.length ? "bottom" : "nobody waits");
  }

  // A frame is the call that pushed it, with its variables as they were then.
  frame(row) {
    const element = html("li", "frame");
    element.dataset.row = row;
    const call = breakable(this.telling.shortCall(row));
    call.title = this.telling.longCall(row);
    element.append(call, html("span", "note", `row ${row}`));
    return element;
  }
}

// A call, which may go on in a new line behind an underscore.
function breakable(call) {
  const element = html("span", "call");
  call.split(/(?<=_)/).forEach((part, k) => element.append(...(k ? [document.createElement("wbr")] : []), part));
  return element;
}

const WIDEST = 44; // characters of a value

// A table of fields: what was predicted, and what is true where that is known.
class ValueTable {
  constructor(table, telling, near, truthKnown, sign) {
    this.body = table.querySelector("tbody");
    this.telling = telling;
    this.near = near;
    this.truthKnown = truthKnown;
    this.sign = sign; // of a value that differs
    const head = html("tr");
    for (const text of truthKnown ? ["field", "predicted", "classical"] : ["field", "value"]) {
      const cell = html("th", "", text);
      cell.scope = "col";
      head.append(cell);
    }
    table.querySelector("thead").append(head);
    this.lines = [];
  }

  // Each entry is a field (with a name and a kind), its value and its true value.
  draw(entries) {
    while (this.lines.length < entries.length) {
      const line = html("tr");
      const cells = [html("th"), html("td"), html("td")].slice(0, this.truthKnown ? 3 : 2);
      cells[0].scope = "row";
      line.append(...cells);
      this.body.append(line);
      this.lines.push({ line, cells });
    }
    this.lines.forEach(({ line }, k) => (line.hidden = k >= entries.length));
    entries.forEach(([field, value, truth], k) => {
      const { line, cells } = this.lines[k];
      setText(cells[0], field.name);
      cells[0].title = field.about;
      const wrong = this.truthKnown && truth !== null && !same(field, value, truth, this.near);
      this.fill(cells[1], (wrong ? `${this.sign} ` : "") + elided(this.telling.value(field, value), WIDEST), this.telling.value(field, value));
      if (this.truthKnown) this.fill(cells[2], elided(this.telling.value(field, truth), WIDEST), this.telling.value(field, truth));
      line.className = wrong ? "wrong" : "";
    });
  }

  fill(cell, text, full) {
    setText(cell, text);
    if (cell.title !== full) cell.title = full;
  }
}

class SourcePanel {
  constructor(element, source) {
    this.code = element.querySelector(".code");
    this.first = source.first;
    this.instead = source.instead;
    const plumbing = new Set(source.plumbing);
    this.lines = source.lines.map((text, k) => {
      const line = html("span", plumbing.has(k) ? "line plumbing" : "line");
      const code = html("span", "text", text || " ");
      code.style.paddingLeft = `${text.search(/\S|$/) + 4}ch`; // a long line goes on behind its own beginning
      code.style.textIndent = `-${text.search(/\S|$/) + 4}ch`;
      line.append(html("span", "no", String(source.first + k)), code);
      this.code.append(line);
      return line;
    });
    this.code.addEventListener("scroll", () => (this.scrolled = this.code.scrollTop), { passive: true });
    this.where = element.querySelector(".where");
    new ResizeObserver(() => {
      this.measure();
      if (this.marked) this.bringIntoSight(this.lines.indexOf(this.marked));
    }).observe(this.code);
    this.marked = null;
  }

  // Marks the line of the row; one that was not recorded but found by comparison is marked as likely.
  draw(recorded, likely) {
    const place = this.instead[recorded - this.first]; // where only the recorder is spoken to, a line beside it
    const number = place === undefined ? 0 : this.first + place;
    const line = this.lines[place] ?? null;
    const moved = this.marked !== line;
    if (moved) {
      this.marked?.classList.remove("marked");
      this.marked?.removeAttribute("aria-current");
      line?.classList.add("marked");
      line?.setAttribute("aria-current", "true");
      this.marked = line;
    }
    setText(this.where, line ? `line ${number}` + (likely ? ", most likely" : "") : "");
    if (line && moved) this.bringIntoSight(number - this.first);
  }

  // Where the lines are is asked once: asking makes the browser lay out the page, in every row if asked in every row.
  measure() {
    this.tops = this.lines.map((line) => line.offsetTop);
    this.bottoms = this.lines.map((line, k) => this.tops[k] + line.offsetHeight);
    this.height = this.code.clientHeight;
    this.scrolled = this.code.scrollTop;
  }

  bringIntoSight(place) {
    if (!this.tops) this.measure();
    const [top, bottom] = [this.tops[place], this.bottoms[place]];
    if (top >= this.scrolled && bottom <= this.scrolled + this.height) return;
    this.scrolled = Math.max(0, Math.min(top, (top + bottom - this.height) / 2)); // in the middle, or else its beginning
    this.code.scrollTop = this.scrolled;
  }
}

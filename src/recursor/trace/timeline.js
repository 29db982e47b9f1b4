// The timeline: how deep the stack is, row by row, with mistakes below, and the answer at its end; it can be dragged.

class Timeline {
  constructor(element, data, replays, rows, seek) {
    this.element = element;
    this.rows = rows;
    this.moments = rows + this.tail();
    element.replaceChildren();
    element.setAttribute("aria-valuemax", rows);
    this.charts = replays.map((replay, k) => this.chart(data.traces[k], replay, data.difference));
    const flat = replays.every((replay) => replay.depths.every((depth) => !depth));
    element.classList.toggle("flat", flat);
    element.append(html("span", "axis", flat ? "nothing is pushed onto the stack" : "stack depth"));
    this.cursor = html("div", "cursor");
    element.append(this.cursor);
    const answer = html("span", "answercell", "answer");
    answer.style.left = `${(100 * rows) / this.moments}%`;
    element.append(answer);
    const seekTo = (event) => {
      const box = element.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      seek(Math.max(0, Math.min(rows, Math.floor(share * this.moments))));
    };
    element.onpointerdown = (event) => {
      if (event.button) return;
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      seekTo(event);
    };
    element.onpointermove = (event) => {
      if (element.hasPointerCapture(event.pointerId)) seekTo(event);
    };
  }

  // How many rows wide the answer is: wide enough for its name.
  tail() {
    const share = 68 / Math.max(136, this.element.clientWidth);
    return Math.max(1, (this.rows * share) / (1 - share));
  }

  chart(trace, replay, difference) {
    const deepest = Math.max(2, ...replay.depths);
    const height = 100;
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${this.moments} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.element);
    const y = (depth) => 78 - (70 * depth) / deepest;
    const steps = (depths) => depths.map((depth, row) => `L${row} ${y(depth).toFixed(1)}H${row + 1}`).join("");
    svg("path", { class: "area", d: `M0 78${steps(replay.depths)}V78z` }, chart);
    svg("path", { class: "outline", d: `M0 78${steps(replay.depths)}V78` }, chart);
    svg("path", { class: "ground", d: `M0 78H${this.rows}` }, chart);
    const marks = (rows, top) => rows.map((row) => `M${row} ${top}h1v18h-1z`).join("");
    const kind = trace.verdict?.[0] ?? "right";
    if (trace.wrong?.length) svg("path", { class: `mistakes ${kind}`, d: marks(trace.wrong, 80) }, chart);
    svg("rect", { class: `answerbox ${kind}`, x: this.rows, y: 0, width: this.moments - this.rows, height }, chart);
    if (difference !== null) svg("path", { class: "difference", d: `M${difference + 0.5} 0V${height}` }, chart);
    return chart;
  }

  draw(row, text) {
    this.cursor.style.left = `${(100 * row) / this.moments}%`;
    this.cursor.style.width = `${(100 * (row === this.rows ? this.moments - this.rows : 1)) / this.moments}%`;
    this.element.setAttribute("aria-valuenow", row);
    this.element.setAttribute("aria-valuetext", text);
  }
}

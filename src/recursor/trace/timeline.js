// The timeline: how deep the stack is, row by row, with mistakes below; it can be dragged.

class Timeline {
  constructor(element, data, replays, rows, seek) {
    this.element = element;
    this.rows = rows;
    element.setAttribute("aria-valuemax", rows - 1);
    this.charts = replays.map((replay, k) => this.chart(data.traces[k], replay, data.difference));
    element.append(html("span", "axis", "stack depth"));
    this.cursor = html("div", "cursor");
    element.append(this.cursor);
    const seekTo = (event) => {
      const box = element.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      seek(Math.max(0, Math.min(rows - 1, Math.floor(share * rows))));
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      seekTo(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) seekTo(event);
    });
  }

  chart(trace, replay, difference) {
    const deepest = Math.max(2, ...replay.depths);
    const height = 100;
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${this.rows} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.element);
    const y = (depth) => 78 - (70 * depth) / deepest;
    const steps = (depths) => depths.map((depth, row) => `L${row} ${y(depth).toFixed(1)}H${row + 1}`).join("");
    svg("path", { class: "area", d: `M0 78${steps(replay.depths)}V78z` }, chart);
    svg("path", { class: "outline", d: `M0 78${steps(replay.depths)}V78` }, chart);
    svg("path", { class: "ground", d: `M0 78H${this.rows}` }, chart);
    const marks = (rows, top) => rows.map((row) => `M${row} ${top}h1v18h-1z`).join("");
    if (trace.wrong?.length) svg("path", { class: "mistakes", d: marks(trace.wrong, 80) }, chart);
    if (difference !== null) svg("path", { class: "difference", d: `M${difference + 0.5} 0V${height}` }, chart);
    return chart;
  }

  draw(row, text) {
    this.cursor.style.left = `${(100 * row) / this.rows}%`;
    this.cursor.style.width = `${100 / this.rows}%`;
    this.element.setAttribute("aria-valuenow", row);
    this.element.setAttribute("aria-valuetext", text);
  }
}

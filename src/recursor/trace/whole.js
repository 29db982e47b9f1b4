// A page of its own: its data are in it.

window.page.show(JSON.parse(document.getElementById("data").textContent));

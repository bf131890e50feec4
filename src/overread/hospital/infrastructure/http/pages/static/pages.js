"use strict";
// What scripts add to the pages: keyboard shortcuts that can be switched off, word of what htmx has changed to those who
// do not see it, and the focus where an answer stands.
(() => {
  const SWITCH = "overread-shortcuts";
  const announce = (words) => {
    const place = document.getElementById("announce");
    if (place && words) place.textContent = words;
  };
  const on = () => localStorage.getItem(SWITCH) !== "off";

  const entries = () => [...document.querySelectorAll(".asks[data-number]")].sort((one, other) => one.dataset.number - other.dataset.number);
  const current = () => document.querySelector(".asks.at");
  const goTo = (entry) => {
    if (!entry) return;
    for (const other of document.querySelectorAll(".asks.at")) other.classList.remove("at");
    entry.classList.add("at");
    const chosen = entry.querySelector("input:checked") || entry.querySelector("input");
    chosen.focus({ preventScroll: true });
    entry.closest("li").scrollIntoView({ block: "nearest" });
  };
  const step = (by) => {
    const all = entries();
    const at = all.indexOf(current());
    goTo(at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[Math.min(Math.max(at + by, 0), all.length - 1)]);
  };
  const choose = (value) => {
    const entry = current() || entries()[0];
    if (!entry) return;
    goTo(entry);
    const radio = entry.querySelector(`input[value="${value}"]`);
    radio.checked = true;
    radio.focus({ preventScroll: true });
    const reason = entry.querySelector("textarea");
    announce(`Number ${entry.dataset.number}: ${value}`);
    if (value !== "agree" && reason) reason.focus();
  };
  const focus = (selector) => {
    const found = document.querySelector(selector);
    if (found) {
      found.scrollIntoView({ block: "nearest" });
      found.focus();
    }
  };
  const follow = (id) => {
    const link = document.getElementById(id);
    if (link) link.click();
  };
  // A key that an element names as its own presses that element: one of the entry that one is at before all others.
  const keyed = (key) => {
    const named = `[aria-keyshortcuts~="${CSS.escape(key)}"]`;
    const at = current();
    return (at && at.querySelector(named)) || document.querySelector(named);
  };
  const press = (element) => {
    element.focus({ preventScroll: true });
    if ("focus" in element.dataset) return;
    element.click();
    if (element.matches("input")) announce(element.closest("label").textContent.trim());
    if (element.dataset.then) focus(`#${element.dataset.then}`);
  };
  // Out of a field, so that single keys work again, at the entry that the field belongs to.
  const leave = (field) => {
    field.blur();
    goTo(field.closest(".asks[data-number]"));
  };
  const help = () => {
    const dialog = document.getElementById("shortcuts");
    if (dialog && !dialog.open) dialog.showModal();
  };
  // The fields of a discrepancy that is not listed: opened the first time, and room for another from then on.
  const addOne = () => {
    const added = document.getElementById("add");
    if (!added) return;
    const another = document.getElementById("another");
    if (added.open && another) another.click();
    added.open = true;
    focus("#add select");
  };
  const KEYS = {
    j: () => step(1),
    k: () => step(-1),
    a: () => choose("agree"),
    d: () => choose("disagree"),
    m: () => choose("amend"),
    r: () => focus("#radpeer input:checked"),
    c: () => focus("#comment"),
    l: () => focus("#point-text"),
    x: addOne,
    n: () => follow("following"),
    p: () => follow("before"),
    "?": help,
  };
  // What was filled in and not confirmed is asked after before the page is left, by whatever key, link or button.
  const review = document.getElementById("review");
  let sent = false;
  const isChanged = (field) => {
    if (field.matches("[type=radio], [type=checkbox]")) return field.checked !== field.defaultChecked;
    if (field.matches("select")) {
      const usual = Math.max([...field.options].findIndex((option) => option.defaultSelected), 0);
      return field.selectedIndex !== usual;
    }
    return field.matches("input, textarea") && field.value !== field.defaultValue;
  };
  // A form that is sent takes the page with it, and with the page what stands in the other forms.
  const guarded = [...document.querySelectorAll("form[data-guarded]")];
  let leaving = null;
  const isTouched = (form) => form && ("unsaved" in form.dataset || [...form.elements].some(isChanged));
  const isUnsaved = () => isTouched(review);
  const isAnyUnsaved = () => [review, ...guarded].some((form) => form !== leaving && isTouched(form));
  const showUnsaved = () => {
    const place = document.getElementById("unsaved");
    const words = isUnsaved() ? "Not confirmed yet." : "";
    if (place && place.textContent !== words) place.textContent = words;
  };
  const confirmAndGoOn = () => {
    review.requestSubmit(review.querySelector("[value=next]") || review.querySelector("[value=confirm]"));
  };

  // A key that is typed into a field is the field's; radio buttons take no letters.
  const types = (element) => element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])");

  document.addEventListener("keydown", (event) => {
    if (review && on() && event.key === "Enter" && (event.ctrlKey || event.metaKey) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      const other = event.target instanceof Element && event.target.closest("form[data-guarded]");
      if (other) other.requestSubmit();
      else confirmAndGoOn();
      return;
    }
    if (!on() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target instanceof Element && types(event.target)) {
      if (event.key === "Escape") leave(event.target);
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    const own = keyed(event.key);
    const run = own
      ? () => press(own)
      : /^[1-9]$/.test(event.key)
        ? () => goTo(entries().find((entry) => entry.dataset.number === event.key))
        : KEYS[event.key];
    if (!run || !document.getElementById("shortcuts")) return;
    event.preventDefault();
    run();
  });
  document.addEventListener("focusin", (event) => {
    const entry = event.target.closest(".asks[data-number]");
    if (!entry) return;
    for (const other of document.querySelectorAll(".asks.at")) other.classList.remove("at");
    entry.classList.add("at");
  });

  if (review) {
    document.addEventListener("input", showUnsaved);
    document.addEventListener("change", showUnsaved);
    review.addEventListener("submit", (event) => {
      if (sent) event.preventDefault(); // a review is kept once, however often Enter is pressed
      sent = true;
    });
  }
  if (review || guarded.length) {
    window.addEventListener("pageshow", () => {
      sent = false;
      leaving = null;
      showUnsaved();
    });
    document.addEventListener("submit", (event) => {
      leaving = event.target;
    });
    window.addEventListener("beforeunload", (event) => {
      if (!isAnyUnsaved()) return;
      event.preventDefault();
      // Runs where somebody stays after all: they may send what they sent once more.
      setTimeout(() => {
        sent = false;
        leaving = null;
      });
    });
  }

  const box = document.getElementById("shortcuts-on");
  if (box) {
    box.checked = on();
    box.addEventListener("change", () => localStorage.setItem(SWITCH, box.checked ? "on" : "off"));
  }

  document.body.addEventListener("htmx:afterSwap", (event) => {
    const results = document.getElementById("results");
    if (!results || event.detail.target.id !== "results") return;
    announce(results.dataset.announce);
    if (event.detail.requestConfig.elt.matches(".pager a")) results.querySelector(".told").focus({ preventScroll: true });
  });
  document.body.addEventListener("htmx:responseError", () => announce("The page could not be loaded. Load it again."));
  document.body.addEventListener("htmx:sendError", () => announce("The service cannot be reached."));
})();

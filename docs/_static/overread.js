// What scrolls by itself is reached by keys as well, in browsers that would not do so themselves.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("article :is(.table-wrapper, .diagram, pre)")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
    }
  }
});

// What the pages do besides: "/" goes to the search field, and deletes that wait count down. All pages work
// without it.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const field = document.querySelector('input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

for (const form of document.querySelectorAll("form.waiting")) {
  const end = performance.now() + 1000 * Number(form.dataset.left);
  const left = form.querySelector(".left");
  const ticking = setInterval(() => {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    left.textContent = String(seconds);
    if (seconds > 0) return;
    clearInterval(ticking);
    const told = document.createElement("p");
    told.textContent = "Deleted. It is gone for good.";
    told.setAttribute("role", "status");
    form.replaceWith(told);
    told.className = "message";
  }, 250);
}

for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button:not([type=button])");
    // Only after the form was taken: a disabled button's value is not sent.
    setTimeout(() => button && (button.disabled = true), 0);
  });
}
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});

// What the pages do besides: "/" goes to the search field, deletes that wait count down and then say what
// became of them, and what was typed is not left by accident. All pages work without it.
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

// -- deletes: see deletes.html. Only the view knows when one is done, so it is asked when one is due. --------

const region = document.getElementById("deletes");
const ends = new WeakMap(); // form of one that waits -> when it is due, on this page's clock
const TICK_MS = 250;
const AGAIN_MS = 1000; // from one question to the next, while one is at work
const LOST_MS = 5000; // the same where the view does not answer
let asking = false;
let next = 0;

function start(one) {
  if (one.dataset.state === "waiting") ends.set(one, performance.now() + 1000 * Number(one.dataset.left));
}

function tick() {
  let due = region.querySelector('[data-state="at work"]') !== null;
  for (const form of region.querySelectorAll('[data-state="waiting"]')) {
    const seconds = Math.max(0, Math.ceil((ends.get(form) - performance.now()) / 1000));
    const left = form.querySelector(".left");
    if (left) left.textContent = String(seconds);
    if (seconds > 0) continue;
    due = true;
    if (left) tell(form, "Being deleted: ");
  }
  if (due && performance.now() >= next) ask();
}

function tell(one, words) {
  const title = one.querySelector("bdi");
  (one.querySelector("p") || one).replaceChildren(words, title);
}

async function ask() {
  if (asking) return;
  asking = true;
  try {
    const shown = [...region.querySelectorAll("[data-number]")].map((one) => "n=" + one.dataset.number);
    const answer = await fetch(region.dataset.address + "?" + shown.join("&"));
    if (!answer.ok) throw new Error(String(answer.status));
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const one of now.querySelectorAll("[data-number]")) put(one);
    next = performance.now() + AGAIN_MS;
  } catch {
    next = performance.now() + LOST_MS;
    for (const one of region.querySelectorAll('[data-state="waiting"], [data-state="at work"]')) {
      tell(one, "The view does not answer. If it was ended, this was deleted then: ");
    }
  } finally {
    asking = false;
  }
}

// What is the same stays, so that only what is new is read out.
function put(one) {
  const old = region.querySelector(`[data-number="${one.dataset.number}"]`);
  if (!old) {
    region.append(one);
  } else if (old.dataset.state !== one.dataset.state || (!old.querySelector(".left") && one.dataset.left > 0)) {
    const had = old.contains(document.activeElement);
    const at = [...old.querySelectorAll("button")].indexOf(document.activeElement);
    old.replaceWith(one);
    if (had) ((one.matches("form.waiting") && one.elements[at]) || one).focus();
  } else {
    old.dataset.left = one.dataset.left;
    one = old;
  }
  start(one);
}

// What needs no other page is done without leaving this one, where something may be typed.
async function here(button, form) {
  const one = button.closest("[data-number]");
  const address = button.hasAttribute("formaction") ? button.formAction : form.action;
  await fetch(address, { method: "POST", redirect: "manual" }).catch(() => null);
  if (one.dataset.state === "waiting") {
    one.dataset.state = "";
    await ask();
  } else {
    one.remove();
    document.getElementById("main").focus();
  }
}

if (region) {
  region.querySelectorAll("[data-number]").forEach(start);
  setInterval(tick, TICK_MS);
}

// -- forms -------------------------------------------------------------------------------------

const MOST = 1 << 20; // bytes of a form that the view takes: guard.LARGEST_BODY
const typed = document.querySelector("form[method=post]:has(textarea)");
let leaving = false;

function isTooLong(form) {
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(form)) sent.append(name, value.replace(/\r\n|\r|\n/g, "\r\n"));
  return sent.toString().length > MOST;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter || form.querySelector("button:not([type=button])");
  if (button && button.hasAttribute("data-here")) {
    event.preventDefault();
    here(button, form);
    return;
  }
  if (form === typed && isTooLong(form)) {
    event.preventDefault();
    let told = form.querySelector("#too-long");
    if (!told) {
      told = document.createElement("p");
      told.id = "too-long";
      told.className = "error";
      told.setAttribute("role", "alert");
      form.append(told);
    }
    told.textContent = "That is more than the view takes: 1 MiB. Nothing was saved, and nothing is lost.";
    return;
  }
  if (form === typed) leaving = true;
  // Only after the form was taken: a disabled button's value is not sent.
  setTimeout(() => button && (button.disabled = true), 0);
});

window.addEventListener("pageshow", () => {
  leaving = false;
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});

window.addEventListener("beforeunload", (event) => {
  if (!typed || leaving) return;
  if (document.querySelector("main [role=alert]")) return event.preventDefault(); // it was not saved
  const fields = [...typed.elements].filter((field) => field.matches("textarea, input:not([type=hidden])"));
  if (fields.some((field) => field.value !== field.defaultValue)) event.preventDefault();
});

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue; // the text can be marked and copied by hand
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copies);
    const told = document.getElementById(button.dataset.copies + "-copied");
    try {
      await navigator.clipboard.writeText(text.value);
      told.textContent = "Copied.";
    } catch {
      text.select();
      told.textContent = "It could not be copied; it is marked now.";
    }
  });
}

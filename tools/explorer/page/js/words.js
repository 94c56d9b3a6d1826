// The words of the page in the reader's language: one file for each, in lang/.

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

let words = {};
let spare = {};
export let language = "en";

/** The language that was chosen before, or the first of the browser's that there is. */
function preferred() {
  const kept = recall("language");
  const all = [kept, ...(navigator.languages ?? [])].filter(Boolean).map((tag) => tag.slice(0, 2));
  return all.find((tag) => tag in LANGUAGES) ?? "en";
}

/** Loads the words of a language. */
export async function speak(tag = preferred()) {
  const load = async (tag) => (await import(`../lang/${tag}.js`)).default;
  [words, spare] = await Promise.all([load(tag), load("en")]);
  language = tag;
  document.documentElement.lang = tag;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = say(element.dataset.word, JSON.parse(element.dataset.values ?? "{}"));
  }
  document.title = say("title");
}

/** A text of the page; `{name}` in it is replaced. */
export function say(key, values = {}) {
  const text = words[key] ?? spare[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Gives an element a text of the page, which is that text in any language that is chosen later. */
export function word(element, key, values = {}) {
  Object.assign(element.dataset, { word: key, values: JSON.stringify(values) });
  element.textContent = say(key, values);
  return element;
}

/** A text that counts, in the form that the language has for the number; none may have one of its own. */
export function count(key, n) {
  const form = n === 0 && has(`${key}.zero`) ? "zero" : new Intl.PluralRules(language).select(n);
  return say(has(`${key}.${form}`) ? `${key}.${form}` : `${key}.other`, { n: number(n) });
}

/** Whether there is such a text. */
export const has = (key) => key in words;

/** A number as the language writes it. */
export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

/** Bytes, with two digits that count. */
export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(value, 1)) / 3)));
  return number(value / 1000 ** step, { style: "unit", unit: units[step], maximumSignificantDigits: 2 });
}

/** What was kept on this device. */
export function recall(name) {
  try {
    return localStorage.getItem(`pentago.${name}`);
  } catch {
    return null;
  }
}

/** Keeps something on this device, where that is allowed. */
export function remember(name, value) {
  try {
    localStorage.setItem(`pentago.${name}`, value);
  } catch {
    // Private windows have no storage: the choice holds for this visit.
  }
}

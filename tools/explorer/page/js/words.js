// The texts of the page in the reader's language: one file per language in lang/.

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

let words = {};
let spare = {};
export let language = "en";

/** Returns the language chosen before, or the first of the browser that the page supports. */
function preferred() {
  const kept = recall("language");
  const all = [kept, ...(navigator.languages ?? [])].filter(Boolean).map((tag) => tag.slice(0, 2));
  return all.find((tag) => tag in LANGUAGES) ?? "en";
}

/** Loads the texts of a language, and updates the page. */
export async function speak(tag = preferred()) {
  const load = async (tag) => (await import(`../lang/${tag}.js`)).default;
  [words, spare] = await Promise.all([load(tag), load("en")]);
  language = tag;
  document.documentElement.lang = tag;
  for (const element of document.querySelectorAll("[data-word]")) word(element, element.dataset.word, JSON.parse(element.dataset.values ?? "{}"));
  document.title = say("title");
}

/** Returns a text of the page. Replaces each `{name}` by its value. */
export function say(key, values = {}) {
  const text = words[key] ?? spare[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Sets a text of the page as the content of an element. A change of the language updates it. */
export function word(element, key, values = {}) {
  Object.assign(element.dataset, { word: key, values: JSON.stringify(values) });
  element.textContent = say(key, values);
  return element;
}

/** Returns a text with a number, in the plural form of the language. Zero may have its own form. */
export function count(key, n, values = {}) {
  const form = n === 0 && has(`${key}.zero`) ? "zero" : new Intl.PluralRules(language).select(n);
  return say(has(`${key}.${form}`) ? `${key}.${form}` : `${key}.other`, { ...values, n: number(n) });
}

/** Returns `true` if a text exists in the language. */
export const has = (key) => key in words;

/** Formats a number in the language. */
export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

/** Formats a size in bytes with two significant digits. */
export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(value, 1)) / 3)));
  return number(value / 1000 ** step, { style: "unit", unit: units[step], maximumSignificantDigits: 2 });
}

/** Returns a value from the browser's storage, or null. */
export function recall(name) {
  try {
    return localStorage.getItem(`pentago.${name}`);
  } catch {
    return null;
  }
}

/** Saves a value in the browser's storage, if allowed. */
export function remember(name, value) {
  try {
    localStorage.setItem(`pentago.${name}`, value);
  } catch {
    // Private windows may have no storage: the value is lost when the page is closed.
  }
}

// Downloads: the game as text, and the board as a picture.

import { $, page } from "./page.js";
import { textIn } from "./show.js";

/** The CSS properties that are copied to the attributes of an element. */
const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-style", "font-family", "text-anchor", "stop-color"];

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns the board as an SVG file that needs no style sheet. */
export function picture(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  const unseen = [];
  for (const [i, element] of from.entries()) {
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || element.matches(".chip, .area")) unseen.push(to[i]);
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name);
      // A computed style has the absolute URL of a gradient: keep only the fragment.
      if (value) to[i].setAttribute(name, value.replace(/url\("[^"#]*#/, "url(\"#").replaceAll("\"", ""));
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-disabled", "aria-hidden", "aria-labelledby", "id"]) {
      if (name !== "id" || element.localName !== "radialGradient") to[i].removeAttribute(name);
    }
  }
  for (const element of unseen) element.remove();
  // Crop the picture to the frame, without the turn buttons.
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => svg.querySelector(".frame").getAttribute(name));
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export const saveText = () => download(`${page.game.sheet.board.game}.txt`, "text/plain", textIn("game"));
export const savePicture = () => download(`${page.game.sheet.board.game}.svg`, "image/svg+xml", picture($("board")));

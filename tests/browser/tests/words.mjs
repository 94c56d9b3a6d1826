// Tests of the languages without a browser, and of the download size.

import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";

const LANGUAGES = ["en", "de", "fr", "es"];
/** The rule sheets whose titles are names of games, which have no translation. */
const NAMES = ["pentago", "mini", "xl", "pente"];

/** Lists all files of the page. */
async function files(folder) {
  const names = await readdir(folder, { recursive: true });
  const all = [];
  for (const name of names.sort()) if ((await stat(join(folder, name))).isFile()) all.push(name);
  return all;
}

export const words = [
  {
    name: "every language has every text",
    async run({ folder, assert }) {
      const all = await Promise.all(LANGUAGES.map(async (tag) => [tag, (await import(`${folder}/lang/${tag}.js`)).default]));
      const own = (texts) => Object.keys(texts).filter((key) => !/^(rules|sentence)\./.test(key)).sort();
      const [, english] = all[0];
      const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
      const sources = await Promise.all((await files(folder)).filter((name) => /\.(js|html)$/.test(name) && !name.startsWith("lang"))
        .map((name) => readFile(join(folder, name), "utf8")));
      for (const [tag, texts] of all) {
        assert.deepEqual(own(texts), own(english), `${tag} has the texts of English`);
        for (const key of own(texts)) {
          assert.ok(texts[key].trim(), `${tag}: ${key} is not empty`);
          assert.deepEqual(places(texts[key]), places(english[key]), `${tag}: ${key} has the same places`);
        }
      }
      // Before the scripts run, the page has the sentences of English.
      const first = [...(await readFile(join(folder, "index.html"), "utf8")).matchAll(/data-word="([\w.]+)"[^>]*>([^<]+)</g)];
      assert.deepEqual(first.filter(([, key, text]) => english[key] !== text).map(([, key]) => key), []);
      assert.ok(first.length > 40);
      const used = sources.flatMap((source) => [...source.matchAll(/data-word="(\w+)"|\bsay\("([\w.]+)"/g)]).map(([, a, b]) => a ?? b);
      assert.ok(used.length > 80);
      for (const key of used) assert.ok(key in english, `${key} is a text`);
      const { core } = await import("../core.mjs");
      const presets = (await core(folder)).ask("rules").presets.map((preset) => preset.name);
      for (const [tag, texts] of all.slice(1)) {
        const titled = Object.keys(texts).filter((key) => key.startsWith("rules.")).map((key) => key.slice(6));
        assert.deepEqual([...titled, ...NAMES].sort(), [...presets].sort(), `${tag} names every rule sheet`);
        for (const name of presets) assert.ok(texts[`sentence.${name}`], `${tag}: ${name} has its sentence`);
      }
    },
  },
  {
    name: "the page is small",
    needs: "server",
    async run({ exported, folder, assert }) {
      const all = await files(folder);
      // The program sends scripts without their comments.
      const size = async (name) => gzipSync(await readFile(join(exported, name)), { level: 9 }).length;
      let page = 0;
      for (const name of all) if (!/\.(wasm|bin|br)$/.test(name)) page += await size(name);
      const brotli = await readFile(join(folder, "pentago.wasm.br"));
      const [module, gzip, openings] = [brotli.length, await size("pentago.wasm"), await size("openings.bin")];
      console.log(`page ${page} bytes with gzip; module ${module} with Brotli, ${gzip} with gzip; openings ${openings}`);
      assert.deepEqual(brotliDecompressSync(brotli), await readFile(join(folder, "pentago.wasm")));
      assert.ok(page < 80_000 && module < 700_000 && gzip < 850_000 && openings < 80_000);
      // The download of a first visit from a host that compresses with gzip. Later visits download
      // nothing.
      assert.ok(page + gzip + openings < 1_000_000);
    },
  },
];

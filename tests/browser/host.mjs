// Hosts for the page: the program's own server, and a plain server for static files without an API.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml", ".wasm": "application/wasm", ".bin": "application/octet-stream",
  ".webmanifest": "application/manifest+json", ".txt": "text/plain",
};
/** The strictest content security policy under which the page must work. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Serves a folder below a path, like a host with several sites. `headers` are sent with every file.
 * `instead` maps names of files to other contents. `asked` collects the requested names. `spoil`
 * may change each response: name, status, headers and bytes; with `cut` the connection ends early.
 * `tls`, a key and a certificate, selects https. Then `asked` also collects the error codes of
 * failed handshakes.
 */
export async function staticHost(folder, { below = "/explorer/", headers = {}, instead = {}, asked = [], spoil = (sent) => sent, tls = null } = {}) {
  const create = tls ? (answer) => createSecureServer(tls, answer) : createServer;
  const server = create(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://host").pathname));
    const name = path.startsWith(below) ? path.slice(below.length) || "index.html" : null;
    try {
      if (name === null) throw new Error("outside");
      asked.push(name);
      const bytes = instead[name] ?? await readFile(join(folder, name));
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      const sent = { status: 200, headers: { "content-type": type, "content-security-policy": POLICY, "cache-control": "no-cache", ...headers }, bytes };
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
      if (range) {
        sent.whole = bytes;
        sent.status = 206;
        sent.headers["content-range"] = `bytes ${range[1]}-${range[2]}/${bytes.length}`;
        sent.bytes = bytes.subarray(Number(range[1]), Number(range[2]) + 1);
      }
      const changed = await spoil({ name, ...sent });
      response.writeHead(changed.status, { ...changed.headers, "content-length": changed.bytes.length });
      if (!changed.cut) return response.end(changed.bytes);
      response.write(changed.bytes.subarray(0, changed.bytes.length / 2), () => response.destroy());
    } catch {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Not found</title>");
    }
  });
  server.on("tlsClientError", ({ code }) => asked.push(code));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => {
    server.closeAllConnections();
    server.close(resolve);
  });
  const origin = tls ? "https://localhost" : "http://127.0.0.1";
  return { url: `${origin}:${server.address().port}${below}`, close };
}

/** Starts `pentago serve` on a free port. */
export async function programHost(program, args = []) {
  const child = spawn(program, ["serve", "--listen", "127.0.0.1:0", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    const read = (data) => {
      text += data;
      const found = /(http:\/\/[^\s/]+)\n/.exec(text);
      if (found) resolve(`${found[1]}/`);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", (data) => { if (process.env.VERBOSE) process.stderr.write(data); });
    child.on("exit", (code) => reject(new Error(`pentago serve ended with ${code}: ${text}`)));
    setTimeout(() => reject(new Error(`pentago serve gave no address: ${text}`)), 30_000).unref();
  });
  const close = () => new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", resolve);
    child.kill("SIGTERM");
  });
  return { url, close };
}

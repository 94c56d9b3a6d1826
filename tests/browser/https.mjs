// Tests of tables on a host that speaks https: `PENTAGO=program node --test https.mjs`. The program
// needs the feature `https`. `SSL_CERT_FILE` names the trusted authorities.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { staticHost } from "./host.mjs";

const program = process.env.PENTAGO;
const folder = mkdtempSync(join(tmpdir(), "pentago-https-"));
const tables = join(folder, "tables");
const at = (name) => join(folder, name);
const asked = [];
let hosts = [];

/** Signs a certificate for a host with a new authority, which no system trusts. */
function certificate(host) {
  const openssl = (...args) => execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const authority = ["-CA", at("authority.pem"), "-CAkey", at("authority.key")];
  openssl("req", "-x509", ...key, "-days", "2", "-subj", "/CN=Nobody", "-keyout", at("authority.key"), "-out", at("authority.pem"));
  openssl("req", ...key, "-subj", `/CN=${host}`, "-keyout", at("host.key"), "-out", at("host.csr"));
  writeFileSync(at("names"), `subjectAltName=DNS:${host}\n`);
  openssl("x509", "-req", "-in", at("host.csr"), ...authority, "-days", "2", "-extfile", at("names"), "-out", at("host.pem"));
  return { key: readFileSync(at("host.key")), cert: readFileSync(at("host.pem")) };
}

/**
 * Queries a position. Returns the exit status, the answer without its time, and the error output.
 */
const query = (position, where, env) => new Promise((resolve) => {
  const args = ["query", "--rules", "mini", position, "--tables", where, "--json", "--quiet"];
  execFile(program, args, { env: { ...process.env, PENTAGO_CACHE_SIZE: "0", ...env } }, (error, out, err) => {
    resolve({ status: error ? error.code : 0, out: out.replace(/"seconds":[^,]*,/, ""), err });
  });
});

const trusting = { SSL_CERT_FILE: at("authority.pem") };

before(async () => {
  execFileSync(program, ["build", "root:4/1XO1/1OX1/4 x", "--rules", "mini", "--out", tables, "--quiet"]);
  execFileSync(program, ["publish", tables, "--quiet"]);
  const host = (name) => staticHost(tables, { below: "/tables/", tls: certificate(name), asked });
  hosts = [await host("elsewhere.test"), await host("localhost")];
});

after(async () => {
  for (const host of hosts) await host.close();
  rmSync(folder, { recursive: true });
});

test("answers over https equal those of the folder", async () => {
  const positions = execFileSync(program, ["random", "--rules", "mini", "--tables", tables, "--where", "win", "--marbles", "5", "--count", "20", "--seed", "5"], { encoding: "utf8" });
  const lines = positions.trim().split("\n");
  assert.equal(lines.length, 20);
  for (const position of lines) {
    const [near, far] = [await query(position, tables, {}), await query(position, hosts[1].url, trusting)];
    assert.deepEqual([near.status, near.err], [0, ""]);
    assert.deepEqual(far, near);
  }
});

test("an unknown authority is not trusted, and the host is contacted once", async () => {
  for (const [url, env] of [[hosts[1].url, {}], [hosts[0].url, trusting]]) {
    asked.length = 0;
    const { status, out, err } = await query("4/1XO1/1OX1/4 x", url, env);
    // The host may notice the failed handshake only after the program has ended.
    for (let waited = 0; waited < 1000 && asked.length === 0; waited += 1) await setTimeout(10);
    assert.deepEqual([status, out, asked.length], [4, "", 1], `${err}${asked}`);
    assert.match(err, /certificate/);
  }
});

test("an invalid file of certificates is named", async () => {
  writeFileSync(at("empty.pem"), "no certificate\n");
  for (const [file, said] of [["missing.pem", /No such file/], ["empty.pem", /no certificates/], ["host.key", /no certificates/]]) {
    const { status, out, err } = await query("4/1XO1/1OX1/4 x", hosts[1].url, { SSL_CERT_FILE: at(file) });
    assert.deepEqual([status, out], [4, ""], err);
    assert.match(err, said);
    assert.ok(err.includes(`SSL_CERT_FILE, ${at(file)}`), err);
  }
});

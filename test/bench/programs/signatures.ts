import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readPredicate } from '#shared/evidence/rules/predicates/read-predicate.ts';
import { readBundle } from '#shared/signatures/bundles.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { type Trust, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { provenanceV1 } from '#test/shared/evidence/rules/predicates/sample-predicates.ts';
import { newKey } from '#test/shared/signatures/own-root.ts';
import { own, rootOf, trustedKey } from '#test/shared/signatures/own-trust.ts';
import { bundle, envelope, statement } from '#test/shared/signatures/sample-bundles.ts';

/**
 * `npm run bench:signatures -- [ROUNDS]`: measures how much processor time a bundle of 20 KB takes: it is read, verified, and a summary is
 * taken out of its predicate. Goal: 60 ms, and a second for a bundle of 10 MB. Ends with 1 if a bundle takes longer.
 */

const GOAL_MILLIS = 60;
/** Characters of a bundle, about. */
const SIZE = 20_000;
/** The most that an attachment has. */
const LARGE = { size: 10_000_000, goal: 1000, rounds: 10 };

/** A provenance with so many dependencies that its bundle has the size. */
function payloadOf(size: number): string {
  const dependency = { uri: 'git+https://github.com/acme/lib@refs/heads/main', digest: { gitCommit: '0'.repeat(40) } };
  const about = (length: number) =>
    JSON.stringify(
      statement({ predicate: provenanceV1({ resolvedDependencies: Array.from({ length }, () => dependency) }) }),
    );
  // Base64 makes four characters of three.
  const free = (size * 3) / 4 - about(0).length;
  return about(Math.ceil(free / JSON.stringify(dependency).length));
}

interface Row {
  name: string;
  text: string;
  trust: Trust;
  /** Milliseconds. */
  goal?: number;
  rounds?: number;
}

function rows(): Row[] {
  const { privateKey: key } = newKey();
  const refusal = () => undefined;
  const root = rootOf(own);
  const ofProofs = JSON.stringify(bundle(own, { hasTimestamp: true })).length - JSON.stringify(envelope(key)).length;
  const payload = payloadOf(SIZE - ofProofs);
  const published = new URL('../../shared/signatures/published.sigstore.json', import.meta.url);
  return [
    {
      name: 'certificate, log entry and timestamp',
      text: JSON.stringify(bundle(own, { payload, hasTimestamp: true })),
      trust: { root, refusal },
    },
    { name: 'certificate and log entry', text: JSON.stringify(bundle(own, { payload })), trust: { root, refusal } },
    {
      name: 'public key and log entry',
      text: JSON.stringify(bundle(own, { payload, key })),
      trust: { key: trustedKey(key), root },
    },
    {
      name: 'envelope with a public key',
      text: JSON.stringify(envelope(key, { payload: payloadOf(SIZE) })),
      trust: { key: trustedKey(key) },
    },
    {
      name: 'published package, public root',
      text: readFileSync(fileURLToPath(published), 'utf8'),
      trust: { root: publicRoot(), refusal },
    },
    {
      name: 'certificate and log entry, 10 MB',
      text: JSON.stringify(bundle(own, { payload: payloadOf(LARGE.size) })),
      trust: { root, refusal },
      goal: LARGE.goal,
      rounds: LARGE.rounds,
    },
  ];
}

function verifyOnce({ text, trust }: Row): void {
  const { statement: read } = verifyBundle(readBundle(text), trust);
  if (read === undefined) throw new Error('The bundle has no statement');
  const { statement: summary } = readPredicate(read);
  if ('unreadable' in summary) throw new Error(`The predicate cannot be read: ${summary['unreadable']}`);
}

/** @returns milliseconds of processor time of this process, collection of garbage included */
function millisOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const most = Number(process.argv[2] ?? 200);
let isSlow = false;
for (const row of rows()) {
  const rounds = Math.min(most, row.rounds ?? most);
  const first = millisOf(() => verifyOnce(row));
  const each =
    millisOf(() => {
      for (let i = 0; i < rounds; i += 1) verifyOnce(row);
    }) / rounds;
  isSlow ||= each > (row.goal ?? GOAL_MILLIS);
  console.log(
    `${row.name}, ${row.text.length} characters: ${each.toFixed(1)} ms of processor time each, the first one ${first.toFixed(1)} ms`,
  );
}
process.exitCode = isSlow ? 1 : 0;

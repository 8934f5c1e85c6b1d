import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { groups } from '#functions/groups.ts';
import { readBatch } from '#functions/relay/stream/read-batch.ts';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import type { AccessPattern } from '#shared/table/access-patterns.ts';
import { storedKey } from '#shared/table/keys.ts';
import { requestAmong } from '#shared/table/stream-item.ts';
import { familyOf } from '#shared/table/uses.ts';
import { kindOfItem } from '#test/forger/item-changes.ts';
import { differences } from './answers.ts';
import { type GoldenAnswer, type RawItem, type ReadRequest, writeGolden } from './golden-file.ts';
import { loaded } from './read-again.ts';
import { NO_RECORD, READS, requestsOf } from './reads.ts';
import { type Sample, writeSample } from './sample.ts';

/**
 * Writes a golden table with the code of this checkout, and looks whether it is complete. `npm run golden -- write` runs
 * this file with the folder in `GOLDEN_WRITE` and the version in `GOLDEN_RELEASE`; then the golden table is kept.
 */
const { GOLDEN_WRITE: folder, GOLDEN_RELEASE: release = 'this checkout' } = env;

/** Families and kinds of items that the golden table does not have, with the reason. */
const ABSENT: Readonly<Record<string, string>> = {
  DRAFT: 'for an hour; an agent can make another one',
  PACKAGE: 'for seven days, with the schema of exports, which the table has; a new one can be made at any time',
  '@PACKAGING': 'while a package is made',
  '@SIGNATURES': 'who is signed next, which means nothing a minute later',
  '@LIMIT': 'a counter of 40 requests and more, which means nothing a day later',
  ERASURE: 'between the steps of an erasure; the end of the command removes it',
  '@STATE MIGRATION': 'during a migration; its end removes it',
  '@STATE RESTORE#*': 'in a restored table only; the operator of a restore makes it, no call of the API',
  '@STATE RESTORED#*#*#*': 'in a restored table only, for the ledger of the restore',
  '@STATE IMPORT#*': 'during an import; its end removes it',
  '@PUBLICROOT': 'comes from a host of others; no call of the API makes it',
  '@ASIDE': 'a record that the code of the release cannot handle; the API makes none',
  VEX: 'the sample has no statements of OpenVEX; its index is made again from attestations',
};

/** Runs `npm run golden`. @returns what it prints, also if it fails */
const command = async (...args: string[]): Promise<string> => {
  const main = join(import.meta.dirname, 'main.ts');
  const ended = promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 16 * 1024 * 1024 });
  const { stdout, stderr } = await ended.catch((error: { stdout: string; stderr: string }) => error);
  return `${stdout}\n${stderr}`;
};

/** The types of events and of the SDK describe the same attributes. */
type NewImage = NonNullable<NonNullable<Parameters<typeof readBatch>[0][number]['dynamodb']>['NewImage']>;

let sample: Sample;
let requests: ReadRequest[];
let answers: GoldenAnswer[];
beforeAll(async () => {
  sample = await writeSample();
  requests = requestsOf(sample.names);
  const ask = await loaded(golden());
  answers = await ask(requests);
}, 300_000);

const golden = () => {
  const { names: _, about, ...stored } = sample;
  return { ...stored, about: { ...about, release } };
};

/** The form of the item of a pattern, or the family of a pattern that reads a partition. */
const kindOf = ({ example }: AccessPattern): string =>
  typeof example === 'string' ? familyOf(example) : kindOfItem(storedKey(example.pk, example.sk));

describe('the golden table of this checkout', () => {
  it('has items of each kind that the access patterns name, or a reason', () => {
    const keys = sample.items.map(({ pk, sk }) => storedKey(pk?.S ?? '', sk?.S ?? ''));
    const present = new Set(keys.flatMap((key) => [familyOf(key.pk), kindOfItem(key)]));
    const kinds = [...new Set(ACCESS_PATTERNS.map(kindOf))];
    const isAbsent = (kind: string) => [kind, ...kind.split(' ', 1)].some((name) => name in ABSENT);
    expect(kinds.filter((kind) => !present.has(kind) && !isAbsent(kind))).toEqual([]);
    expect(Object.keys(ABSENT).filter((family) => present.has(family))).toEqual([]);
  });

  it('names the request of items of each kind that the relay reads', () => {
    const effects = sample.items.filter((item) => {
      const { events, deliveries, evaluations, exports, environments, logs } = readBatch([
        { dynamodb: { NewImage: item as NewImage } },
      ]);
      return [events, deliveries, evaluations, exports, environments.snapshots, environments.allowed, logs].some(
        ({ length }) => length > 0,
      );
    });
    const kindsOf = (items: readonly RawItem[]) => [
      ...new Set(items.map(({ pk }) => familyOf(storedKey(pk?.S ?? '', '').pk))),
    ];
    const named = effects.filter((item) => requestAmong(item) !== undefined);
    expect(kindsOf(effects).toSorted()).toEqual([
      'ALLOWED',
      'AUDIT',
      'DELIVERY',
      'EVALUATION',
      'EXPORT',
      'MOMENT',
      'SNAPSHOT',
      'STATEMENT',
    ]);
    // Operators and workers write some of them without a request.
    expect(kindsOf(named).toSorted()).toEqual(kindsOf(effects).toSorted());
  });

  it('has an answer of each GET operation, or a reason', () => {
    const gets = groups.flatMap(({ endpoints }) => endpoints).filter(({ method }) => method === 'GET');
    const operations = gets.map(({ operation }) => operation);
    const decided = [...Object.keys(READS), ...Object.keys(NO_RECORD)];
    expect(operations.filter((operation) => !decided.includes(operation))).toEqual([]);
    expect(decided.filter((operation) => !operations.includes(operation))).toEqual([]);
    const given = answers.filter(({ status }) => status === 200 || status === 302);
    const answered = new Set(given.map(({ operation }) => operation));
    expect(Object.keys(READS).filter((operation) => !answered.has(operation))).toEqual([]);
  });

  it('answers no read with a wrong request or a fault of the service', () => {
    const expected = [200, 302, 403, 404, 410];
    const wrong = answers.filter(({ status }) => !expected.includes(status));
    expect(wrong.map(({ status, path, query, body }) => [status, path, query, body])).toEqual([]);
  });

  it('gives the same answers when it is loaded again', async () => {
    const ask = await loaded(golden());
    const again = await ask(requests);
    expect(differences(release, answers, again)).toEqual([]);
    expect(differences(release, again, answers)).toEqual([]);
  });

  it.skipIf(folder)('is read by the newest release, with the same answers', { timeout: 300_000 }, async () => {
    const written = mkdtempSync(join(tmpdir(), 'golden-written-'));
    onTestFinished(() => rmSync(written, { recursive: true }));
    writeGolden(written, { ...golden(), answers });
    const newest = await command('back', written);
    expect(newest).toMatch(/^(Release .* reads what this checkout writes|The history has no release yet)/m);
    // Without a release, the present commit shows that the way works.
    const shown = /has no release yet/.test(newest) ? await command('back', written, '--commit', 'HEAD') : newest;
    expect(shown).toMatch(/^Release .* reads what this checkout writes\.$/m);
  });

  it.runIf(folder)('is written where the command says', () => {
    const bytes = writeGolden(String(folder), { ...golden(), answers });
    const { items, objects } = sample;
    console.info(
      `${folder}: ${items.length} items, ${objects.length} objects, ${answers.length} answers, ${bytes} bytes`,
    );
  });
});

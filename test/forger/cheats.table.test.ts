import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { formatVerifierKey } from '#shared/tlog/keys.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { itemsOf } from '#test/support/relay.ts';
import { type Files, sealed } from './bag.ts';
import { type ExportSample, exportOf } from './export-sample.ts';
import { type ExportLine, type LineRecord, linesIn, textOf, withLines } from './lines.ts';
import { apiToForge, type ForgedOrganization, organizationToForge } from './organization.ts';

/**
 * Cheats that a person did by hand with an editor and without a key. Each one changes an honest export of a service, makes the
 * manifests right again, and asks the command of the verifier. That an export under a policy of two witnesses meets its own policy is
 * tested with the exporter.
 */

const api = await apiToForge();
const dir = mkdtempSync(join(tmpdir(), 'cheats-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let acme: ForgedOrganization;
let sample: ExportSample;
beforeAll(async () => {
  acme = await organizationToForge(api);
  sample = await exportOf(api, exporterOf(api.services), acme);
});

/** Writes an export to a folder and runs the command of the verifier. @returns its result and its exit code */
function verify(files: Files): Promise<{ said: string; code: number }> {
  const folder = join(mkdtempSync(join(dir, 'export-')), sample.folder);
  for (const [path, bytes] of sealed(files, sample.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const args = ['verify/main.ts', folder, '--log-key', formatVerifierKey(sample.key)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({
        said: /^(?:OK|FAULT).*/m.exec(stdout + stderr)?.[0] ?? stderr,
        code: error ? Number(error.code) : 0,
      }),
    );
  });
}

/** Changes the texts of all lines of these families. A quotation mark can have a backslash before it, in a text that holds JSON. */
const edited = (families: RegExp, change: (text: string) => string): Files =>
  linesIn(sample.files).reduce((files, { path, index, record }) => {
    if (!families.test(path)) return files;
    return withLines(files, path, new Map([[index, [change(textOf(record))]]]));
  }, sample.files);

const lineOf = (kind: string, fits: (line: ExportLine) => boolean = () => true): ExportLine => {
  const found = linesIn(sample.files).findLast((line) => line.kind === kind && fits(line));
  if (!found) throw new Error(`The export has no such line of ${kind}`);
  return found;
};

const with_ = ({ path, index }: ExportLine, text: string): Files =>
  withLines(sample.files, path, new Map([[index, [text]]]));

const lastOfThird = (): ExportLine => lineOf('moments/moment', ({ record }) => textOf(record).includes('third'));
const inFavour = (text: string): string =>
  text
    .replaceAll(/(\\?"compliant\\?":)false/g, '$1true')
    .replaceAll(/(\\?"word\\?":\\?")NON-COMPLIANT/g, '$1COMPLIANT');

/** Marks a moment as erased, as the service does it. */
function markedErased(text: string): string {
  const { detailsSalt: _, ...record } = JSON.parse(text) as LineRecord;
  return record['item'] === 'moment' ? textOf({ ...record, erased: { at: 1, reason: 'a secret' } }) : text;
}

describe('an export without any change', () => {
  it('the export is verified', async () => {
    const { said, code } = await verify(sample.files);
    expect([code, said]).toEqual([expect.toSatisfy((one) => one === 0 || one === 3), expect.stringMatching(/^OK/)]);
  });
});

describe('a fault is', () => {
  it.each<[string, () => Files, RegExp]>([
    [
      '1. an attachment that was exchanged',
      () => {
        const content = Buffer.from('something else');
        const [file] = [...sample.files].filter(([, bytes]) => String(bytes) === 'attached to third');
        const digest = file?.[0].split('/').at(-1) ?? '';
        const own = hash('sha256', content);
        const files = new Map(edited(/./, (text) => text.replaceAll(digest, own)));
        files.delete(`data/files/${digest}`);
        return files.set(`data/files/${own}`, content);
      },
      /^FAULT .*(?:attestation|file)/,
    ],
    [
      '2. that all attachments were removed',
      () =>
        new Map(
          [...edited(/attestations/, (text) => text.replace(/"files":\[[^\]]*\]/, '"files":[]'))].filter(
            ([path]) => !path.startsWith('data/files/'),
          ),
        ),
      /^FAULT /,
    ],
    [
      '3. a trail whose moments are marked as erased and now speak in its favour, without the entry of an erasure',
      () =>
        edited(/moments|trails|attestations/, (text) => (text.includes('third') ? inFavour(markedErased(text)) : text)),
      /^FAULT .*moment/,
    ],
    [
      '3. a moment that is marked as erased without the entry of an erasure, and nothing else',
      () => with_(lastOfThird(), markedErased(textOf(lastOfThird().record))),
      /^FAULT .*moment.*eras/,
    ],
    [
      '4. that two trails have each other’s names',
      () =>
        edited(/moments|trails|attestations|artifacts|runtime-events|builds/, (text) =>
          text.replaceAll(
            /("(?:name|trail|trail_name)":")(second|third)"/g,
            (_, member: string, name: string) => `${member}${name === 'second' ? 'third' : 'second'}"`,
          ),
        ),
      /^FAULT .*(?:second|third)/,
    ],
    [
      '6. another text of a policy',
      () => {
        const line = lineOf('policies/version');
        const { body, ...record } = line.record;
        if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('A policy has a text');
        const text = `${String(body['text'])}# changed\n`;
        return with_(
          line,
          textOf({ ...record, body: { ...body, text, sha256: hash('sha256', text), size: Buffer.byteLength(text) } }),
        );
      },
      /^FAULT .*polic/,
    ],
  ])('%s', async (_, cheat, fault) => {
    const { said, code } = await verify(cheat());
    expect([code, said]).toEqual([1, expect.stringMatching(fault)]);
  });
});

it('5. a moment that was appended after the checkpoint decides no verdict', async () => {
  const line = lastOfThird();
  const number = Number(line.record['number']) + 1;
  const { log_index: _, ...record } = line.record;
  const appended = inFavour(textOf({ ...record, number, previous: record['hash'] ?? '' }));
  const files = withLines(sample.files, line.path, new Map([[line.index, [textOf(line.record), appended]]]));
  const { said, code } = await verify(files);
  expect(code === 1 ? said : [code, said]).toEqual(
    code === 1
      ? expect.stringMatching(/^FAULT /)
      : [3, expect.stringMatching(/after the checkpoint: .*moments\/moment/)],
  );
});

describe('7. a line that was removed from', () => {
  const KINDS = [
    'policies/version',
    'controls/version',
    'custom-types/version',
    'allow-lists/allowed',
    'members/member',
  ];
  it.each([...KINDS, 'evaluations/evaluation', 'deployments/deployments', 'builds/build'])(
    '%s is a fault, or the scope says that such lines are not covered',
    async (kind) => {
      const { path, index } = lineOf(kind);
      const { said, code } = await verify(withLines(sample.files, path, new Map([[index, []]])));
      const isNamed = code === 3 && said.includes(`${kind} (`);
      expect(isNamed || (code === 1 && said.startsWith('FAULT ')), said).toBe(true);
    },
  );
});

it('8. one byte of the stored head of the log stops the log, and no other history is signed', async () => {
  const { services } = api;
  const before = await readCheckpoint(services.table, acme.id);
  const head = (await itemsOf(services.table.name, acme.id)).find(({ pk, sk }) => pk.endsWith('#LOG') && sk === 'HEAD');
  if (!head) throw new Error('The log has a head');
  const flipped = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return Uint8Array.from(value, (byte, i) => (i === 0 ? byte ^ 1 : byte));
    return Array.isArray(value) ? value.map((one, i) => (i === 0 ? flipped(one) : one)) : value;
  };
  const changed = Object.fromEntries(Object.entries(head).map(([name, value]) => [name, flipped(value)]));
  expect(changed).not.toEqual(head);
  await services.table.put({ ...changed, pk: head.pk, sk: head.sk });
  await acme.begin({ description: 'of a later time' }, { flow: 'api', trail: 'after' });
  await expect(logEverything(services, acme.id)).rejects.toThrow();
  expect((await readCheckpoint(services.table, acme.id))?.note).toBe(before?.note);
  await services.table.put(head);
});

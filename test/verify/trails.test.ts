import { createHmac, hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, entryHash, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import { asExport, sampleExport, seal } from './sample-export.ts';
import { type Files, logKey, ORIGIN } from './sample-log.ts';

/** What somebody can change in the lines of trails and their records, who writes the manifest again. */

let sample: Files;
beforeAll(async () => {
  ({ files: sample } = await sampleExport());
});

const MOMENTS = 'data/records/moments-0001.ndjson';
const TRAILS = 'data/records/trails-0001.ndjson';
const ATTESTATIONS = 'data/records/attestations-0001.ndjson';

const verified = (files: Files) => verifyFiles(asExport(seal(files)), { policy: policyOf(logKey) });

/** Returns the first fault as the command prints it. */
async function faultOf(files: Files): Promise<string> {
  const outcome = await verified(files).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

/** Changes the text of a file. @returns the file with its path */
const changedIn = (path: string, change: (text: string) => string): [string, Buffer][] => {
  const text = sample.get(path)?.toString() ?? '';
  const changed = change(text);
  if (changed === text) throw new Error(`${path} was not changed`);
  return [[path, Buffer.from(changed)]];
};
const edited = (path: string, change: (text: string) => string): Files =>
  new Map([...sample, ...changedIn(path, change)]);
const without = (path: string): Files => new Map([...sample].filter(([one]) => one !== path));

describe('an export', () => {
  it.each<[string, () => Files, string]>([
    [
      'a moment is marked as erased, and no entry of the audit log names it',
      () =>
        edited(MOMENTS, (text) => text.replace(/"detailsSalt":"[0-9a-f]+",/, '"erased":{"at":1,"reason":"a secret"},')),
      `${MOMENTS}: line 1: the text under 'details' is gone, and no entry of the audit log names its erasure`,
    ],
    [
      'the verdict of an erased moment was changed',
      () => edited('data/records/moments-0002.ndjson', (text) => text.replace('COMPLIANT', 'INCOMPLETE')),
      "data/records/moments-0002.ndjson: line 1: the text is not the one under the commitment 'moment'",
    ],
    [
      'an attachment was exchanged for another one',
      () => {
        const other = hash('sha256', 'other');
        const files = edited(ATTESTATIONS, (text) => text.replace(hash('sha256', 'attached'), other));
        files.set(`data/files/${other}`, Buffer.from('other'));
        return files;
      },
      `${ATTESTATIONS}: line 1: the text is not the one under the commitment 'file:0'`,
    ],
    [
      'the list of attachments was emptied',
      () => edited(ATTESTATIONS, (text) => text.replace(/"files":\[[^\]]*\]/, '"files":[]')),
      `${ATTESTATIONS}: line 1: the text is not the one under the commitment 'record'`,
    ],
    [
      'the file of an attachment was removed',
      () => without(`data/files/${hash('sha256', 'attached')}`),
      `data/files/${hash('sha256', 'attached')}: the file is missing: ${ATTESTATIONS}: line 1 names it as log.txt`,
    ],
    [
      'an attachment is marked as erased, and no entry of the audit log names it',
      () =>
        edited(ATTESTATIONS, (text) =>
          text
            .replace(hash('sha256', 'attached'), '')
            .replace(
              /"filename":"log.txt","salt":"[0-9a-f]+"/,
              '"erased":{"at":1,"reason":"a secret"},"filename":"log.txt"',
            ),
        ),
      `${ATTESTATIONS}: line 1: the text under 'file:0' is gone, and no entry of the audit log names its erasure`,
    ],
    [
      'the facts of an attestation are marked as erased, and no entry of the audit log names them',
      () =>
        edited(ATTESTATIONS, (text) =>
          text.replace(/"facts":\{[^}]*\}/, '"facts":{"erased":{"at":1,"reason":"a secret"}}'),
        ),
      `${ATTESTATIONS}: line 1: the text under 'facts' is gone, and no entry of the audit log names its erasure`,
    ],
    [
      'the trail has another name in its lines',
      () =>
        new Map([
          ...edited(MOMENTS, (text) => text.replaceAll('"name":"run"', '"name":"fun"')),
          ...changedIn(TRAILS, (text) => text.replaceAll('"run"', '"fun"')),
        ]),
      `${MOMENTS}: line 1: the line names trail fun, the moment trail run`,
    ],
    [
      'the head of a trail has another name',
      () => edited(TRAILS, (text) => text.replace('"name":"run"', '"name":"fun"')),
      `${TRAILS}: line 1: the line is named fun`,
    ],
    [
      'the head of a trail was removed',
      () => edited(TRAILS, (text) => text.split('\n').slice(1).join('\n')),
      'data/records: no line has the head of trail run of flow shop',
    ],
    [
      'the author of a trail was changed',
      () => edited(TRAILS, (text) => text.replace('"by":"ann"', '"by":"eve"')),
      `${TRAILS}: line 1: by of the head is eve, moment 3 of trail run of flow shop gives ann`,
    ],
    [
      'a commit was changed',
      () => edited(TRAILS, (text) => text.replace('abc', 'abd')),
      `${TRAILS}: line 3: the body does not have its SHA-256`,
    ],
    [
      'a commit was removed',
      () => edited(TRAILS, (text) => text.split('\n').toSpliced(2, 1).join('\n')),
      'data/records: no line has the commit ',
    ],
    [
      'the repository of a trail was changed',
      () => edited(TRAILS, (text) => text.replace('"name":"web"', '"name":"owl"')),
      `${TRAILS}: line 4: the repository is not the one that moment 1 of trail run of flow shop keeps`,
    ],
    [
      'the facts of an attestation were exchanged with their commitment',
      () => {
        const [text, key] = ['{"other":1}', '07'.repeat(32)];
        const commitment = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
        const facts = { sha256: hash('sha256', text), salt: key, size: text.length, text };
        return edited(ATTESTATIONS, (line) =>
          line
            .replace(/"facts":\{[^}]*\}/, `"facts":${JSON.stringify(facts)}`)
            .replace(/"facts":"[0-9a-f]+"/, `"facts":"${commitment}"`),
        );
      },
      `${ATTESTATIONS}: line 1: the record does not have the facts of number 2 of trail run`,
    ],
  ])('is refused if %s', async (_, change, fault) => {
    expect(await faultOf(change())).toContain(fault);
  });

  it('says how each kind of lines of a trail stands', async () => {
    const { scope } = await verified(sample);
    const standing = (name: string) => {
      const { lines, proved, follows, erased, later } = scope.find((row) => row.name === name) ?? {};
      return { lines, proved, follows, erased, later };
    };
    const none = { proved: 0, follows: 0, erased: 0, later: 0 };
    expect(standing('moments/moment')).toEqual({ ...none, lines: 3, proved: 2, erased: 1 });
    expect(standing('attestations/attestation')).toEqual({ ...none, lines: 1, proved: 1 });
    expect(standing('templates/template')).toEqual({ ...none, lines: 1, proved: 1 });
    // The details of the third moment were erased, so nothing proves which commit and fields the head names.
    expect(standing('trails/trail')).toEqual({ ...none, lines: 1, erased: 1 });
    expect(standing('trails/fields')).toEqual({ ...none, lines: 1, proved: 1 });
    expect(standing('trails/commit')).toEqual({ ...none, lines: 1, follows: 1 });
    expect(standing('trails/repo')).toEqual({ ...none, lines: 1, follows: 1 });
  });

  it('takes its verdicts from the moments up to the checkpoint, and says what came later', async () => {
    const body = canonicalJson({
      ...{ changes: [], template: null, ownTemplate: null, word: 'NON-COMPLIANT', attestations: 1 },
      ...{ names: { flow: 'web', trail: 'run' }, by: { id: 'eve' } },
    });
    const [key, details] = ['07'.repeat(32), canonicalJson({ by: { name: 'eve' }, fields: null })];
    const pledge = (text: string) => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
    const append = (text: string) => {
      const last = JSON.parse(text.trim().split('\n').at(-1) ?? '');
      const { flow, trail, at, hash: previous } = last;
      const header = {
        number: 4,
        kind: 'trail_updated',
        at: at + 1,
        commitments: { moment: pledge(body), details: pledge(details) },
      };
      const entry = linkEntry('delivery-evidence/trail', Buffer.from(previous, 'hex'), {
        org: ORIGIN.split('.')[0] ?? '',
        subject: { flow, trail },
        ...header,
      });
      const own = { body, salt: key, details, detailsSalt: key, previous, hash: entryHash(entry).toString('hex') };
      return `${text}${canonicalJson({ item: 'moment', flow, trail, name: 'run', ...header, ...own })}\n`;
    };
    const files = new Map([
      ...edited('data/records/moments-0002.ndjson', append),
      ...changedIn(TRAILS, (text) =>
        text.replace('"number":3', '"number":4').replace('"word":"COMPLIANT"', '"word":"NON-COMPLIANT"'),
      ),
    ]);
    const { counts, exceptions } = await verified(files);
    expect(counts).toMatchObject({ 'verdicts of trails': '1 COMPLIANT', 'records after the checkpoint': 1 });
    expect(exceptions).toContain('after the checkpoint: moments/moment (1), trails/trail (1)');
  });
});

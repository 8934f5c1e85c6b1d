import { describe, expect, it } from 'vitest';
import {
  BUNDLE,
  bodyOf,
  edited,
  editedAudit,
  editedStatement,
  emptied,
  entries,
  faultOf,
  flipped,
  MOMENTS,
  pathOf,
  sample,
  without,
} from './edited-sample.ts';
import { seal } from './sample-export.ts';
import { type Files, logFiles, otherLog } from './sample-log.ts';

describe('an export whose manifest fits', () => {
  // In each of these cases the manifest fits the changed files.
  it.each<[string, () => Files, string]>([
    [
      'a moment was changed',
      () => edited(MOMENTS, (text) => text.replace('trail_attestation_reported', 'trail_updated')),
      `${MOMENTS}: line 2: moment 2 of trail`,
    ],
    [
      'the body of a moment was changed',
      () => edited(MOMENTS, (text) => text.replace('INCOMPLETE', 'COMPLIANT')),
      `${MOMENTS}: line 1: the text is not the one under the commitment 'moment'`,
    ],
    [
      'a moment was removed',
      () => edited(MOMENTS, (text) => `${text.split('\n')[0]}\n`),
      'data/records/moments-0002.ndjson: line 1: moment 3 of trail',
    ],
    [
      'the last moment was removed',
      () => without('data/records/moments-0002.ndjson'),
      'data/records/trails-0001.ndjson: line 1: the export does not have moment 3',
    ],
    [
      'two moments were swapped',
      () => edited(MOMENTS, (text) => `${text.split('\n').toReversed().slice(1).join('\n')}\n`),
      `${MOMENTS}: line 1: moment 2 of trail`,
    ],
    [
      'a moment is there twice',
      () => edited(MOMENTS, (text) => `${text}${text.split('\n')[1]}\n`),
      `${MOMENTS}: line 3: moment 2 of trail`,
    ],
    [
      'a moment hides that it was logged',
      () => edited('data/records/moments-0002.ndjson', (text) => text.replace(/"log_index":2,/, '')),
      'data/records/moments-0002.ndjson: line 1: the line names no entry of the log',
    ],
    [
      'a moment pretends that it was erased',
      () => edited(MOMENTS, (text) => text.replace(/"detailsSalt":"[0-9a-f]+",/, '')),
      `${MOMENTS}: line 1: the details have no salt and were not erased`,
    ],
    [
      'the verdict in the head of a trail was changed',
      () => edited('data/records/trails-0001.ndjson', (text) => text.replace('COMPLIANT', 'INCOMPLETE')),
      'data/records/trails-0001.ndjson: line 1: word of the head is INCOMPLETE, moment 3 of trail run of flow shop gives COMPLIANT',
    ],
    [
      'the fields of a trail were changed',
      () => edited('data/records/trails-0001.ndjson', (text) => text.replace('first', 'other')),
      'data/records/trails-0001.ndjson: line 2: the body does not have its SHA-256',
    ],
    [
      'a template was removed',
      () => without('data/records/templates-0001.ndjson'),
      'data/records/moments-0002.ndjson: line 1: no line of templates has the template',
    ],
    [
      'an attestation became compliant',
      () =>
        edited('data/records/attestations-0001.ndjson', (text) =>
          text.replace('"compliant":true', '"compliant":false'),
        ),
      "data/records/attestations-0001.ndjson: line 1: the text is not the one under the commitment 'record'",
    ],
    [
      'an attestation was removed',
      () => without('data/records/attestations-0001.ndjson'),
      "data/records: no line has the text under the commitment 'record' of number 2 of trail run",
    ],
    [
      'an attestation is there twice',
      () => edited('data/records/attestations-0001.ndjson', (text) => text + text),
      'data/records/attestations-0001.ndjson: line 2: an earlier line has this record',
    ],
    [
      'a body was removed',
      () => without(pathOf('data/bodies/')),
      'the file is missing, and data/records/attestations-0001.ndjson: line 1 names it',
    ],
    [
      'a snapshot was changed',
      () => edited('data/records/snapshots-0001.ndjson', (text) => text.replace('"known":true', '"known":false')),
      "data/records/snapshots-0001.ndjson: line 3: the text is not the one under the commitment 'summary'",
    ],
    [
      'the content of a snapshot is missing',
      () => edited('data/records/snapshots-0001.ndjson', (text) => text.split('\n').slice(1).join('\n')),
      'data/records/snapshots-0001.ndjson: line 1: content 2 of environment prod comes after content 1',
    ],
    [
      'the head of an environment was changed',
      () => edited('data/records/environments-0001.ndjson', (text) => text.replace('true', 'false')),
      'data/records/environments-0001.ndjson: line 1: the head of the environment has another ',
    ],
    [
      'an audit entry was changed',
      () => edited('data/records/audit-0001.ndjson', (text) => text.replace('flow 3"', 'flow 4"')),
      "data/records/audit-0001.ndjson: line 4: the text is not the one under the commitment 'entry'",
    ],
    [
      'the actor of an audit entry was changed',
      () => editedAudit(3, ({ actor, ...line }) => ({ ...line, actor: { ...(actor as object), name: 'eve' } })),
      "data/records/audit-0001.ndjson: line 4: the text is not the one under the commitment 'entry'",
    ],
    [
      'the values of an audit entry were changed',
      () => editedAudit(3, (line) => ({ ...line, after: { visibility: 'public' } })),
      "data/records/audit-0001.ndjson: line 4: the text is not the one under the commitment 'values'",
    ],
    [
      'the commitment of an audit entry was changed',
      () =>
        editedAudit(3, ({ commitments, ...line }) => ({
          ...line,
          commitments: { ...(commitments as object), values: 'a'.repeat(64) },
        })),
      'data/records/audit-0001.ndjson: line 4: audit entry',
    ],
    [
      'the values of an audit entry were erased, and no entry says so',
      () => editedAudit(3, emptied),
      "data/records/audit-0001.ndjson: line 4: the text under 'values' is gone, and no entry of the audit log names its erasure",
    ],
    [
      'an audit entry is marked as erased and has its values',
      () => editedAudit(3, (line) => ({ ...line, erased: true })),
      'data/records/audit-0001.ndjson: line 4: the entry is marked as erased, and its values are there',
    ],
    [
      'an erased audit entry got values',
      () => editedAudit(7, (line) => ({ ...line, after: { visibility: 'public' } })),
      'data/records/audit-0001.ndjson: line 8: the values of the entry have no salt',
    ],
    [
      'an erasure names another commitment',
      () => editedAudit(8, ({ removed, ...line }) => ({ ...line, removed: { ...(removed as object), b: ['values'] } })),
      "data/records/audit-0001.ndjson: line 9: the text is not the one under the commitment 'entry'",
    ],
    [
      'an audit entry was removed',
      () => edited('data/records/audit-0001.ndjson', (text) => text.split('\n').toSpliced(2, 1).join('\n')),
      'data/records: entry 7 of the log has no record: audit entry',
    ],
    [
      'the record of a statement has another text',
      () => editedStatement((line) => ({ ...line, payload: bodyOf('{}') })),
      'data/records/statements-0001.ndjson: line 1: the text is not the one that was signed',
    ],
    [
      'a statement was erased, and no entry says so',
      () => editedStatement((line) => ({ ...line, payload: { erased: true } })),
      "data/records/statements-0001.ndjson: line 1: the text under 'statement' is gone, and no entry of the audit log names its erasure",
    ],
    [
      'a line is not JSON',
      () => edited(MOMENTS, (text) => text.replace('{', '[')),
      `${MOMENTS}: line 1: the line is not JSON`,
    ],
    [
      'a line is cut off',
      () => edited(MOMENTS, (text) => text.slice(0, -10)),
      `${MOMENTS}: the last line has no line feed`,
    ],
    [
      'a hash in a tile was changed',
      () => flipped('data/log/tile/0/000'),
      'data/log/tile/0/000: the hashes are not those',
    ],
    [
      'a hash in an upper tile was changed',
      () => flipped('data/log/tile/1/000.p/1'),
      'data/log/tile/1/000.p/1: the hashes',
    ],
    ['an entry was changed', () => flipped(BUNDLE), `${BUNDLE}: entry`],
    [
      'a tile is there that the size does not have',
      () => new Map([...sample, ['data/log/tile/0/002', Buffer.alloc(32)]]),
      'data/log/tile/0/002: a log of 266 entries has no such file',
    ],
    [
      'the key in it is another one',
      () => edited('data/keys/log.vkey', () => `${otherLog.verifierKey}\n`),
      'data/keys/log.vkey: ',
    ],
    [
      'the policy in it names another key',
      () => edited('data/keys/policy', () => `log ${otherLog.verifierKey}\nquorum none\n`),
      'data/keys/policy: ',
    ],
    [
      'the trusted root in it is another one',
      () => edited('data/keys/trusted_root.json', () => '{}'),
      'data/keys/trusted_root.json: ',
    ],
    [
      'a statement was changed',
      () =>
        edited('data/statements/1.sigstore.json', (text) =>
          text.replace(/"payload":"[^"]+"/, `"payload":"${Buffer.from('{}').toString('base64')}"`),
        ),
      'data/statements/1.sigstore.json: the logged digest is not that of the statement',
    ],
    [
      'the proof of a statement was changed',
      () =>
        edited('data/statements/1.sigstore.json', (text) =>
          text.replace(/"hashes":\["[^"]+"/, `"hashes":["${Buffer.alloc(32).toString('base64')}"`),
        ),
      'data/statements/1.sigstore.json: the proof of the bundle does not lead to the root of the checkpoint',
    ],
    [
      'another member of a bundle was changed',
      () => edited('data/statements/1.sigstore.json', (text) => text.replace('"treeSize":"266"', '"treeSize":"265"')),
      'data/statements/1.sigstore.json: the bundle is not the one of this statement and this checkpoint',
    ],
    [
      'a statement has another index',
      () => edited('data/records/statements-0001.ndjson', (text) => text.replace('"log_index":265', '"log_index":264')),
      'data/records/statements-0001.ndjson: line 1: the log does not have this statement as entry 264',
    ],
    [
      'the bundle of a statement is missing',
      () => without('data/statements/1.sigstore.json'),
      'data/statements/1.sigstore.json: the file is missing, and data/records/statements-0001.ndjson: line 1 has its',
    ],
    [
      'the record of a statement is missing',
      () => without('data/records/statements-0001.ndjson'),
      'data/statements/1.sigstore.json: no record of this id has this statement',
    ],
    [
      'the envelopes lack one of a statement',
      () => without('data/statements/all.intoto.jsonl'),
      'data/statements/all.intoto.jsonl: no line has the envelope of data/statements/1.sigstore.json',
    ],
    [
      'the envelopes have one that no bundle has',
      () => edited('data/statements/all.intoto.jsonl', (text) => `${text}${text}`),
      'data/statements/all.intoto.jsonl: line 2: the line is not the envelope of a bundle',
    ],
  ])('is refused if %s', async (_, change, fault) => {
    expect(await faultOf(seal(change()))).toContain(fault);
  });
});

describe('a log', () => {
  it.each<[string, () => Buffer[], string]>([
    ['has an entry twice', () => [...entries.slice(0, 265), entries[1] ?? Buffer.alloc(0)], 'is in the log twice'],
    ['lacks a link', () => entries.filter((_, i) => i !== 1), 'number 2 of trail'],
    [
      'has a link behind its successor',
      () => [...entries.slice(0, 1), ...entries.slice(2), ...entries.slice(1, 2)],
      '',
    ],
    ['has something else', () => [...entries, Buffer.from('text')], 'The bytes are not an entry of the log'],
  ])('that %s is judged although its operator signed it', async (_, made, fault) => {
    const signed = await logFiles(made());
    const kept = [...sample].filter(([path]) => !path.startsWith('data/log/'));
    const files = seal(new Map([...kept, ...[...signed].map(([path, bytes]) => [`data/log/${path}`, bytes] as const)]));
    // The order of links in the log is not claimed: the records then name other indexes, and nothing else.
    expect(await faultOf(files)).toContain(fault === '' ? 'the line names entry' : fault);
  });
});

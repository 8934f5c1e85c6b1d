import { describe, expect, it } from 'vitest';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { formatVerifierKey } from '#shared/tlog/keys.ts';
import { parsePolicy } from '#shared/tlog/policy.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { verifyFiles } from '#verify/export.ts';
import {
  BUNDLE,
  edited,
  entries,
  faultOf,
  flipped,
  MOMENTS,
  pathOf,
  sample,
  verified,
  without,
} from './edited-sample.ts';
import { asExport, seal } from './sample-export.ts';
import { type Files, logFiles, logKey, otherLog, witness } from './sample-log.ts';

const KINDS = [
  'bagit.txt',
  'bag-info.txt',
  'manifest-sha256.txt',
  'tagmanifest-sha256.txt',
  'data/README.md',
  'data/keys/log.vkey',
  'data/keys/policy',
  'data/keys/trusted_root.json',
  'data/keys/statements.pem',
  MOMENTS,
  'data/records/templates-0001.ndjson',
  'data/records/members-0001.ndjson',
  'data/bodies/',
  'data/files/',
  'data/statements/1.sigstore.json',
  'data/statements/all.intoto.jsonl',
  'data/records/statements-0001.ndjson',
  'data/log/checkpoint',
  BUNDLE,
  'data/log/tile/0/000',
  'data/log/tile/0/001.p/10',
  'data/log/tile/1/000.p/1',
];

describe('an export', () => {
  it('is verified, with counts of what was checked', async () => {
    expect(await verified(sample)).toMatchObject({
      entries: 266,
      moments: 3,
      snapshots: 2,
      'audit entries': 260,
      statements: 1,
      'records proved': 266,
      'texts opened': 532,
      'texts erased': 2,
      'verdicts of trails': '1 COMPLIANT',
      'statements verified': 1,
      'records after the checkpoint': 0,
    });
  });

  it.each(KINDS)('an export with one changed byte in %s is refused by the name of that file', async (kind) => {
    expect(await faultOf(flipped(pathOf(kind)))).toContain(pathOf(kind));
  });

  it.each(KINDS)('an export without %s is refused by the name of that file', async (kind) => {
    expect(await faultOf(without(pathOf(kind)))).toContain(pathOf(kind));
  });

  it.each([
    [
      'a file was added',
      () => new Map([...sample, ['data/new', Buffer.from('1')]]),
      'data/new: the file is not listed',
    ],
    [
      'the manifest lists a file twice',
      () => edited('manifest-sha256.txt', (text) => `${text}${text.split('\n')[0]}\n`),
      'manifest-sha256.txt: line 28: data/README.md is listed twice',
    ],
    [
      'the tag manifest lists a file of the payload',
      () => edited('tagmanifest-sha256.txt', (text) => `${text}${text.slice(0, 64)}  data/README.md\n`),
      'tagmanifest-sha256.txt: the file has other lines',
    ],
    [
      'another tag manifest was added',
      () => new Map([...sample, ['tagmanifest-sha512.txt', Buffer.from('1')]]),
      'tagmanifest-sha512.txt: the file is not listed',
    ],
  ])('is refused if %s', async (_, files, fault) => {
    expect(await faultOf(files())).toContain(fault);
  });

  it.each(['data/notes.txt', 'data/keys/other.pem'])(
    'is refused if it has a file that no export has: %s',
    async (path) => {
      expect(await faultOf(seal(new Map([...sample, [path, Buffer.from('1')]])))).toBe(
        `${path}: an export has no such file`,
      );
    },
  );

  it('is refused if a bundle has the name of another statement', async () => {
    const bundle = sample.get('data/statements/1.sigstore.json') ?? Buffer.of();
    const renamed = new Map([...sample, ['data/statements/2.sigstore.json', bundle]]);
    expect(await faultOf(seal(renamed))).toBe(
      'data/statements/2.sigstore.json: no record of this id has this statement',
    );
  });

  it.each([
    ['a member twice', (text: string) => text.replace('{', '{"name":"bob",')],
    ['a space', (text: string) => text.replace('{', '{ ')],
  ])('is refused if a line has %s', async (_, change) => {
    const path = 'data/records/members-0001.ndjson';
    expect(await faultOf(seal(edited(path, change)))).toBe(
      `${path}: line 1: the line is not in the form of RFC 8785: it has spaces, or a member twice`,
    );
  });

  it('is refused if its policy names another key of a witness than the given policy', async () => {
    const given = parsePolicy(`log ${formatVerifierKey(logKey)}\nwitness peer ${witness.verifierKey}\nquorum none\n`);
    const verifiedWith = (files: Files) => verifyFiles(asExport(files), { policy: given }).then(({ counts }) => counts);
    expect(await verifiedWith(sample)).toMatchObject({ entries: 266 });
    const other = witnessSigner('us.witness.example', localKey(privateKeyOf(new Uint8Array(32).fill(9))), () => 0);
    const changed = edited('data/keys/policy', (text) => text.replace(witness.verifierKey, other.verifierKey));
    await expect(verifiedWith(seal(changed))).rejects.toMatchObject({
      place: 'data/keys/policy',
      message: "the policy names another key of the witness 'us.witness.example' than the given policy",
    });
  });

  it('is refused with another key than that of the log', async () => {
    const other = await logFiles(entries, otherLog);
    const files = seal(new Map([...sample, ['data/log/checkpoint', other.get('checkpoint') ?? Buffer.alloc(0)]]));
    expect(await faultOf(files)).toBe(
      `data/log/checkpoint: No given key of the log '${logKey.name}' signed the checkpoint.`,
    );
  });

  it('counts records that came after its checkpoint', async () => {
    const files = new Map([
      ...sample,
      ...[...(await logFiles(entries.slice(0, 264)))].map(([p, b]) => [`data/log/${p}`, b] as const),
    ]);
    const shorter = [...files].filter(
      ([path]) => !/tile\/(entries|0)\/001\.p\/10$/.test(path) && !/^data\/(records\/)?statements/.test(path),
    );
    const audit =
      files
        .get('data/records/audit-0001.ndjson')
        ?.toString()
        .replace(/"log_index":264,/, '') ?? '';
    const cut = new Map<string, Buffer>([...shorter, ['data/records/audit-0001.ndjson', Buffer.from(audit)]]);
    expect(await verified(seal(cut))).toMatchObject({
      entries: 264,
      'records proved': 264,
      'records after the checkpoint': 1,
    });
  });
});

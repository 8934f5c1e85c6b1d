import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifierFolder } from '#functions/verifier-folder.ts';
import { commitment } from '#shared/base/digests.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { SigstoreBundle } from '#shared/log/rules/sigstore-bundle.ts';
import type { Item } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { decodeBundle } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { recordsOf } from '#test/support/log/read-tar.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { itemsOf } from '#test/support/relay.ts';
import { api, digest, exported } from './exported.ts';

describe('the exporter', () => {
  let acme: Awaited<ReturnType<typeof fullOrganization>>;
  let bag: Awaited<ReturnType<typeof exported>>;
  let items: Item[];
  beforeAll(async () => {
    acme = await fullOrganization(api);
    await logEverything(api.services, acme.id);
    bag = await exported(acme);
    items = await itemsOf(api.services.table.name, acme.id);
  });
  const records = (family: string, item?: string) =>
    recordsOf(bag.files, family).filter((record) => item === undefined || record['item'] === item);

  it('contains the verifier as one file', () => {
    expect(bag.files.get('data/verify.mjs')).toEqual(readFileSync(join(verifierFolder(), 'verify.mjs')));
    expect(bag.files.get('data/README.md')?.toString()).toContain(
      'a verifier that comes with the evidence proves nothing',
    );
  });

  it('makes a bag whose manifest, size and digest are right', () => {
    expect(bag.faults).toEqual([]);
    expect(bag.folder).toBe(`${acme.org}-${bag.done.log?.size}`);
    expect(digest(bag.tar)).toBe(bag.done.sha256);
    expect(bag.done.progress.bytes).toBe(bag.tar.length);
    const payload = [...bag.files].filter(([path]) => path.startsWith('data/'));
    const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
    expect(bag.files.get('bag-info.txt')?.toString()).toContain(`Payload-Oxum: ${bytes}.${payload.length}\n`);
    expect(bag.files.get('bag-info.txt')?.toString()).toContain(
      '\nService-Version: unknown\nService-Commit: unknown\n',
    );
    expect(bag.done.progress.files).toBe(payload.length);
    expect(bag.files.get('data/keys/policy')?.toString()).toMatch(/^log \S+\nwitness us \S+ https:\S+\nquorum us\n$/);
  });

  it.each([
    ['MEMBER', /./, 'members', 'member'],
    ['ACCOUNT', /./, 'service-accounts', 'service_account'],
    ['TRUST', /./, 'trusts', 'trust'],
    ['FLOW', /^HEAD$/, 'flows', 'flow'],
    ['FLOW', /^FACTS$/, 'flows', 'facts'],
    ['FLOW', /^TAGS$/, 'flows', 'tags'],
    ['TRAIL', /^H$/, 'trails', 'trail'],
    ['TRAIL', /^[FG]/, 'trails', 'fields'],
    ['TRAIL', /^C#/, 'trails', 'commit'],
    ['TRAIL', /^R#/, 'trails', 'repo'],
    ['MOMENT', /./, 'moments', 'moment'],
    ['RUNTIME', /-/, 'runtime-events', 'runtime_event'],
    ['ATTESTATION', /./, 'attestations', 'attestation'],
    ['ARTIFACT', /./, 'artifacts', 'artifact'],
    ['TYPE', /^V#/, 'custom-types', 'version'],
    ['POLICY', /#V#/, 'policies', 'version'],
    ['POLICY', /#E#/, 'policies', 'attached_to'],
    ['CONTROL', /^V#/, 'controls', 'version'],
    ['TRUSTROOT', /^V#/, 'trust-roots', 'version'],
    ['TRUSTROOT', /^[^#]*$/, 'trust-roots', 'trust_root'],
    ['SIGNER', /^V#/, 'signers', 'version'],
    ['SIGNER', /^[^#]*$/, 'signers', 'signer'],
    ['RECALL', /^V#/, 'recalls', 'version'],
    ['RECALL', /^[^#]*$/, 'recalls', 'recall'],
    ['EXPECTATION', /^V#/, 'expectations', 'version'],
    ['EXPECTATION', /^[^#]*$/, 'expectations', 'expectation'],
    ['ENV', /^HEAD$/, 'environments', 'environment'],
    ['SNAPSHOT', /^S#/, 'snapshots', 'snapshot'],
    ['SNAPSHOT', /^C#/, 'snapshots', 'content'],
    ['ALLOWED', /#/, 'allow-lists', 'allowed'],
    ['DEPLOYMENTS', /./, 'deployments', 'deployments'],
    ['PRESENCE', /./, 'presence', 'day'],
    ['EVALUATION', /./, 'evaluations', 'evaluation'],
    ['STATEMENT', /./, 'statements', 'statement'],
    ['ACTION', /./, 'actions', 'action'],
    ['DELIVERY', /./, 'deliveries', 'delivery'],
    ['AUDIT', /./, 'audit', 'audit'],
  ])('exports every item %s %s as a line of %s', (family, sortKey, file, item) => {
    const stored = items.filter(({ pk, sk }) => pk.split('#')[1] === family && sortKey.test(sk));
    expect(stored.length).toBeGreaterThan(0);
    expect(records(file, item)).toHaveLength(stored.length);
  });

  it('exports organization, keys, repositories, builds, events and templates', () => {
    for (const file of ['organization', 'service-account-keys', 'repos', 'builds', 'environment-events', 'templates']) {
      expect(records(file), file).not.toEqual([]);
    }
    expect(records('repos')[0]).toMatchObject({ name: 'acme/web' });
    expect(records('templates')[0]).toMatchObject({ body: { text: expect.stringContaining('review') } });
  });

  it('leaves out every secret', () => {
    const text = [...bag.files.values()].map(String).join('\n');
    for (const secret of acme.secrets) expect(text).not.toContain(secret);
    expect(records('actions')[0]).toMatchObject({ targets: [{ webhook: 'https://hooks.example.com' }] });
  });

  it('exports attachments and long texts once, under their digests', () => {
    const [attestation] = records('attestations');
    const { facts, files } = attestation as { facts: { file: string; sha256: string }; files: { sha256: string }[] };
    expect(digest(bag.files.get(facts.file) ?? Buffer.alloc(0))).toBe(facts.sha256);
    expect(bag.files.get(`data/files/${files[0]?.sha256}`)?.toString()).toBe('all tests passed');
  });

  it('exports the log of the checkpoint, and the index of each record in it', () => {
    const { size, root } = parseCheckpoint(parseNote(String(bag.files.get('data/log/checkpoint'))).text);
    expect(bag.done.log).toMatchObject({ size, root: root.toString('hex') });
    const entries = decodeBundle(bag.files.get(`data/log/tile/entries/000.p/${size}`) ?? Buffer.alloc(0), size);
    expect(rootOfLeaves(entries.map(leafHash))).toEqual(root);
    expect(bag.files.get(`data/log/tile/0/000.p/${size}`)).toEqual(Buffer.concat(entries.map(leafHash)));
    const proved = [
      ...records('moments'),
      ...records('snapshots', 'snapshot'),
      ...records('audit'),
      ...records('statements'),
    ].filter(({ log_index: index }) => index !== undefined);
    expect(records('audit').every(({ hash }) => /^[0-9a-f]{64}$/.test(String(hash)))).toBe(true);
    expect(proved.map((record) => Number(record['log_index'])).sort((a, b) => a - b)).toEqual([...entries.keys()]);
    for (const { log_index: index, digest: signed } of records('statements')) {
      const recorded = Buffer.from(String(signed), 'hex').toString('base64');
      expect(String(entries[Number(index)])).toContain(`"digest":"${recorded}"`);
    }
    for (const { log_index: index, hash } of proved.filter(({ item }) => item !== 'statement')) {
      expect(entryHash(entries[Number(index)] ?? Buffer.alloc(0)).toString('hex')).toBe(hash);
    }
    expect([...bag.files.keys()].filter((path) => path.startsWith('data/keys/'))).toHaveLength(4);
  });

  it('exports the bundle and the envelope of each statement', () => {
    const [{ id, log_index: index, payload } = {}] = records('statements');
    const bundle = JSON.parse(String(bag.files.get(`data/statements/${id}.sigstore.json`))) as SigstoreBundle;
    const [{ logIndex, inclusionProof } = {}] = bundle.verificationMaterial.tlogEntries;
    expect(logIndex).toBe(String(index));
    expect(inclusionProof?.checkpoint.envelope).toBe(String(bag.files.get('data/log/checkpoint')));
    expect(JSON.parse(String(bag.files.get('data/statements/all.intoto.jsonl')))).toEqual(bundle.dsseEnvelope);
    expect(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString()).toBe((payload as { text: string }).text);
  });

  it('exports the opening of each commitment', () => {
    const bytes = (hex: unknown) => Buffer.from(String(hex), 'hex');
    const bodies = new Map(
      [...records('attestations'), ...records('artifacts')].map(({ id, facts }) => [
        id,
        facts as { salt: string; text?: string; file?: string },
      ]),
    );
    for (const { body, salt, details, detailsSalt, commitments, record } of records('moments')) {
      const pledged = commitments as Record<string, string>;
      expect(commitment(bytes(salt), String(body)).toString('hex')).toBe(pledged['moment']);
      expect(commitment(bytes(detailsSalt), String(details)).toString('hex')).toBe(pledged['details']);
      const facts = bodies.get(record);
      if (!facts) continue;
      const text = facts.text ?? bag.files.get(facts.file ?? '') ?? '';
      expect(commitment(bytes(facts.salt), text).toString('hex')).toBe(pledged['facts']);
    }
  });
});

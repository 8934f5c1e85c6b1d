import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { groups } from '#functions/groups.ts';
import { verifierFolder } from '#functions/verifier-folder.ts';
import { commitment } from '#shared/base/digests.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { LEASE_MICROS, MOST_ATTEMPTS } from '#shared/exports/continue-export.ts';
import type { SigstoreBundle } from '#shared/log/rules/sigstore-bundle.ts';
import type { Item } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { decodeBundle } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { testApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization } from '#test/support/environments.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { readBag, recordsOf } from '#test/support/log/read-tar.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { itemsOf } from '#test/support/relay.ts';

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const us = witnessSigner('us.witness.example', localKey(privateKeyOf(new Uint8Array(32))), () => 1);
const witness = { policy: `witness us ${us.verifierKey} https://us.example/witness\nquorum us\n` };
const exporter = exporterOf(api.services, { witness }, [us]);

interface ShownExport {
  id: string;
  state: string;
  sha256: string;
  download_url: string;
  log: { size: number; root: string } | null;
  progress: { steps: number; files: number; bytes: number };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function start(acme: EnvironmentsOfOrganization): Promise<ShownExport> {
  const answer = await acme.call('POST', `/exports/${acme.org}`);
  expect(answer.status, answer.text).toBe(202);
  return answer.json as ShownExport;
}

const shown = async (acme: EnvironmentsOfOrganization, id: string) =>
  (await acme.get(`/exports/${acme.org}/${id}`)).json as ShownExport;

/** Exports an organization. @param times readings of the clock of each call */
async function exported(acme: EnvironmentsOfOrganization, times?: readonly number[]) {
  const { id } = await start(acme);
  const calls = await exporter.run({ org: acme.id, id }, times);
  const done = await shown(acme, id);
  const tar = Buffer.from(await (await fetch(done.download_url)).arrayBuffer());
  return { calls, done, tar, ...(await readBag(tar)) };
}

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
    ['ENV', /^HEAD$/, 'environments', 'environment'],
    ['SNAPSHOT', /^S#/, 'snapshots', 'snapshot'],
    ['SNAPSHOT', /^C#/, 'snapshots', 'content'],
    ['ALLOWED', /#/, 'allow-lists', 'allowed'],
    ['DEPLOYMENTS', /./, 'deployments', 'deployments'],
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

describe('an export in steps', () => {
  const FOUR_PAGES = [0, 0, 0, 0, PAGES_MILLIS];

  async function smallOrganization() {
    const acme = await environmentsOfOrganization(api);
    for (const trail of ['one', 'two', 'three']) await acme.begin({ name: trail });
    await acme.attest(
      'generic',
      { attestation_name: 'tests', is_compliant: true },
      { trail: 'one', files: { attachment_file: 'log' } },
    );
    await logEverything(api.services, acme.id);
    expect((await acme.get(`/trails/${acme.org}/web/one/statement`)).status).toBe(200);
    await logEverything(api.services, acme.id);
    return acme;
  }

  /** Lines of records and names of files, without what differs between two exports. */
  const contentOf = ({ files }: { files: Map<string, Buffer> }) =>
    new Set(
      [...files]
        .flatMap(([path, content]) => (path.endsWith('.ndjson') ? content.toString().split('\n') : [path]))
        // Each export has an audit entry of its own, so the logs have different sizes.
        .filter((line) => !/export\.started|^data\/(?:records|log)\//.test(line)),
    );

  it('has the same records and files as an export in one step', async () => {
    const acme = await smallOrganization();
    const whole = await exported(acme);
    const cut = await exported(acme, FOUR_PAGES);
    expect(whole.calls).toBe(1);
    expect(cut.calls).toBeGreaterThan(3);
    expect(cut.faults).toEqual([]);
    expect(contentOf(cut)).toEqual(contentOf(whole));
  });

  it('makes an interrupted step again, wherever it was interrupted', async () => {
    const acme = await smallOrganization();
    const { id } = await start(acme);
    const message = { org: acme.id, id };
    await logEverything(api.services, acme.id);
    const { files } = exporter.services;
    const interrupted = (method: 'begin' | 'putNote' | 'putPart' | 'complete') =>
      exporterOf(api.services, {
        files: new Proxy(files, {
          get: (target, name) =>
            name === method ? () => Promise.reject(new Error('interrupted')) : Reflect.get(target, name, target),
        }),
      });
    const failed = [];
    for (const method of ['begin', 'putNote', 'putPart', 'complete'] as const) {
      failed.push(await interrupted(method).work(message, method === 'putNote' ? FOUR_PAGES : [0]));
      api.services.clock.advance(LEASE_MICROS);
    }
    expect(failed).toEqual([false, false, false, false]);
    await exporter.run(message);
    const done = await shown(acme, id);
    const bag = await readBag(Buffer.from(await (await fetch(done.download_url)).arrayBuffer()));
    expect(bag.faults).toEqual([]);
    expect(contentOf(bag)).toEqual(contentOf(await exported(acme)));
  });

  it('is made by one worker at a time', async () => {
    const acme = await smallOrganization();
    const { id } = await start(acme);
    const message = { org: acme.id, id };
    const [one, other] = [exporterOf(api.services), exporterOf(api.services)];
    await Promise.all([one.run(message, FOUR_PAGES), other.run(message, FOUR_PAGES)]);
    await exporter.run(message, FOUR_PAGES);
    const done = await shown(acme, id);
    expect(done.state).toBe('done');
    const tar = Buffer.from(await (await fetch(done.download_url)).arrayBuffer());
    expect(digest(tar)).toBe(done.sha256);
  });

  it(`fails after ${MOST_ATTEMPTS} calls that finished no step`, async () => {
    const acme = await smallOrganization();
    const { id } = await start(acme);
    const broken = exporterOf(api.services, {
      keys: { ...api.services.keys, log: () => Promise.reject(new Error('gone')) },
    });
    for (let i = 0; i < MOST_ATTEMPTS; i += 1) {
      expect(await broken.work({ org: acme.id, id })).toBe(false);
      api.services.clock.advance(LEASE_MICROS);
    }
    expect(await broken.work({ org: acme.id, id })).toBe(true);
    expect(await shown(acme, id)).toMatchObject({ state: 'failed', sha256: null, download_url: null });
    expect((await start(acme)).id).not.toBe(id);
  });

  it('proves nothing that came after its checkpoint', async () => {
    const acme = await smallOrganization();
    const { id } = await start(acme);
    const message = { org: acme.id, id };
    await logEverything(api.services, acme.id);
    await exporterOf(api.services).work(message, [0, PAGES_MILLIS]);
    await acme.begin({ name: 'late' });
    await exporter.run(message);
    const { log, download_url: address } = await shown(acme, id);
    const bag = await readBag(Buffer.from(await (await fetch(address)).arrayBuffer()));
    const moments = recordsOf(bag.files, 'moments');
    expect(moments).toHaveLength(5);
    const proved = ['moments', 'audit', 'statements']
      .flatMap((family) => recordsOf(bag.files, family))
      .filter(({ log_index: index }) => index !== undefined);
    expect(proved).toHaveLength(log?.size ?? 0);
    expect(moments.find(({ name }) => name === 'late')).not.toHaveProperty('log_index');
  });

  it('has full and partial tiles of a large log', async () => {
    const acme = await environmentsOfOrganization(api);
    const { table, objects, clock, keys } = api.services;
    // The exporter's log continues this one, so both are signed with the same key.
    await integratorOf(table, { objects, clock, logSigner: keys.log }).integrate(
      acme.id,
      trailEntries(acme.id, 'long', 300),
    );
    const { files, done } = await exported(acme);
    const tile = (path: string) => files.get(`data/log/tile/${path}`) ?? Buffer.alloc(0);
    const rest = (done.log?.size ?? 0) - 256;
    expect(rest).toBeGreaterThan(44);
    const entries = [...decodeBundle(tile('entries/000'), 256), ...decodeBundle(tile(`entries/001.p/${rest}`), rest)];
    const leaves = entries.map(leafHash);
    expect(Buffer.concat([tile('0/000'), tile(`0/001.p/${rest}`)])).toEqual(Buffer.concat(leaves));
    expect(tile('1/000.p/1')).toEqual(rootOfLeaves(leaves.slice(0, 256)));
    expect(rootOfLeaves(leaves).toString('hex')).toBe(done.log?.root);
    expect([...files.keys()].filter((path) => path.startsWith('data/log/'))).toHaveLength(6);
  });
});

import { describe, expect, it } from 'vitest';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { LEASE_MICROS, MOST_ATTEMPTS } from '#shared/exports/continue-export.ts';
import { decodeBundle } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { readBag, recordsOf } from '#test/support/log/read-tar.ts';
import { api, digest, exported, exporter, shown, start } from './exported.ts';

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
    // The exporters log at the same time, and one of them must not wait for the checkpoint of the other.
    await logEverything(api.services, acme.id);
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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runImport } from '#infra/import/command.ts';
import { openSource } from '#infra/import/read-export.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { importOrganization } from '#shared/exports/import/import-organization.ts';
import type { ImportLine, ImportSource } from '#shared/exports/import/source.ts';
import { apiKeyKey, organizationKey } from '#shared/organizations/records/keys.ts';
import { familyOf } from '#shared/table/uses.ts';
import { formatVerifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { decodeBundle, newTiles, tilePath } from '#shared/tlog/tiles.ts';
import { appendLeaves, EMPTY_RANGE, leafHash, rootOf } from '#shared/tlog/tree.ts';
import { asExport } from '#test/forger/bag.ts';
import { type ExportSample, exportOf } from '#test/forger/export-sample.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { itemsOf, relayOf } from '#test/support/relay.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { verifyFiles } from '#verify/export.ts';
import { comparableItems } from './compared-items.ts';
import { importableOrganization } from './importable.ts';
import { folder, otherRegion, writtenTo } from './region.ts';

/** rules/exports.md#import */

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const { region, exporter } = await otherRegion();

let acme: EnvironmentsOfOrganization;
let sample: ExportSample;
let source: ImportSource;

beforeAll(async () => {
  acme = await importableOrganization(api);
  sample = await exportOf(api, exporterOf(api.services), acme);
  source = await openSource(writtenTo('export', sample.files));
}, 120_000);

/** Imports, and lets the relay and the integrator of the region work. */
async function imported() {
  const result = await importOrganization(region.services, source);
  await relayOf(region.services, acme.id).settle();
  await logEverything(region.services, acme.id);
  return result;
}

describe('an import that is refused writes nothing:', () => {
  afterEach(async () => expect(await itemsOf(region.services.table.name, acme.id)).toEqual([]));

  const refusedBy = async (path: string): Promise<string> => {
    const said: string[] = [];
    const options = { path, logKey: formatVerifierKey(sample.key) };
    const isThere = await runImport(
      options,
      async () => region.services,
      (sentence) => void said.push(sentence),
    );
    expect(isThere).toBe(false);
    return said.join('\n');
  };

  it('a changed byte', async () => {
    const path = join(folder, 'changed.tar');
    const bytes = await tarOf('export', sample.files);
    bytes.writeUInt8(bytes.readUInt8(bytes.indexOf('all tests passed')) ^ 1, bytes.indexOf('all tests passed'));
    writeFileSync(path, bytes);
    expect(await refusedBy(path)).toMatch(
      /^The export is not imported, because the verifier refuses it\. FAULT data\/files\/[0-9a-f]+: /,
    );
  });

  it('an export of another version', async () => {
    const info = String(sample.files.get('bag-info.txt')).replace('Export-Format: 2', 'Export-Format: 3');
    const files = new Map([...sample.files, ['bag-info.txt', Buffer.from(info)]]);
    expect(await refusedBy(writtenTo('version', files))).toContain('FAULT bag-info.txt: ');
  });

  it('something that is no export', async () => {
    const path = join(folder, 'text.txt');
    writeFileSync(path, 'no archive');
    expect(await refusedBy(path)).toContain(`${path} is not an export: `);
    expect(await refusedBy(join(folder, 'nowhere'))).toContain('is not an export: ENOENT');
  });

  const withLines = (family: string, added: ImportLine): ImportSource => ({
    ...source,
    families: () => [...new Set([...source.families(), family])],
    async *lines(name) {
      yield* source.lines(name);
      if (name === family) yield added;
    },
  });

  it.each([
    ['wishes', { item: 'wish' }, 'This release cannot import these records: wishes/wish (1)'],
    ['audit', { item: 'audit', id: 'x' }, 'The organization was changed while it was exported'],
    ['flows', { item: 'flow', unreadable: true, key: 'HEAD' }, 'The export has an unreadable record in flows: HEAD'],
    ['templates', { item: 'template', body: { erased: { at: 1 } } }, 'The export has a template whose text was erased'],
  ])('records of %s that cannot be built', async (family, line, sentence) => {
    await expect(importOrganization(region.services, withLines(family, line))).rejects.toThrow(sentence);
  });
});

async function tarOf(name: string, files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const archive = pack();
  for (const [path, bytes] of files) archive.entry({ name: `${name}/${path}` }, bytes);
  archive.finalize();
  return buffer(archive);
}

describe('an import', () => {
  it('that is interrupted at any write is finished by the same call', async () => {
    let left = 0;
    const table = tableAround(region.services.table, async ({ command }, send) => {
      if (!/Write|Put|Update/.test(command)) return send();
      left -= 1;
      // The write was done, and the program ended before it knew.
      if (left === 0) await send();
      if (left <= 0) throw new Error('the program was ended');
      return send();
    });
    for (const writes of [1, 2, 5, 9, 14, 20]) {
      left = writes;
      await expect(importOrganization({ ...region.services, table }, source)).rejects.toThrow('the program was ended');
      expect(await region.services.table.get(organizationKey(acme.org))).toBeUndefined();
    }
  });

  it('an import of another export is refused until the one that was begun is finished', async () => {
    const other = { ...source, digest: '00' };
    await expect(importOrganization(region.services, other)).rejects.toThrow(
      `The import of another export of '${acme.org}' was begun and is not finished`,
    );
  });

  it('builds the items that the organization had', async () => {
    const before = await comparableItems(api, acme.id);
    const { missing } = await imported();
    expect(missing.some((text) => text.startsWith('The membership'))).toBe(false);
    expect(missing).toContain(`Actions with their addresses and signing secrets: 'team' (flow)`);
    expect(missing).toContain(`API keys of service accounts: 'pipeline' of ci`);
    expect(await comparableItems(region, acme.id)).toEqual(before);
  });

  it('an import of an organization that exists is refused, and writes nothing', async () => {
    const before = await itemsOf(region.services.table.name, acme.id);
    await expect(importOrganization(region.services, source)).rejects.toThrow(
      `An organization '${acme.org}' exists already`,
    );
    expect(await itemsOf(region.services.table.name, acme.id)).toEqual(before);
  });

  it('answers every read as before', async () => {
    const key = hashKey(acme.keys.admin);
    const item = await api.services.table.get(apiKeyKey(key));
    if (!item) throw new Error('The key is not there');
    await region.services.table.put(item);
    const get = async (one: TestApi, path: string) => {
      const { status, text } = await one.call('GET', path, { key: acme.keys.admin });
      return { path, status, text: text.replaceAll(/https?:\/\/127[^"]*|"duration":[\d.]+/g, '…') };
    };
    const paths = PATHS.map((path) => path.replace('ORG', acme.org));
    for (const path of paths) {
      const [one, other] = [await get(api, path), await get(region, path)];
      expect(other).toEqual(one);
      expect(one.status, one.text).toBe(200);
    }
  });

  it('sends nothing about what happened before', async () => {
    const families = (await itemsOf(region.services.table.name, acme.id)).map(({ pk }) => familyOf(pk));
    expect(families.filter((family) => family === 'DELIVERY' || family === 'ACTION')).toEqual([]);
  });

  it('leaves an organization whose export verifies, and whose log begins with the same entries', async () => {
    const there: EnvironmentsOfOrganization = {
      ...acme,
      call: (method, path, request) => region.call(method, path, { key: acme.keys.admin, ...request }),
      get: (path) => region.call('GET', path, { key: acme.keys.admin }),
    };
    const again = await exportOf(region, exporter, there);
    const { folder: name, key, statementKey } = again;
    const { counts, exceptions } = await verifyFiles(asExport(name, again.files), {
      policy: policyOf(key),
      statementKey,
    });
    const first = await verifyFiles(asExport(sample.folder, sample.files), {
      policy: policyOf(sample.key),
      statementKey: sample.statementKey,
    });
    expect(counts['verdicts of trails']).toBe(first.counts['verdicts of trails']);
    // Keys of service accounts and what was sent are not there, and nothing else is less proved than before.
    const sameExceptions = first.exceptions.map((text) =>
      text.replaceAll(/ (?:service-account-keys|deliveries|target-health)\/\w+ \(\d+\),/g, ''),
    );
    expect(exceptions).toEqual(sameExceptions);
    expect(key).not.toEqual(sample.key);
    const size = Number(first.counts['entries']);
    const leaves = (await leavesOf(again)).slice(0, size);
    expect(rootOf(appendLeaves(EMPTY_RANGE, leaves)).toString('hex')).toBe(first.counts['root']);
    expect(counts['log']).toBe(first.counts['log']);
  });
});

const PATHS = [
  '/flows/ORG',
  '/flows/ORG/web',
  '/flows/ORG/early',
  '/trails/ORG/web',
  '/trails/ORG/web/run',
  '/trails/ORG/web/run/moments',
  '/artifacts/ORG/web',
  '/attestations/ORG/web/trail/run/review',
  '/custom-attestation-types/ORG',
  '/controls/ORG',
  '/controls/ORG/SOX-1',
  '/policies/ORG',
  '/policies/ORG/strict',
  '/repos/ORG',
  '/service-accounts/ORG',
  '/trusts/ORG',
  '/evaluations/ORG',
  '/environments/ORG',
  '/environments/ORG/prod',
  '/environments/ORG/early',
  '/snapshots/ORG/prod',
  '/snapshots/ORG/prod/1',
  '/snapshots/ORG/all/-1',
  '/environments/ORG/prod/events',
  '/allowlists/ORG/prod',
];

async function leavesOf({ files, folder: name }: ExportSample): Promise<Buffer[]> {
  const read = await openSource(writtenTo(`again-${name}`, files));
  const leaves: Buffer[] = [];
  for (const tile of newTiles(0, read.checkpoint.size)) {
    if (tile.level !== 'entries') continue;
    leaves.push(...decodeBundle(await read.read(`data/log/tile/${tilePath(tile)}`), tile.width).map(leafHash));
  }
  return leaves;
}

import { beforeAll, expect, it } from 'vitest';
import { openSource } from '#infra/import/read-export.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { importOrganization } from '#shared/exports/import/import-organization.ts';
import { apiKeyKey } from '#shared/organizations/records/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { asExport } from '#test/forger/bag.ts';
import { type ExportSample, exportOf } from '#test/forger/export-sample.ts';
import { kindsOfLines } from '#test/forger/kinds-of-lines.ts';
import { linesIn } from '#test/forger/lines.ts';
import {
  apiToForge,
  eraseOfEachKind,
  type ForgedOrganization,
  organizationToForge,
} from '#test/forger/organization.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { relayOf } from '#test/support/relay.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { verifyFiles } from '#verify/export.ts';
import { otherRegion, writtenTo } from './region.ts';

/** rules/exports.md#import, with an organization that has every kind of line of an export. */

const api = await apiToForge();
const first = await otherRegion();
const second = await otherRegion();
let places = 0;

let acme: ForgedOrganization;
let sample: ExportSample;
beforeAll(async () => {
  acme = await organizationToForge(api);
  sample = await exportOf(api, exporterOf(api.services), acme);
}, 120_000);

/** Lines that an import does not build (decisions/0195). */
const NOT_BUILT = /^(?:actions|deliveries|target-health|service-account-keys)\//;

const kindsIn = ({ files }: ExportSample) => new Set(linesIn(files).map(({ kind }) => kind));
const verified = ({ folder, files, key, statementKey }: ExportSample) =>
  verifyFiles(asExport(folder, files), { policy: policyOf(key), statementKey });

/** Imports an export into a region whose relay and expander work while the import does. @returns an export of that region */
async function importedInto({ region, exporter }: typeof first, { files }: ExportSample): Promise<ExportSample> {
  const relay = relayOf(region.services, acme.id);
  let before: Promise<unknown> = Promise.resolve();
  const table = tableAround(region.services.table, ({ command, input }, send) => {
    if (command !== 'BatchWrite' || !/#(?:SNAPSHOT|ENV|ALLOWED)#/.test(JSON.stringify(input))) return send();
    // The next items are put when the effects of these were applied.
    const sent = before.then(send);
    before = sent.then(() => relay.settle());
    return before.then(() => sent);
  });
  places += 1;
  await importOrganization({ ...region.services, table }, await openSource(writtenTo(`export-${places}`, files)));
  await relay.settle();
  await logEverything(region.services, acme.id);
  const key = await api.services.table.get(apiKeyKey(hashKey(acme.keys.admin)));
  if (!key) throw new Error('The key is not there');
  await region.services.table.put(key);
  const there: ForgedOrganization = {
    ...acme,
    call: (method, path, request) => region.call(method, path, { key: acme.keys.admin, ...request }),
    get: (path) => region.call('GET', path, { key: acme.keys.admin }),
  };
  return exportOf(region, exporter, there);
}

/** Requires that every kind has as many lines that are proved, follow, are erased, or are neither, as before. */
async function expectSameScope(before: ExportSample, after: ExportSample): Promise<void> {
  const [one, other] = [await verified(before), await verified(after)];
  for (const count of ['verdicts of trails', 'moments', 'snapshots', 'evaluations', 'statements', 'log']) {
    expect(other.counts[count], count).toBe(one.counts[count]);
  }
  const scopeOf = ({ scope }: typeof one) =>
    scope.filter(({ name }) => !NOT_BUILT.test(name) && name !== 'audit/audit').map(({ note: _, ...row }) => row);
  expect(scopeOf(other)).toEqual(scopeOf(one));
}

it('every kind of line is built, computed again, or named as missing', async () => {
  expect([...kindsIn(sample)].toSorted()).toEqual(kindsOfLines());
  const again = await importedInto(first, sample);
  expect([...kindsIn(again)].toSorted()).toEqual(kindsOfLines().filter((kind) => !NOT_BUILT.test(kind)));
  await expectSameScope(sample, again);
});

it('records whose texts were erased stay erased', async () => {
  await eraseOfEachKind(api, acme, sample.files);
  const erased = await exportOf(api, exporterOf(api.services), acme);
  second.region.services.clock.advance(5 * 60_000_000);
  await expectSameScope(erased, await importedInto(second, erased));
});

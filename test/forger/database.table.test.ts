import { beforeAll, expect, it } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import type { Item } from '#shared/table/table.ts';
import { familyOf } from '#shared/table/uses.ts';
import { exporterOf } from '#test/support/log/exports.ts';
import { WORK_FAMILIES } from '#test/support/records/work-families.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress } from '#test/support/table.ts';
import type { Files } from './bag.ts';
import { exportOf } from './export-sample.ts';
import { changesOfItems } from './item-changes.ts';
import { Judge, type Judgement } from './judge.ts';
import { linesIn, textOf } from './lines.ts';
import { apiToForge, organizationToForge } from './organization.ts';
import { StoredExport } from './stored-export.ts';
import { printed, type Tally, tally } from './tally.ts';

const api = await apiToForge();
const { table } = api.services;

/** Families that the organization has no items of, with the reason. */
const ABSENT: Readonly<Record<string, string>> = {
  ...WORK_FAMILIES,
  '@SESSION': 'nobody has signed in',
  '@SESSIONS': 'nobody has signed in',
  '@LETIN': 'nobody has signed in',
  '@GRANT': 'nobody has signed in',
  '@OFFER': 'nobody has signed in',
  '@IDENTITY': 'nobody has signed in',
  '@TOKEN': 'nobody has exchanged a token',
  '@STATE': 'nothing was closed, migrated, imported or restored',
  INVITED: 'nobody was invited',
  REFUSED: 'for two hours after a refused token',
  CONTROLPOLICY: 'no policy names a control',
  SIGNED: 'nobody signed evidence',
  SBOM: 'nobody reported an SBOM',
  COMPONENT: 'nobody reported an SBOM',
  COMPONENTSET: 'nobody reported an SBOM',
  VEX: 'nobody reported OpenVEX',
  PACKAGE: 'nobody has asked for a package',
  ERASURE: 'between the steps of an erasure',
  DRAFT: 'no agent drafted anything',
  UPLOAD: 'between an upload and its attestation',
};

let stored: StoredExport;
let judge: Judge;
let items: Item[];
beforeAll(async () => {
  const exporter = exporterOf(api.services);
  const acme = await organizationToForge(api);
  const sample = await exportOf(api, exporter, acme);
  stored = await StoredExport.of(exporter.services, acme.id, sample);
  judge = await Judge.of({ ...sample, files: stored.files });
  items = await scanTable(databaseAddress(), table.name);
});

it('the table has items of every family', () => {
  const families = ACCESS_PATTERNS.map(({ example }) => familyOf(typeof example === 'string' ? example : example.pk));
  const present = new Set(items.map(({ pk }) => familyOf(pk)));
  expect(families.filter((family) => !present.has(family) && !(family in ABSENT))).toEqual([]);
});

it('every single change of a stored item that an export reads is a fault, or the scope names it', {
  // The verifier runs a thousand times.
  timeout: 900_000,
}, async () => {
  const found: Tally = new Map();
  const holes: string[] = [];
  for (const { kind, what, before, after } of changesOfItems(items.filter(({ pk }) => stored.reads(pk)))) {
    await (after ? table.put(after) : table.transact([{ remove: { pk: before.pk, sk: before.sk } }]));
    const judgement = await judgementOf(kind, what, before).finally(() => table.put(before));
    tally(found, kind, judgement.outcome);
    if (judgement.outcome === 'hole') holes.push(`${kind} ${before.sk}: ${what}: ${judgement.why}`);
  }
  console.info(printed(found));
  expect(holes).toEqual([]);
});

/** Exports what the table has now, and verifies it. An export that stops with an error shows nobody what was changed. */
async function judgementOf(kind: string, what: string, { pk }: Item): Promise<Judgement> {
  let files: Files;
  try {
    files = await stored.filesAfter(pk);
  } catch (error) {
    if (error instanceof Error) return { outcome: 'fault' };
    throw error;
  }
  return judge.judge({ kind, what, touched: linesWithout(files), make: () => files });
}

/** Places of the lines of the honest export that another export does not have. */
function linesWithout(files: Files): string[] {
  const present = new Set(linesIn(files).map(({ path, record }) => `${path} ${textOf(record)}`));
  return linesIn(stored.files).flatMap(({ place, path, record }) =>
    present.has(`${path} ${textOf(record)}`) ? [] : [place],
  );
}

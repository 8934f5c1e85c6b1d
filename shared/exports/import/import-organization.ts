import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { importLog } from '#shared/log/import-log.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { newOrganizationWrites } from '#shared/organizations/records/directory.ts';
import { OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import { organizationKey, organizationListKey } from '#shared/organizations/records/keys.ts';
import { importKey } from '#shared/table/keys.ts';
import { type Item, keyText, putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { decodeBundle, newTiles, tilePath } from '#shared/tlog/tiles.ts';
import { ACTION_FAMILIES, lostActions, removedActions } from './actions.ts';
import { ADMINISTRATION_FAMILIES } from './administration.ts';
import { ENVIRONMENT_FAMILIES } from './environments.ts';
import { EVALUATION_FAMILIES } from './evaluations.ts';
import { decisionsWithoutControl, EVIDENCE_FAMILIES } from './evidence.ts';
import type { ImportFamily } from './family.ts';
import { FLOW_FAMILIES } from './flows.ts';
import { linkMembers, trustItems } from './people.ts';
import type { ImportSource } from './source.ts';
import { TRAIL_FAMILIES } from './trails.ts';

/** The families that are imported, in this order: what names something comes before what it names. */
const FAMILIES: readonly ImportFamily[] = [
  ...FLOW_FAMILIES,
  ...TRAIL_FAMILIES,
  ...EVIDENCE_FAMILIES,
  ...EVALUATION_FAMILIES,
  ...ADMINISTRATION_FAMILIES,
  ...ENVIRONMENT_FAMILIES,
  ...ACTION_FAMILIES,
];
/** Kinds that this use case reads itself. */
const OTHERS = ['organization/organization', 'trusts/trust'];

/** Kinds each of whose records has an entry in the log, if the export proves it. */
const LOGGED = ['moments/moment', 'snapshots/snapshot', 'audit/audit', 'statements/statement'];

/** An export cannot be imported. The message is one sentence for the operator. Nothing was written. */
export class ImportRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImportRefused';
  }
}

/** What an import made. */
interface Imported {
  id: OrganizationId;
  name: string;
  /** Items that were put, by family. */
  counts: ReadonlyMap<string, number>;
  /** What the export does not carry, as sentences. */
  missing: readonly string[];
}

/**
 * Builds an organization from an export that the verifier has accepted (rules/exports.md#import). An interrupted import is
 * finished by the same call: it puts the same items again. The organization can be found only when everything is there.
 *
 * @param report called before each family
 * @throws ImportRefused
 */
export async function importOrganization(
  stores: Stores,
  source: ImportSource,
  report: (family: string) => void = () => undefined,
): Promise<Imported> {
  const { table, clock } = stores;
  const given = await readOrganization(source);
  // Grants, suspensions and limits are decisions of the operator of a region, and the rules of an organization rest on grants.
  const { signInRules: rules = [], signInGrants: _, suspension: __, limits: ___, ...organization } = given;
  const { id: org, name } = organization;
  await requireImportable(source);
  await requireAbsent(stores, organization);
  const mark = await beginImport(stores, organization, source.digest);
  report('log');
  await importLog(stores, org, source.checkpoint, bundlesOf(source));
  const counts = new Map<string, number>();
  const restoring = { ...stores, org, source };
  for (const family of FAMILIES) {
    report(family.name);
    counts.set(family.name, (counts.get(family.name) ?? 0) + (await putItems(table, family.items(restoring))));
  }
  await table.putMany(await trustItems(source, organization));
  const strangers = await linkMembers(stores, source, org);
  const outcome = await table.transact([
    ...newOrganizationWrites(organization, () => 'taken' as const),
    ...(await auditWrites(clock.now(), organization, source)),
    { remove: mark },
  ]);
  if (outcome === 'taken') throw existing(name);
  return { id: org, name, counts, missing: await missingOf(source, rules.length, strangers) };
}

async function readOrganization(source: ImportSource): Promise<OrganizationRecord> {
  for await (const line of source.lines('organization')) return OrganizationRecord.parse(line);
  throw new ImportRefused('The export has no line of its organization');
}

/** @throws ImportRefused if the export has something that cannot be built from it */
async function requireImportable(source: ImportSource): Promise<void> {
  const known = new Set([...FAMILIES.flatMap(({ name, kinds }) => kinds.map((kind) => `${name}/${kind}`)), ...OTHERS]);
  const unknown = new Map<string, number>();
  for (const family of source.families()) {
    for await (const line of source.lines(family)) {
      const kind = String(line['item']);
      if (line['unreadable'] === true) {
        throw new ImportRefused(`The export has an unreadable record in ${family}: ${line['key']}`);
      }
      if (!known.has(`${family}/${kind}`))
        unknown.set(`${family}/${kind}`, (unknown.get(`${family}/${kind}`) ?? 0) + 1);
      else if (LOGGED.includes(`${family}/${kind}`) && line['log_index'] === undefined) {
        throw new ImportRefused(
          `The organization was changed while it was exported: a record of ${family} is not in the log of the export. Make another export while nobody writes`,
        );
      }
      if (family === 'templates' && Erased.safeParse(line).success) {
        throw new ImportRefused('The export has a template whose text was erased, and does not name its digest');
      }
    }
  }
  const [lost] = await decisionsWithoutControl(source);
  if (lost !== undefined) {
    throw new ImportRefused(`The export has a decision whose text was erased, and does not name its control: ${lost}`);
  }
  if (unknown.size === 0) return;
  const listed = [...unknown].map(([kind, count]) => `${kind} (${count})`).join(', ');
  throw new ImportRefused(`This release cannot import these records: ${listed}`);
}

const Erased = z.object({ body: z.object({ erased: z.unknown() }) });

const existing = (name: string) => new ImportRefused(`An organization '${name}' exists already`);

async function requireAbsent({ table }: Stores, { id, name }: Pick<OrganizationRecord, 'id' | 'name'>): Promise<void> {
  const [named, listed] = await Promise.all([table.get(organizationKey(name)), table.get(organizationListKey(id))]);
  if (named) throw existing(name);
  if (listed) throw new ImportRefused(`An organization with the id ${id} exists already: '${listed['name']}'`);
}

const Mark = z.object({ digest: z.string() });

/** Notes which export is being imported. @throws ImportRefused if an import of another export was begun */
async function beginImport({ table }: Stores, { name }: Pick<OrganizationRecord, 'name'>, digest: string) {
  const mark = importKey(name);
  await table.write(putIfAbsent({ ...mark, v: 1, digest }, () => undefined));
  const begun = await readRecord(table, mark, Mark);
  if (begun?.digest !== digest) {
    throw new ImportRefused(`The import of another export of '${name}' was begun and is not finished. Finish it first`);
  }
  return mark;
}

async function* bundlesOf(source: ImportSource): AsyncGenerator<Buffer[]> {
  for (const tile of newTiles(0, source.checkpoint.size)) {
    if (tile.level !== 'entries') continue;
    yield decodeBundle(await source.read(`data/log/tile/${tilePath(tile)}`), tile.width);
  }
}

/** The entries of the audit log that say what the import did. Each covers a part of the actions that it did not build. */
async function auditWrites(at: Micros, { id, name }: OrganizationRecord, source: ImportSource): Promise<Write[]> {
  const { origin, size, root } = source.checkpoint;
  const parts = await removedActions(source);
  return (parts.length > 0 ? parts : [[]]).map((covers) =>
    auditWrite(
      id,
      { at, actor: OPERATOR },
      {
        kind: 'organization.imported',
        subject: { type: 'organization', id, name },
        after: { log: origin, size, root: root.toString('hex') },
        covers,
      },
    ),
  );
}

/** Items of a call of the database, and calls at the same time. */
const BATCH = 25;
const WIDTH = 8;

/** Puts items. If several have the same key, the last one stays. @returns how many there were */
async function putItems(table: Table, all: AsyncIterable<readonly Item[]>): Promise<number> {
  let waiting: Item[] = [];
  let count = 0;
  const put = async () => {
    // One call cannot put the same key twice.
    const distinct = [...new Map(waiting.map((item) => [keyText(item), item])).values()];
    waiting = [];
    await inParallel(batchesOf(distinct, BATCH), WIDTH, (batch) => table.putMany(batch));
  };
  for await (const items of all) {
    waiting.push(...items);
    count += items.length;
    if (waiting.length >= BATCH * WIDTH) await put();
  }
  await put();
  return count;
}

/** Says what the export does not carry. */
async function missingOf(source: ImportSource, rules: number, strangers: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for await (const line of source.lines('service-account-keys'))
    keys.push(`'${line['description']}' of ${line['account']}`);
  const actions = await lostActions(source);
  return [
    ...(actions.length > 0 ? [`Actions with their addresses and signing secrets: ${actions.join(', ')}`] : []),
    ...(keys.length > 0 ? [`API keys of service accounts: ${keys.join(', ')}`] : []),
    'API keys and sessions of users, and how they sign in (identify-user, issue-key)',
    ...strangers.map((name) => `The membership of ${name}: this region has another user of this name`),
    ...(rules > 0 ? [`${rules} sign-in rules, and the grants of the operator that they need (grant-sign-in)`] : []),
    'Invitations, and the default organization of users',
  ];
}

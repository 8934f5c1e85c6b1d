import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { firstBrokenSnapshot } from '#shared/environments/chain.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { readContent, readSnapshotRange } from '#shared/environments/records/snapshots.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { momentPartition } from '#shared/evidence/records/keys.ts';
import { firstBrokenLink, readMoment } from '#shared/evidence/records/moments.ts';
import { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { post, type Write } from '../story/ledger.ts';
import type { Stack } from '../story/stack-api.ts';
import { inspectTrail, listTotals } from '../story/whole-trail.ts';
import { environmentOf, FLOW, type Ledger, QUIET_FLOW, REPORTERS, type Report } from './traffic.ts';

/** Finds every answered write once, numbers without gaps and chains whole, from the ledger and the books alone. */

export interface Books {
  table: Table;
  objects: ReturnType<typeof localObjects>;
  org: OrganizationId;
}

/** The books without the faults in between. */
export async function openBooks(endpoints: { dynamodb: string; s3: string }, org: string): Promise<Books> {
  const table = new Table(localDatabase(endpoints.dynamodb), LOCAL.tableName);
  const record = await table.get({ pk: `@ORG#${org}`, sk: 'ORG' });
  return { table, objects: localObjects(endpoints.s3), org: testId(String(record?.['id'])) };
}

const WIDTH = 8;

/** @returns what contradicts the ledger or itself, as sentences */
export async function checkEvidence(stack: Stack, books: Books, { writes }: Ledger): Promise<string[]> {
  const problems: string[] = [];
  for (const flow of [FLOW, QUIET_FLOW]) {
    const own = writes.filter((write) => write.flow === flow);
    const byTrail = [...Map.groupBy(own, ({ trail }) => trail)];
    await inParallel(byTrail, WIDTH, async ([trail, some]) => {
      const found = await inspectTrail(stack, flow, trail, some);
      problems.push(...found.problems);
    });
    // Whether they had been had or not: sent again with their keys, they are there once like all others.
    const lost = own.filter(({ answered }) => !answered);
    await inParallel(lost, WIDTH, async (write) => {
      const { status, text } = await post(write.sender, flow, write);
      if (status !== 200 && status !== 201) problems.push(`${write.name} sent again: ${status} ${text}`);
    });
    problems.push(...(await totals(stack, flow, own)), ...(await chains(books, flow, own)));
  }
  return problems;
}

async function totals(stack: Stack, flow: string, writes: readonly Write[]): Promise<string[]> {
  const expected = {
    trails: new Set(writes.map(({ trail }) => trail)).size,
    artifacts: writes.filter(({ kind }) => kind === 'artifact').length,
    attestations: writes.filter(({ kind }) => kind === 'attestation').length,
  };
  const found = await listTotals(stack, flow);
  const differs = JSON.stringify(found) !== JSON.stringify(expected);
  return differs ? [`${flow}: lists have ${JSON.stringify(found)}, the ledger ${JSON.stringify(expected)}`] : [];
}

async function chains({ table, org }: Books, flow: string, writes: readonly Write[]): Promise<string[]> {
  const head = await findFlow(table, org, flow);
  if (!head) return writes.length === 0 ? [] : [`${flow} is not there`];
  const problems: string[] = [];
  await inParallel(new Set(writes.map(({ trail }) => trail)), WIDTH, async (trail) => {
    const moments = (await table.query({ pk: momentPartition(org, head.id, trail) })).map(readMoment);
    const broken = firstBrokenLink(org, moments);
    if (broken !== null) problems.push(`${flow}/${trail}: the chain is broken at moment ${broken}`);
  });
  return problems;
}

/** @returns what is wrong with environments: their chains, and reports that are not there once */
export async function checkEnvironments(books: Books, { reports }: Ledger): Promise<string[]> {
  const environments = Array.from({ length: REPORTERS }, (_, i) => environmentOf(i));
  const problems: string[] = [];
  for (const env of environments) {
    const own = reports.filter((report) => report.env === env);
    problems.push(...(await checkEnvironment(books, env, own)).map((problem) => `${env}: ${problem}`));
  }
  return problems;
}

async function checkEnvironment({ table, objects, org }: Books, env: string, reports: Report[]): Promise<string[]> {
  const head = await findEnvironment(table, org, env);
  if (!head) return ['is not there'];
  const snapshots = await readSnapshotRange(table, org, head.id, { from: 1, to: Number.MAX_SAFE_INTEGER });
  const broken = firstBrokenSnapshot(org, head.id, snapshots);
  const problems: string[] = [
    ...(broken === null ? [] : [`the chain is broken at snapshot ${broken}`]),
    ...(snapshots.length === head.index ? [] : [`${snapshots.length} snapshots, and the head says ${head.index}`]),
  ];
  const times = new Map<string, number>();
  await inParallel(snapshots, WIDTH, async ({ index }) => {
    const content = await readContent(table, objects, org, head.id, index);
    if (!content) return void problems.push(`snapshot ${index} has no content`);
    for (const { fingerprint, annotation } of content.rows) {
      if (annotation.now > 0) times.set(fingerprint, (times.get(fingerprint) ?? 0) + 1);
    }
  });
  for (const { fingerprint, answered } of reports) {
    const found = times.get(fingerprint) ?? 0;
    if (found !== 1 && (answered || found > 1)) problems.push(`a report is there ${found} times`);
    times.delete(fingerprint);
  }
  if (times.size > 0) problems.push(`${times.size} artifacts that nobody reported`);
  return problems;
}

import { inParallel } from '#shared/base/parallel.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { snapshotPartition } from '#shared/environments/records/keys.ts';
import { readContent, storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { momentPartition } from '#shared/evidence/records/keys.ts';
import { readMoment, stateAsOf } from '#shared/evidence/records/moments.ts';
import { testName } from '#test/support/ids.ts';
import { firstBrokenSnapshot } from '#test/support/snapshot-chain.ts';
import { inspectTrail, listTotals } from '../story/inspect-trail.ts';
import { post, type Write } from '../story/ledger.ts';
import type { Stack } from '../story/stack-api.ts';
import { WATCHED } from './releases.ts';
import type { StoredData } from './stored-data.ts';
import { environmentOf, FLOW, type Ledger, QUIET_FLOW, REPORTERS, type Report } from './traffic.ts';

/** Checks that every answered write is stored once, that numbers have no gaps, and that the hash chains are valid. */

const WIDTH = 8;

/** @returns sentences about contradictions between the ledger, the answers of the API and the stored data */
export async function checkEvidence(
  stack: Stack,
  stored: StoredData,
  { writes }: Pick<Ledger, 'writes'>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const flow of [FLOW, QUIET_FLOW]) {
    const own = writes.filter((write) => write.flow === flow);
    const byTrail = [...Map.groupBy(own, ({ trail }) => trail)];
    await inParallel(byTrail, WIDTH, async ([trail, ofTrail]) => {
      const found = await inspectTrail(stack, flow, trail, ofTrail);
      problems.push(...found.problems);
    });
    // A write without an answer may be stored or not. Sent again with its key, it must be stored exactly once.
    const unanswered = own.filter(({ answered }) => !answered);
    await inParallel(unanswered, WIDTH, async (write) => {
      const { status, text } = await post(write.sender, flow, write);
      if (status !== 200 && status !== 201) problems.push(`${write.name} sent again: ${status} ${text}`);
    });
    const trails = new Set(own.map(({ trail }) => trail));
    problems.push(...(await checkTotals(stack, flow, own)), ...(await checkChains(stored, flow, trails)));
  }
  return problems;
}

async function checkTotals(stack: Stack, flow: string, writes: readonly Write[]): Promise<string[]> {
  const expected = {
    trails: new Set(writes.map(({ trail }) => trail)).size,
    artifacts: writes.filter(({ kind }) => kind === 'artifact').length,
    attestations: writes.filter(({ kind }) => kind === 'attestation').length,
  };
  const found = await listTotals(stack, flow);
  const differs = JSON.stringify(found) !== JSON.stringify(expected);
  return differs ? [`${flow}: the lists have ${JSON.stringify(found)}, the ledger ${JSON.stringify(expected)}`] : [];
}

/** @returns sentences about trails of a flow whose hash chain is broken */
export async function checkChains(
  { table, org }: StoredData,
  flow: string,
  trails: ReadonlySet<string>,
): Promise<string[]> {
  const head = await findFlow(table, org, testName(flow));
  if (!head) return trails.size === 0 ? [] : [`the flow ${flow} does not exist`];
  const problems: string[] = [];
  await inParallel(trails, WIDTH, async (trail) => {
    const items = await table.query({ pk: momentPartition(org, head.id, testName(trail)) });
    try {
      stateAsOf(items.map(readMoment));
    } catch (error) {
      if (!(error instanceof RecordDiffers)) throw error;
      problems.push(`${flow}/${trail}: ${error.message}`);
    }
  });
  return problems;
}

/** @returns sentences about environments with a broken chain, and about reports that are not stored exactly once */
export async function checkEnvironments(stored: StoredData, { reports }: Ledger): Promise<string[]> {
  const environments = [...Array.from({ length: REPORTERS }, (_, i) => environmentOf(i)), ...WATCHED];
  const problems: string[] = [];
  for (const env of environments) {
    const own = reports.filter((report) => report.env === env);
    problems.push(...(await checkEnvironment(stored, env, own)).map((problem) => `${env}: ${problem}`));
  }
  return problems;
}

async function checkEnvironment(
  { table, objects, org }: StoredData,
  env: string,
  reports: Report[],
): Promise<string[]> {
  const head = await findEnvironment(table, org, testName(env));
  if (!head) return ['does not exist'];
  const items = await table.query({ pk: snapshotPartition(org, head.id), prefix: 'S#' });
  const snapshots = items.map(storedSnapshot);
  const broken = firstBrokenSnapshot(org, head.id, snapshots);
  const problems: string[] = [
    ...(broken === null ? [] : [`the chain is broken at snapshot ${broken}`]),
    ...(snapshots.length === head.index
      ? []
      : [`there are ${snapshots.length} snapshots, but the head has the number ${head.index}`]),
  ];
  const times = new Map<string, number>();
  await inParallel(snapshots, WIDTH, async ({ index }) => {
    const content = await readContent(table, objects, org, head.id, index);
    if (!content) return void problems.push(`snapshot ${index} has no content`);
    for (const { fingerprint, annotation } of content.rows) {
      // An artifact that runs on is in every later snapshot, too.
      if (annotation.was === 0) times.set(fingerprint, (times.get(fingerprint) ?? 0) + 1);
    }
  });
  for (const { fingerprint, answered } of reports) {
    const found = times.get(fingerprint) ?? 0;
    if (found !== 1 && (answered || found > 1)) problems.push(`a report is stored ${found} times`);
    times.delete(fingerprint);
  }
  if (times.size > 0) problems.push(`there are ${times.size} artifacts that were never reported`);
  return problems;
}

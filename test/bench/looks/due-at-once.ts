import { hash } from 'node:crypto';
import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  newId,
  type OrganizationId,
  preciseIdOf,
  storedId,
  type TrailId,
} from '#shared/base/ids.ts';
import { type EnvironmentName, type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { EPOCH, type Micros, plus } from '#shared/base/time.ts';
import { environmentEventKey, startKey } from '#shared/environments/records/keys.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { trailEntries } from '#shared/evidence/records/trail-commit.ts';
import { FLOWS } from '#shared/evidence/rules/series-kinds.ts';
import { expectationWrites } from '#shared/expectations/records/expectations.ts';
import { arrivalKey } from '#shared/expectations/records/keys.ts';
import type { Expectation } from '#shared/expectations/rules/expectation.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { recordMonth } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';

/**
 * Organizations in which many subjects of one kind become overdue in the same minute. The records are those that requests and effects
 * leave behind, as far as looks read them.
 */

/** Flows or environments that one expectation names. */
export const NAMED = 100;

interface Place {
  table: Table;
  org: OrganizationId;
  /** When all of it began. */
  begun: Micros;
  count: number;
}

type Stated = Pick<Expectation, 'name' | 'kind' | 'scope'> & Partial<Expectation>;

/** Stores an expectation that waits for five minutes, and one more of grace. */
export async function storeExpectation({ table, org, begun }: Omit<Place, 'count'>, stated: Stated): Promise<void> {
  const expectation: Expectation = {
    ...{ v: 1, id: newId(begun), version: 1, every: 5 * MINUTE, grace: MINUTE, startsAt: EPOCH },
    ...{ owner: 'team', severity: 'warning', archived: false },
    ...{ createdAt: begun, createdBy: 'bench', changedAt: begun, changedBy: 'bench' },
    ...stated,
  };
  await table.transact(expectationWrites(org, undefined, expectation).writes);
}

const numbered = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

interface Flow {
  id: FlowId;
  name: FlowName;
}

async function addFlows({ table, org, begun }: Place, count: number): Promise<Flow[]> {
  const flows = numbered(count, (n) => ({
    id: newId<FlowId>(plus(begun, n)),
    name: storedName<FlowName>(`flow-${n}`),
  }));
  await table.putMany(flows.map(({ id, name }) => ({ ...catalogueKey(org, FLOWS.name, id), v: 1, n: name, m: begun })));
  return flows;
}

/** Flows whose last attestation of a name came at the same time. */
export async function silentFlows(place: Place): Promise<void> {
  const { table, org, begun } = place;
  const flows = await addFlows(place, place.count);
  const arrival = { v: 1, at: begun, trail: 'one', number: 2 };
  await table.putMany(flows.map(({ id }) => ({ ...arrivalKey(org, 'name', 'review', id), ...arrival })));
  for (let first = 0; first < flows.length; first += NAMED) {
    const scope = { flows: flows.slice(first, first + NAMED) };
    const evidence = { by: 'name', value: 'review' } as const;
    await storeExpectation(place, { name: `reviewed-${first}`, kind: 'evidence', evidence, per: 'flow', scope });
  }
}

/** Trails of one flow that began at the same time and were never compliant. */
export async function incompleteTrails(place: Place): Promise<void> {
  const { table, org, begun, count } = place;
  const flows = await addFlows(place, 1);
  const trails = numbered(count, (n) => {
    const at = plus(begun, n);
    const [entry, id] = [newId(at), newId<TrailId>(at)];
    return { entry, id, at, name: storedName<TrailName>(`trail-${n}`) };
  });
  for (const flow of flows) {
    const listed = trails.flatMap(({ entry, name }) => trailEntries(org, { entry, flow, trail: { name } }));
    const heads = trails.map(({ id, name, at }) => ({
      ...trailHeadKey(trailPartition(org, flow.id, name)),
      ...{
        v: 1,
        id,
        name,
        number: 1,
        at,
        hash: new Uint8Array(32),
        word: 'INCOMPLETE',
        template: null,
        templateAt: at,
      },
      ...{ ownTemplate: null, fields: null, commit: null, created: at, by: 'bench', slots: 0, attestations: 0 },
    }));
    await table.putMany([...listed.flatMap((write) => ('put' in write ? [write.put] : [])), ...heads]);
    await recordMonth(table, org, `trails:${flow.id}`, monthOf(newId(begun)));
    await storeExpectation(place, { name: 'done', kind: 'completion', scope: { flows: [flow] } });
  }
}

/** Artifacts that started in one environment at the same time, and of which nobody decided about any. */
export async function undecidedStarts(place: Place): Promise<void> {
  const { table, org, begun, count } = place;
  const environment = { id: newId<EnvironmentId>(begun), name: storedName<EnvironmentName>('prod') };
  const entry = { ...catalogueKey(org, ENVIRONMENTS.name, environment.id), v: 1, n: 'prod', k: 'server', m: begun };
  await table.putMany([{ ...entry, r: begun, c: begun, s: true }]);
  const flow = storedId<FlowId>(newId(begun));
  const items = numbered(count, (n): Item[] => {
    const [at, number] = [plus(begun, n), n + 1];
    const fingerprint = hash('sha256', `artifact ${n}`, 'hex') as Fingerprint; // A SHA-256 in hex is a fingerprint.
    const id = preciseIdOf(at, hash('sha256', String(n), 'hex'));
    const origin = { flow, trail: `trail-${n}`, commit: fingerprint.slice(0, 40) };
    const shared = { v: 1, at, fingerprint, name: `artifact-${n}`, origin };
    const event = { index: 1, type: 'started', description: '1 instance started', compliant: true, state: true };
    const report = { flows: ['web'], report: newId(at), committed: null, previous: null, previousCommit: null };
    return [
      { ...startKey(org, monthOf(id), id), ...shared, environment: environment.id, number },
      { ...environmentEventKey(org, environment.id, number), ...shared, ...event, ...report, instances: 1 },
    ];
  });
  await table.putMany(items.flat());
  await storeExpectation(place, {
    name: 'approved',
    kind: 'decision',
    control: 'C-1',
    scope: { environments: [environment] },
  });
}

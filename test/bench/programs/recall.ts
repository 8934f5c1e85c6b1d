import { parseArgs } from 'node:util';
import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { ensureTable, startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import { type EnvironmentId, type FlowId, newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { systemClock, within } from '#shared/base/time.ts';
import type { Author } from '#shared/callers/author.ts';
import { ExpansionMessage, expansionMessage } from '#shared/environments/expand-message.ts';
import type { RecallPlace } from '#shared/environments/recalls/find-recalled.ts';
import { getImpact } from '#shared/environments/recalls/get-impact.ts';
import { markRecalled } from '#shared/environments/recalls/mark-recalled.ts';
import { findEnvironment, readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { ANY_FLOW, flowRunsItem, recordRunning } from '#shared/environments/records/running.ts';
import { putEnvironment } from '#shared/environments/settings/put-environment.ts';
import { trailPartition } from '#shared/evidence/records/keys.ts';
import { signedWrites } from '#shared/evidence/records/signed-trails.ts';
import { headItem, slotItems } from '#shared/evidence/records/trail-items.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { applyMoment, EMPTY_TRAIL, type SlotChange, sumOfSlots } from '#shared/evidence/rules/trail-state.ts';
import { putRecall } from '#shared/signers/change-recall.ts';
import { putSigner } from '#shared/signers/change-signer.ts';
import { PUBLIC_ROOT } from '#shared/signers/rules/records.ts';
import { type Item, Table } from '#shared/table/table.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { testId, testName } from '#test/support/ids.ts';
import { aVerification } from '#test/support/records/signed-evidence.ts';

/**
 * `npm run bench:recall -- [--artifacts N] [--environments N]`: measures what one recall of a signer concerns and how long its marks
 * take. Each artifact has a trail of its own and runs in one environment. The database is local, and each trail is stored as reports
 * store it, without its moments, which no part of the measurement reads.
 */

const { values } = parseArgs({
  options: { artifacts: { type: 'string', default: '10000' }, environments: { type: 'string', default: '200' } },
});
const artifacts = Number(values.artifacts);
const environments = Number(values.environments);
const clock = systemClock();
const org = newId<OrganizationId>(clock.now());
const flow = newId<FlowId>(clock.now());
const PAGE = 500;
const WIDTH = 16;
/** As the expander works. */
const PIECES_MILLIS = 5_000;

const by: Author<unknown> = {
  org: { id: org, name: 'bench', kind: 'shared', features: [] },
  caller: { kind: 'user', id: newId<PrincipalId>(clock.now()), name: 'bench', keyId: null },
  receivedAt: clock.now(),
  claim: () => [],
};

const database = await startDynamoDb({});
const bucket = await startObjectsServer({ s3Port: 0, sqsPort: 0 });
try {
  await ensureTable(database.endpoint, LOCAL.tableName);
  const client = localDatabase(database.endpoint);
  let calls = 0;
  client.middlewareStack.add(
    (next) => (args) => {
      calls += 1;
      return next(args);
    },
    { step: 'initialize' },
  );
  const table = new Table(client, LOCAL.tableName);
  const stores = { table, objects: localObjects(bucket.s3), clock };
  await putSigner(stores, by, {
    name: 'release',
    root: PUBLIC_ROOT,
    issuer: 'https://issuer.example',
    subjects: ['https://code.example/acme/web/.github/workflows/release.yml'],
    claims: [],
    description: null,
  });
  const marked = await fill(stores);

  calls = 0;
  let started = performance.now();
  const [trails, running] = await impact(stores);
  print(`Impact: ${trails} trails, ${running} environments`, started, calls);

  await putRecall(stores, by, {
    name: 'leak',
    target: { kind: 'signer', signer: 'release' },
    from: null,
    until: null,
    reason: 'the key leaked',
  });
  calls = 0;
  started = performance.now();
  const messages = await mark(stores);
  print(`Marks, with ${messages} messages`, started, calls);
  const heads = await readEnvironmentHeads(table, org, marked);
  console.log(`${[...heads.values()].filter(({ mark: count }) => count === 1).length} environments have one mark`);
} finally {
  await bucket.stop();
  await database.stop();
}

function print(what: string, since: number, made: number): void {
  console.log(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s, ${made} calls`);
}

type BenchStores = { table: Table; objects: ReturnType<typeof localObjects>; clock: typeof clock };

async function fill(stores: BenchStores): Promise<EnvironmentId[]> {
  const { table } = stores;
  const ids = await inParallel(
    Array.from({ length: environments }, (_, i) => `env-${i}`),
    WIDTH,
    async (name) => {
      await putEnvironment(stores, by, { name: testName(name), kind: 'server' });
      const head = await findEnvironment(table, org, testName(name));
      if (!head) throw new Error(`The environment ${name} was not made`);
      await table.put(flowRunsItem(org, ANY_FLOW, head.id));
      return head.id;
    },
  );
  const items = Array.from({ length: artifacts }, (_, i) => trailItems(i)).flat();
  await inParallel(batchesOf(items, 25), WIDTH, (batch) => table.putMany(batch));
  await inParallel(
    Array.from({ length: artifacts }, (_, i) => i),
    WIDTH,
    async (i) => {
      const environment = ids[i % ids.length];
      if (!environment) return;
      const at = clock.now();
      const change = { fingerprint: fingerprintOf(`a${i}`), running: true };
      await recordRunning(table, org, environment, { index: 1, at, start: 1 }, change);
    },
  );
  return ids;
}

/** The head and the slots of a trail with one artifact and one signed attestation, and what recalls find it by. */
function trailItems(i: number): Item[] {
  const name = testName<never>(`trail-${i}`);
  const fingerprint = fingerprintOf(`a${i}`);
  const proof = slotProof({ verification: aVerification({ run: `https://ci.example/runs/${i}` }) });
  const changes: SlotChange[] = [
    { kind: 'artifact', fingerprint, name: 'web', commit: 'c'.repeat(40), id: newId(clock.now()), compliant: true },
    {
      kind: 'attestation',
      scope: { kind: 'fingerprint', fingerprint },
      name: 'provenance',
      type: 'provenance',
      id: testId(newId(clock.now())),
      compliant: true,
      overridden: null,
      ...(proof && { proof }),
    },
  ];
  const at = clock.now();
  const moment = { kind: 'trail_updated' as const, at, template: null, ownTemplate: null, fields: null, changes };
  const state = applyMoment(EMPTY_TRAIL, moment);
  const partition = trailPartition(org, flow, name);
  const head = {
    ...{ id: testId<never>(newId(at)), name, number: 1, at, hash: FIRST_PREVIOUS, word: 'COMPLIANT' as const },
    ...{ template: null, templateAt: at, ownTemplate: null, fields: null, commit: null, created: at, by: 'bench' },
    ...{ slots: sumOfSlots(state), attestations: 1, signed: true as const },
  };
  const writes = signedWrites(org, { flow, trail: name }, [{ at, changes }]);
  return [
    headItem(partition, head),
    ...slotItems(partition, state, changes),
    ...writes.flatMap((write) => ('put' in write ? [write.put] : [])),
  ];
}

/** Reads all pages. @returns how many trails and environments they have */
async function impact(stores: BenchStores): Promise<[number, number]> {
  const recall = { target: { kind: 'signer', signer: 'release' } as const, from: null, until: null };
  const running = new Set<string>();
  let trails = 0;
  let place: RecallPlace | undefined;
  do {
    const page = await getImpact(stores, org, recall, { place, limit: PAGE });
    trails += page.trails.length;
    for (const { environment } of page.environments) running.add(environment);
    place = page.next ?? undefined;
  } while (place);
  return [trails, running.size];
}

/** Does the work of the expander, one message after another. @returns how many messages it took */
async function mark({ table, clock: ours }: BenchStores): Promise<number> {
  const queue = [ExpansionMessage.parse(expansionMessage({ work: 'recall', org, name: 'leak', version: 1 }).body)];
  let messages = 0;
  for (let message = queue.shift(); message; message = queue.shift()) {
    if (message.work !== 'recall') throw new Error('The work of a recall asked for other work');
    messages += 1;
    const send = async (sent: readonly { body: unknown }[]) =>
      void queue.push(...sent.map(({ body }) => ExpansionMessage.parse(body)));
    const services = { table, clock: ours, expansions: { send } };
    await markRecalled(
      { services },
      message,
      within(PIECES_MILLIS, () => performance.now()),
    );
  }
  return messages;
}

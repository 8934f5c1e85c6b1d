import { parseArgs } from 'node:util';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { type AttestationId, type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { workerLog } from '#shared/base/log-lines.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { postingItems } from '#shared/components/records/postings.ts';
import { sbomItem } from '#shared/components/records/sboms.ts';
import { buildItem } from '#shared/components/records/sets.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { Queue } from '#shared/queues/queue.ts';
import type { Item } from '#shared/table/table.ts';
import { askStarts } from '#shared/watches/asking/ask-starts.ts';
import { copiesOfReports } from '#test/support/copies/copied-reports.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { startBenchStack } from '../bench-stack.ts';
import { clientOf, reportArtifact } from '../client.ts';
import { FLOW } from '../organizations/facts.ts';
import { quantile } from '../timing.ts';

/**
 * `npm run bench:exposure -- [--sboms N] [--environments N] [--rounds N]`: how long the pages of one question take, and what they cost. Each
 * SBOM has 1,000 components and lists the asked package, every tenth one in a version that is asked about. Ten artifacts run in each
 * environment, and one more without an SBOM. The database is local. It ends with 1 if the slowest of a hundred pages takes longer than
 * the goal.
 *
 * Postings of the other 999 components are not written: they have other keys, which no question about this package reads.
 */

const { values } = parseArgs({
  options: {
    sboms: { type: 'string', default: '10000' },
    environments: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
  },
});
const sboms = Number(values.sboms);
const environments = Number(values.environments);
const GOAL_MILLIS = 2_000;
const ORG = 'bench';
const MODEL = 'the-model-of-the-bench';
const COMPONENTS = 1_000;
const RUNNING = 10;
const WIDTH = 16;
const QUESTION = `${new URLSearchParams({ purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' })}`;

const stack = await startBenchStack();
try {
  const { services, recorder } = stack;
  const { table, clock } = services;
  const key = 'key-of-the-bench';
  await applySeed(services, {
    organizations: [{ name: ORG, members: [{ user: 'bench', role: 'admin', api_key: key }] }],
  });
  const client = clientOf(stack, key);
  const organization = await new Directory(table).organization(ORG);
  if (!organization) throw new Error('The organization does not exist');
  const org = organization.id;
  await client.direct(flowsGroup, { method: 'PUT', path: `/flows/${ORG}`, json: { name: FLOW } }, 201);
  await client.http(reportArtifact(ORG, MODEL, MODEL), 201);
  const model = { fingerprint: fingerprintOf(MODEL), trail: MODEL };
  const [presence] = await readFlowPresences(table, org, model.fingerprint);
  if (!presence) throw new Error('The model was not reported');

  const names = Array.from({ length: sboms }, (_, i) => `build-${String(i).padStart(6, '0')}`);
  const reported = names.map((name) => ({ fingerprint: fingerprintOf(name), trail: name }));
  const copies = await copiesOfReports(table, org, model, 'NONE', reported);
  const items = [...copies, ...names.flatMap((name, i) => sbomItems(org, presence.flow, name, i))];
  await inParallel(batchesOf(items, 25), WIDTH, (batch) => table.putMany(batch));

  const context = {
    services: { ...services, deliveries: new Queue({ send: async () => ({}) } as never, '') },
    memory: new EnvironmentMemory(),
    log: workerLog('bench', undefined, undefined, 'expander'),
    evaluationsOf,
    askStarts,
  };
  await inParallel(
    Array.from({ length: environments }, (_, i) => i),
    4,
    async (n) => {
      const name = `env-${n}`;
      const put = (path: string, json: object) => client.direct(environmentsGroup, { method: 'PUT', path, json }, 201);
      await put(`/environments/${ORG}`, { name, type: 'server' });
      const running = [
        ...Array.from({ length: RUNNING }, (_, i) => names[(n * RUNNING + i) % sboms] ?? ''),
        `none-${n}`,
      ];
      const artifacts = running.map((one) => ({
        digests: { [one]: fingerprintOf(one) },
        creationTimestamp: 1_776_000_000,
      }));
      await put(`/environments/${ORG}/${name}/report/server`, { artifacts });
      const head = await findEnvironment(table, org, testName(name));
      if (head) await expandSnapshots(context, org, head.id);
    },
  );

  const pages: { millis: number; calls: number; read: number }[] = [];
  const whole: number[] = [];
  let found = '';
  for (let round = 0; round < Number(values.rounds); round += 1) {
    let cursor = '';
    const counts = { affected: 0, ran: 0, not_known: 0 };
    const began = performance.now();
    do {
      const path = `/components/${ORG}/exposure`;
      const query = cursor === '' ? QUESTION : `${QUESTION}&cursor=${cursor}`;
      const ask = client.prepare(componentsGroup, { method: 'GET', path, query }, 200);
      let text = '';
      let millis = 0;
      const { calls, read } = await recorder.record(async () => {
        const at = performance.now();
        text = await ask();
        millis = performance.now() - at;
      });
      pages.push({ millis, calls: calls.length, read });
      const page = JSON.parse(text) as { affected: { environments: [] }[]; not_known: []; next_cursor: string | null };
      counts.affected += page.affected.length;
      counts.ran += page.affected.filter((row) => row.environments.length > 0).length;
      counts.not_known += page.not_known.length;
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    whole.push(performance.now() - began);
    found = `${counts.affected} affected, ${counts.ran} of them in environments, ${counts.not_known} not known`;
  }
  const millis = pages.map((page) => page.millis);
  const slow = quantile(millis, 0.99);
  const most = (field: 'calls' | 'read') => Math.max(...pages.map((page) => page[field]));
  console.log(`${sboms} SBOMs, ${environments} environments: ${found}`);
  console.log(`${pages.length / whole.length} pages in ${(quantile(whole, 0.5) / 1000).toFixed(1)} s`);
  console.log(
    `a page: median ${quantile(millis, 0.5).toFixed(0)} ms, 99th percentile ${slow.toFixed(0)} ms (goal ${GOAL_MILLIS})`,
  );
  console.log(`a page makes at most ${most('calls')} calls and reads at most ${most('read')} units`);
  if (slow > GOAL_MILLIS) process.exitCode = 1;
  client.close();

  /** What the worker writes for an SBOM, apart from the text of the set and the postings of the other components. */
  function sbomItems(org: OrganizationId, flow: FlowId, name: string, i: number): Item[] {
    const at = clock.now();
    const set = sha256Hex(name);
    const build = {
      ...{
        id: newId<AttestationId>(at),
        flow,
        trail: testName<never>(name),
        name: 'sbom',
        type: 'sbom',
        at,
        number: 2,
      },
      scopes: [{ kind: 'fingerprint' as const, fingerprint: fingerprintOf(name) }],
      ...{ state: 'read' as const, set, why: null, count: COMPONENTS, format: 'cyclonedx-1.6' },
    };
    const version = i % 10 === 0 ? '4.17.20' : '4.17.21';
    const posted = { package: 'pkg:npm/lodash', name: 'lodash', version, qualifiers: null, depth: 'deeper' as const };
    return [...postingItems(org, { set, at }, [posted]), buildItem(org, build), sbomItem(org, build)];
  }
} finally {
  await stack.stop();
}

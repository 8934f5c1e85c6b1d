import { expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import type { SnapshotJson } from './client/environment-reports.ts';
import { sharedStackLog } from './shared-stack.ts';
import { organizationApi, type Stack } from './stack-api.ts';

const ROUNDS = 50;
const PAGE = 100;
const WIDTH = 4;
const NAMES = ['one', 'other'];
/** Each poll reads all events. */
const RELAYED = { timeout: 90_000, interval: 1_000 };

interface Listed {
  index: number;
  from: number;
  to: number;
}
interface Event {
  type: string;
  snapshot_index: number;
  artifact_name: string;
  sha256: string;
  reported_at: number;
}

/** Describes what an artifact does in a snapshot. Snapshots and the list of events give the same description. */
const describeEvent = (type: string, name: string, fingerprint: string): string =>
  `${type.replace(/^started.*/, 'started')} ${name} ${fingerprint}`;

async function pages<T>(stack: Pick<Stack, 'get'>, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const read = await stack.get<T[]>(`${path}?page=${page}&per_page=${PAGE}&reverse=true`);
    all.push(...read);
    if (read.length < PAGE) return all;
  }
}

it('fifty pairs of simultaneous reports make a history without gaps and without lost events', {
  timeout: 400_000,
}, async () => {
  const stack = await organizationApi();
  const created = await stack.call('PUT', '/environments', { json: { name: 'prod', type: 'server', description: '' } });
  expect(created).toEqual({ status: 201, text: '"OK"' });
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = await Promise.all(
      NAMES.map((name) => {
        const artifacts = [
          { digests: { [name]: fingerprintOf(`${name} ${round}`) }, creationTimestamp: 1_776_000_000 + round },
          { digests: { base: fingerprintOf('base') }, creationTimestamp: 1_776_000_000 },
        ];
        return stack.call('PUT', '/environments/prod/report/server', { json: { artifacts } });
      }),
    );
    expect(answers, `round ${round}`).toEqual(NAMES.map(() => ({ status: 201, text: '"OK"' })));
  }

  const listed = await pages<Listed>(stack, '/snapshots/prod');
  expect(listed.map(({ index }) => index)).toEqual(Array.from({ length: 2 * ROUNDS }, (_, i) => i + 1));
  expect(listed.map(({ to }) => to)).toEqual([...listed.slice(1).map(({ from }) => from), 0]);
  expect(listed.every(({ from }, i) => from > (listed[i - 1]?.from ?? 0))).toBe(true);

  const snapshots: SnapshotJson[] = [];
  await inParallel(listed, WIDTH, async ({ index }) => {
    snapshots[index - 1] = await stack.get<SnapshotJson>(`/snapshots/prod/${index}`);
  });
  let before = new Set<string>();
  for (const [i, { artifacts, timestamp }] of snapshots.entries()) {
    const running = artifacts.filter(({ annotation }) => annotation.now > 0);
    const now = new Set(running.map(({ name, fingerprint }) => `${name} ${fingerprint}`));
    // Each snapshot equals one of the two reports, compared with the snapshot before.
    const own = NAMES.map((name) => `${name} ${fingerprintOf(`${name} ${Math.floor(i / 2)}`)}`);
    expect(own.filter((one) => now.has(one))).toHaveLength(1);
    expect(now.size).toBe(2);
    for (const { name, fingerprint, annotation } of artifacts) {
      const key = `${name} ${fingerprint}`;
      expect(annotation, `#${i + 1}`).toMatchObject({ was: before.has(key) ? 1 : 0, now: now.has(key) ? 1 : 0 });
    }
    expect(artifacts).toHaveLength(before.union(now).size);
    expect(timestamp).toBe(listed[i]?.from);
    before = now;
  }
  const pairs = Array.from({ length: ROUNDS }, (_, round) => snapshots.slice(2 * round, 2 * round + 2));
  for (const pair of pairs) {
    const names = pair.flatMap(({ artifacts }) =>
      artifacts.filter(({ annotation }) => annotation.type === 'started').map(({ name }) => name),
    );
    expect(names.filter((name) => name !== 'base').sort()).toEqual(NAMES);
  }

  const expectedEvents = snapshots.map(({ artifacts }) =>
    artifacts
      .filter(({ annotation }) => annotation.type !== 'unchanged')
      .map(({ annotation, name, fingerprint }) => describeEvent(annotation.type, name, fingerprint))
      .sort(),
  );
  const events = () => pages<Event>(stack, '/environments/prod/events');
  await expect.poll(async () => (await events()).length, RELAYED).toBe(expectedEvents.flat().length);
  const listedEvents = await events();
  expect(listedEvents.map(({ snapshot_index: index }) => index)).toEqual(
    expectedEvents.flatMap((some, i) => some.map(() => i + 1)),
  );
  const bySnapshot = Map.groupBy(listedEvents, ({ snapshot_index: index }) => index);
  expect(
    [...bySnapshot.values()].map((some) =>
      some.map(({ type, artifact_name: name, sha256 }) => describeEvent(type, name, sha256)).sort(),
    ),
  ).toEqual(expectedEvents);
  expect(listedEvents.every((event) => event.reported_at === listed[event.snapshot_index - 1]?.from)).toBe(true);
  expect(sharedStackLog()).not.toContain('"level":"ERROR"');
});

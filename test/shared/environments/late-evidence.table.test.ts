import { describe, expect, it } from 'vitest';
import type { Item } from '#shared/table/table.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type Setting, settledSettings } from './relayed-environments.ts';

const api = await environmentsApi();

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: api
      attestations: [{name: scan, type: generic}]
`;

/** `api` will run in `prod`, whose policy requires a scan that is not reported yet. Copies: the tests look at marks, and at no hashes. */
const beforeTheReport = settledSettings(api, async (setting) => {
  await setting.putFlow('web', TEMPLATE);
  await setting.report(anArtifact('api'));
  await setting.putEnvironment('prod');
  await setting.putPolicy('strict');
  await setting.attach('prod', 'strict');
});

const report = (setting: Setting) => setting.run('prod', onServer({ api: 'api' }));
const scan = (setting: Setting) =>
  setting.attest('generic', { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('api') });

/** Ways in which the stream delivers its records: all at once, in halves, or newest first. */
type Bring = (setting: Setting) => Promise<void>;
const brings: Record<string, Bring> = {
  together: async ({ relay }) => void (await relay.hand(await relay.changed())),
  'one by one': async ({ relay }) => {
    for (const item of await relay.changed()) await relay.hand([item]);
  },
  'the other way round': async ({ relay }) => {
    for (const item of (await relay.changed()).toReversed()) await relay.hand([item]);
  },
};

/** Every permutation of the steps. */
function ordersOf(steps: readonly string[]): string[] {
  if (steps.length <= 1) return steps.map(String);
  const orders = steps.flatMap((step, i) => ordersOf(steps.toSpliced(i, 1)).map((rest) => `${step}, ${rest}`));
  return [...new Set(orders)];
}

describe('evidence that arrives during a report', () => {
  // Two reports, the evidence, and the stream twice between them: in every order.
  const cases = ordersOf(['report', 'report', 'scan', 'bring', 'bring']).map(
    (order, i) => [order, Object.keys(brings)[i % 3] ?? ''] as const,
  );

  it.each(cases)('is in the snapshot of the next report: %s; %s', async (order, how) => {
    const setting = await beforeTheReport();
    for (const step of order.split(', ')) {
      if (step === 'report') await report(setting);
      else if (step === 'scan') await scan(setting);
      else await brings[how]?.(setting);
    }
    await setting.relay.settle();
    await report(setting);
    expect(await setting.head('prod')).toMatchObject({ state: true });
    expect((await setting.row('prod', 'api')).compliant).toBe(true);

    await setting.relay.settle();
    await report(setting);
    await setting.relay.settle();
    const { index, mark } = await setting.head('prod');
    await report(setting);
    await setting.relay.settle();
    expect(await setting.head('prod')).toMatchObject({ index, mark, evaluatedMark: mark });
    const { aws_calls: calls } = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as {
      aws_calls: number;
    };
    expect(calls).toBe(2);
  });

  it('is in the next snapshot if it comes between the read of evidence and the commit', async () => {
    const setting = await beforeTheReport();
    await report(setting);
    // The snapshot was evaluated before the scan. The relay gets the scan before it has recorded what runs.
    await scan(setting);
    const items: Item[] = await setting.relay.changed();
    const isMoment = ({ pk }: Item) => pk.includes('#MOMENT#');
    await setting.relay.hand(items.filter(isMoment));
    expect((await setting.head('prod')).mark).toBe(0);
    await setting.relay.hand(items.filter((item) => !isMoment(item)));
    await report(setting);
    expect(await setting.head('prod')).toMatchObject({ state: true, index: 2 });
  });
});

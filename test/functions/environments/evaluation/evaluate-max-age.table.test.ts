import { describe, expect, it } from 'vitest';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { plus } from '#shared/base/time.ts';
import { testApi } from '#test/support/api.ts';
import { movableClock } from '#test/support/clock.ts';
import { environmentGroups, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { judgedIn } from './judged.ts';

const DAY = 86_400_000_000;
const clock = movableClock();
const acmeUnder = judgedIn(await testApi([...environmentGroups, snapshotsGroup], { clock }));

const AGED = policyText('attestations: [{type: generic, name: pentest, max_age: P30D}]');

describe('the age of attestations', () => {
  it('changes the verdict with the first report after it, without a mark and without a write before', async () => {
    const acme = await acmeUnder(AGED);
    await acme.report(anArtifact('web'));
    await acme.attest('generic', { attestation_name: 'pentest', artifact_fingerprint: fingerprintOf('web') });
    const running = onServer({ web: 'web' });
    expect((await acme.run('prod', running)).status).toBe(201);
    const first = await acme.head('prod');
    expect([first.index, first.state]).toEqual([1, true]);
    expect(first.freshUntil).toBeGreaterThan(plus(first.at, 29 * DAY));

    clock.advance(29 * DAY);
    expect((await acme.run('prod', running)).status).toBe(200);
    const { evaluatedAt } = await acme.head('prod');
    clock.advance(DAY / 2);
    // Half a day after an evaluation, nothing but the age makes a report evaluate.
    expect((await acme.run('prod', running)).status).toBe(200);
    expect((await acme.head('prod')).evaluatedAt).toBe(evaluatedAt);
    clock.advance(DAY / 2);
    expect((await acme.run('prod', running)).status).toBe(201);
    expect(await acme.head('prod')).toMatchObject({ index: 2, state: false, freshUntil: 0 });

    const { json } = await acme.get(`/snapshots/${acme.org}/prod/2`);
    expect(json).toMatchObject({
      artifacts: [
        {
          compliant: false,
          annotation: { type: 'changed' },
          reasons_for_incompliance: [
            expect.stringContaining("'pentest' of type 'generic' is missing: the newest is 30 days"),
          ],
        },
      ],
    });
    const chained = await acme.get(`/snapshots/${acme.org}/prod/2`, 'reasons=chain');
    expect(JSON.stringify(chained.json)).toContain('more than the 30 days that the rule allows');
    // The snapshot of its time keeps its verdict.
    expect((await acme.get(`/snapshots/${acme.org}/prod/1`)).json).toMatchObject({ compliant: true });

    await acme.attest('generic', { attestation_name: 'pentest', artifact_fingerprint: fingerprintOf('web') });
    await acme.raiseMark('prod');
    expect((await acme.run('prod', running)).status).toBe(201);
    expect(await acme.head('prod')).toMatchObject({ index: 3, state: true });
  });
});

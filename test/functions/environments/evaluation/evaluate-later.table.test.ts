import { describe, expect, it } from 'vitest';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { policyText, STRICT } from '#test/support/policies.ts';
import { judgedIn, runAgain } from './judged.ts';

const acmeUnder = judgedIn(await environmentsApi());

describe('later changes', () => {
  it('later changes of evidence do not change a snapshot', async () => {
    const acme = await acmeUnder(STRICT);
    await acme.run('prod', onServer({ web: 'web' }));
    const first = await acme.content('prod', 1);
    await acme.report(anArtifact('web'));
    await runAgain(acme);
    expect(await acme.content('prod', 1)).toEqual(first);
    expect((await acme.snapshots('prod')).map(({ state: one, known }) => [known, one])).toEqual([
      [null, false],
      [false, true],
    ]);
  });

  it('later changes of a policy count from the next evaluation on', async () => {
    const acme = await acmeUnder(policyText());
    await acme.run('prod', onServer({ web: 'web' }));
    expect((await acme.putPolicy('p', STRICT)).status).toBe(200);
    expect((await acme.head('prod')).index).toBe(1);
    const row = await runAgain(acme);
    expect([row.compliant, row.annotation.type, row.evaluations[0]?.policy_version]).toEqual([false, 'changed', 2]);
    expect((await acme.content('prod')).policies[0]?.version).toBe(2);
    expect((await acme.content('prod', 1)).policies[0]?.version).toBe(1);
  });

  it("later changes of a flow's name show in the decisions", async () => {
    const acme = await acmeUnder(STRICT);
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    await acme.call('PUT', `/flows/${acme.org}/web/rename`, { json: { new_name: 'shop' } });
    const row = await runAgain(acme);
    expect([row.annotation.type, row.flows[0]?.name]).toEqual(['changed', 'shop']);
  });
});

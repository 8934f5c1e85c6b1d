import { describe, expect, it } from 'vitest';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { judgedIn } from './judged.ts';

const acmeUnder = judgedIn(await environmentsApi());

describe('the artifact that another one replaced', () => {
  it('has the same flow and slot and ran before; it is kept while the new artifact runs', async () => {
    const acme = await acmeUnder();
    for (const [name, trail] of [
      ['v1', 't1'],
      ['v2', 't2'],
    ] as const) {
      await acme.report(anArtifact(name, { template_reference_name: 'web' }), { trail });
    }
    await acme.run('prod', onServer({ web: 'v1' }));
    expect((await acme.row('prod', 'web')).replaced).toEqual({});
    await acme.run('prod', onServer({ web: 'v2' }));
    const rows = (await acme.content('prod')).rows;
    const started = rows.find(({ fingerprint }) => fingerprint === fingerprintOf('v2'));
    const [flow] = started?.flows ?? [];
    expect(started?.replaced).toEqual({
      [flow?.flow ?? '']: {
        fingerprint: fingerprintOf('v1'),
        name: 'web',
        compliant: null,
        running: false,
        trailName: 't1',
        slot: 'web',
        report: rows.find((row) => row !== started)?.flows[0]?.report,
        commit: rows.find((row) => row !== started)?.flows[0]?.commit,
      },
    });
    await acme.run('prod', onServer({ web: 'v2', more: 'more' }));
    expect((await acme.row('prod', 'web')).replaced).toEqual(started?.replaced);
  });
});

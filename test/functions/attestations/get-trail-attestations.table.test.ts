import { describe, expect, it } from 'vitest';
import { unsigned } from '#shared/evidence/rules/verification.ts';
import { describeAccess } from '#test/support/access.ts';
import { evidenceApi, newOrganization, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();

describe('GET /attestations/{org}/{flow}/trail/{trail}/{name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/attestations/${org}/web/trail/run/check`, needs: 'reader' });

  it('lists every record with the name, newest first, and answers an empty array for an unused name', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'check', description: 'first' });
    await acme.attest('generic', { attestation_name: 'other' });
    await acme.attest('generic', { attestation_name: 'check', description: 'second' });
    expect((await acme.named('check')).map(({ description }) => description)).toEqual(['second', 'first']);
    for (const name of ['none', 'a.b', 'a#b', '__proto__']) expect(await acme.named(name)).toEqual([]);
  });

  it('shows the grade that the author gives, whatever the report calls itself', async () => {
    const acme = await newOrganization(api);
    const claimed = { verification: { grade: 'logged' }, observed: true };
    await acme.attest('generic', { attestation_name: 'check', ...claimed, user_data: claimed });
    const [shown] = await acme.named('check');
    expect(shown?.['verification']).toEqual(unsigned('stated'));
    expect(shown).not.toHaveProperty('observed');
  });

  it('answers 404 for an unknown flow or trail', async () => {
    const acme = await newOrganization(api);
    await acme.begin({});
    const read = (flow: string, trail: string) => acme.get(`/attestations/${acme.org}/${flow}/trail/${trail}/check`);
    expect(refusal(await read('none', 'run'))).toEqual([
      404,
      { message: `Flow named 'none' does not exist for organization '${acme.org}'` },
    ]);
    expect(refusal(await read('web', 'none'))).toEqual([
      404,
      { message: `Trail with name 'none' does not exist for Organization '${acme.org}' and Flow 'web'` },
    ]);
    expect((await read('web', 'n'.repeat(10_000))).status).toBe(404);
  });
});

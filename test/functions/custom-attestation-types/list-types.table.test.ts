import { describe, expect, it, vi } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { jq, newOrganization, refusal, refused, typesApi } from './types-api.ts';

const api = await typesApi();

describe('GET /custom-attestation-types/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/custom-attestation-types/${org}`, needs: 'reader' });

  it('answers an empty array if there is no type', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list())).toEqual([200, []]);
  });

  it('lists the same records as GET of one type, sorted by name', async () => {
    const acme = await newOrganization(api);
    for (const name of ['b', 'a', 'C']) await acme.post({ name, description: name }, '{"maximum":1.50}');
    await acme.post({ name: 'b', evaluator: jq('.x') });
    const { status, json, text } = await acme.list();
    expect([status, json]).toEqual([200, await Promise.all(['C', 'a', 'b'].map((name) => acme.read(name)))]);
    expect(text).toContain('{"maximum":1.50}');
    await acme.list();
    expect(api.entries.at(-1)).toMatchObject({ status: 200, aws_sequential: 2 });
  });

  it('omits archived types unless archived=true', async () => {
    const acme = await newOrganization(api);
    for (const name of ['gone', 'stays']) await acme.post({ name });
    await acme.archive('gone');
    expect(await acme.names()).toEqual(['stays']);
    expect(await acme.names('archived=false')).toEqual(['stays']);
    expect(await acme.names('archived=true')).toEqual(['gone', 'stays']);
    expect((await acme.list('archived=true')).json).toMatchObject([{ archived: true }, { archived: false }]);
  });

  it('refuses a value of archived that is not a boolean', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list('archived=maybe'))).toEqual(
      refused({ 'query.archived': 'Input should be a valid boolean, unable to interpret input [input: maybe]' }),
    );
  });

  it('shows a placeholder for a record that cannot be read, and logs the record', async () => {
    const acme = await newOrganization(api);
    for (const name of ['broken', 'sound']) await acme.post({ name });
    await api.services.table.put({ pk: `${acme.id}#TYPE#broken`, sk: 'V#0000000001', v: 1, number: 'nonsense' });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { status, json } = await acme.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining('Unreadable record: custom type broken'));
    log.mockRestore();
    expect([status, json]).toMatchObject([
      200,
      [{ name: 'broken', org: acme.org, versions: [], unreadable: true }, { name: 'sound' }],
    ]);
  });

  it('does not show types of another organization', async () => {
    const [one, other] = [await newOrganization(api), await newOrganization(api)];
    await one.post({ name: 't' });
    expect(await other.names('archived=true')).toEqual([]);
  });
});

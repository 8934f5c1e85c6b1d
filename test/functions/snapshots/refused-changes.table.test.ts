import { describe, expect, it } from 'vitest';
import { invalidFields, refusal } from '#test/support/evidence.ts';
import { type ReadingOrganization, readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const ask = ({ get, org }: ReadingOrganization, query: string) => get(`/env-diff/${org}`, query);

/** One organization for all requests: none of them changes a record. */
const refusing = await readingOrganization(api);
await refusing.putEnvironment('prod');

describe('GET /env-diff/{org} with two instants, refused', () => {
  it('answers 404 for an unknown environment and for one of another organization', async () => {
    const other = await readingOrganization(api);
    for (const acme of [other, refusing]) {
      expect(refusal(await ask(acme, 'environment=nowhere&from=0'))).toEqual([
        404,
        { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
      ]);
    }
    expect((await ask(other, 'environment=prod&from=0')).status).toBe(404);
  });

  it.each([
    ['from=x', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=-1', 'from'],
    ['from=2026-01-02T25:00:00Z', 'from'],
    ['from=9999999999', 'from'],
    ['from=2&to=1', 'from'],
    ['from=0&to=x', 'to'],
    ['from=0&page=0', 'page'],
    ['from=0&per_page=101', 'per_page'],
    ['to=1', 'from'],
    ['', 'from'],
    ['from=0&snappish1=prod', 'environment'],
    ['from=0&snappish1=prod&snappish2=prod', 'environment'],
  ])('refuses environment=prod&%s under %s', async (query, field) => {
    const answer = await ask(refusing, `environment=prod&${query}`);
    expect(refusal(answer)).toMatchObject([400, { errors: { [`query.${field}`]: expect.any(String) } }]);
  });

  it('names the missing parameters of each form', async () => {
    expect(refusal(await ask(refusing, 'from=0'))).toEqual(
      invalidFields({ 'query.environment': 'Field required [input: None]' }),
    );
    expect(refusal(await ask(refusing, ''))).toEqual(
      invalidFields({
        'query.snappish1': 'Field required [input: None]',
        'query.snappish2': 'Field required [input: None]',
      }),
    );
  });
});

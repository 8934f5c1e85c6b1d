import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { anArtifact, aRepo, evidenceApi, invalidFields, newOrganization, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();

describe('GET /artifacts/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/artifacts/${org}`, needs: 'reader' });

  const filled = async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('one', { repo_info: aRepo() }));
    await acme.report(anArtifact('two', { repo_info: aRepo({ id: '1', name: 'acme/api' }) }), { flow: 'api' });
    await acme.report(anArtifact('three'));
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false });
    const list = async (query = '', path = `/artifacts/${acme.org}`) =>
      (await acme.get(path, query)).json as { template_reference_name: string; state: string }[];
    const names = async (query = '', path?: string) =>
      (await list(query, path)).map(({ template_reference_name: name, state }) => `${name} ${state}`);
    return { acme, names };
  };

  it('lists reports as a plain array, newest first, with their verdicts', async () => {
    const { names } = await filled();
    expect(await names()).toEqual(['three NON-COMPLIANT', 'two COMPLIANT', 'one NON-COMPLIANT']);
    expect(await names('page=2&per_page=2')).toEqual(['one NON-COMPLIANT']);
    expect(await names('page=1000000000000')).toEqual([]);
  });

  it('filters by flow or by repository; the flow wins if both are given', async () => {
    const { acme, names } = await filled();
    expect(await names('flow_name=api')).toEqual(['two COMPLIANT']);
    expect(await names('repo_name=acme/web')).toEqual(['one NON-COMPLIANT']);
    expect(await names('repo_name=acme/web&flow_name=api')).toEqual(['two COMPLIANT']);
    expect(await names('', `/artifacts/${acme.org}/web`)).toEqual(['three NON-COMPLIANT', 'one NON-COMPLIANT']);
    await acme.putFlow('empty');
    expect(await names('flow_name=empty')).toEqual([]);
  });

  it('answers 404 for an unknown flow and an unknown repository', async () => {
    const { acme } = await filled();
    const flow = [404, { message: `Flow named 'x' does not exist for organization '${acme.org}'` }];
    expect(refusal(await acme.get(`/artifacts/${acme.org}`, 'flow_name=x'))).toEqual(flow);
    expect(refusal(await acme.get(`/artifacts/${acme.org}/x`))).toEqual(flow);
    const repo = [404, { message: "Repo 'acme/none' not found" }];
    expect(refusal(await acme.get(`/artifacts/${acme.org}`, 'repo_name=acme/none'))).toEqual(repo);
  });

  it('refuses page numbers and page sizes that are out of range', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.get(`/artifacts/${acme.org}`, 'page=x&per_page=0'))).toEqual(
      invalidFields({ 'query.page': expect.anything(), 'query.per_page': expect.anything() }),
    );
  });
});

describe('GET /artifacts/{org}/{flow}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/artifacts/${org}/web`, needs: 'reader' });
});

import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { badName, flowsApi, HOSTILE_NAMES, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();
const refusing = await newOrganization(api);
await refusing.put({ name: 'web' });

const notFound = (flow: string, org: string) => [
  404,
  { message: 'Flow not found', detail: `Flow named '${flow}' does not exist for organization '${org}'` },
];
const taken = (name: string, org: string) => [
  400,
  {
    message: 'Input payload validation failed',
    errors: { new_name: `Flow named '${name}' already exists for organization '${org}'` },
  },
];

/** Creates an organization with flows of these names. The description of each flow is its first name. */
async function withFlows(...names: string[]) {
  const acme = await newOrganization(api);
  for (const name of names) await acme.put({ name, description: name });
  const found = async (name: string) => {
    const flow = await acme.read(name);
    return [flow.description, flow.name];
  };
  return { ...acme, found };
}

describe('PUT /flows/{org}/{flow_name}/rename', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/flows/${org}/web/rename`,
    request: { json: { new_name: 'other' } },
    needs: 'member',
  });

  it('renames a flow, which stays reachable under the old name', async () => {
    const acme = await withFlows('a');
    expect(refusal(await acme.rename('a', 'b'))).toEqual([200, 'OK']);
    expect(await acme.found('a')).toEqual(['a', 'b']);
    expect(await acme.found('b')).toEqual(['a', 'b']);
    expect(await acme.names()).toEqual(['b']);
  });

  it('keeps every former name after several renames', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    await acme.rename('b', 'c');
    for (const name of ['a', 'b', 'c']) expect(await acme.found(name)).toEqual(['a', 'c']);
  });

  it('renames a flow that is named by a former name', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    expect((await acme.rename('a', 'c')).status).toBe(200);
    for (const name of ['a', 'b', 'c']) expect(await acme.found(name)).toEqual(['a', 'c']);
  });

  it('renames a flow back to one of its former names', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    expect((await acme.rename('b', 'a')).status).toBe(200);
    for (const name of ['a', 'b']) expect(await acme.found(name)).toEqual(['a', 'a']);
    expect(await acme.names()).toEqual(['a']);
  });

  it('takes over a former name of another flow', async () => {
    const acme = await withFlows('a', 'x');
    await acme.rename('a', 'b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('x')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['a', 'b']);
  });

  it('does not take a name back when its previous flow is renamed again', async () => {
    const acme = await withFlows('a', 'x');
    await acme.rename('a', 'b');
    await acme.rename('x', 'a');
    await acme.rename('b', 'c');
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['a', 'c']);
  });

  it('changes nothing if the new name is the present name', async () => {
    const acme = await withFlows('a');
    expect(refusal(await acme.rename('a', 'a'))).toEqual([200, 'OK']);
    expect(await acme.found('a')).toEqual(['a', 'a']);
  });

  it("refuses another flow's present name", async () => {
    const acme = await withFlows('a', 'b');
    expect(refusal(await acme.rename('a', 'b'))).toEqual(taken('b', acme.org));
    expect(await acme.found('a')).toEqual(['a', 'a']);
    expect(await acme.found('b')).toEqual(['b', 'b']);
  });

  it("refuses an archived flow's long name", async () => {
    const acme = await withFlows('a', 'b');
    const long = await acme.archivedAs('b');
    expect(refusal(await acme.rename('a', long))).toEqual(taken(long, acme.org));
  });

  it('accepts the old names of an archived flow', async () => {
    const acme = await withFlows('a', 'x', 'y');
    await acme.rename('a', 'b');
    await acme.archive('b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    expect((await acme.rename('y', 'b')).status).toBe(200);
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['y', 'b']);
  });

  it('answers 404 with both sentences for an unknown flow', async () => {
    expect(refusal(await refusing.rename('nope', 'other'))).toEqual(notFound('nope', refusing.org));
  });

  it('answers 404 for the long name of an archived flow', async () => {
    const acme = await withFlows('a');
    const long = await acme.archivedAs('a');
    expect(refusal(await acme.rename(long, 'b'))).toEqual(notFound(long, acme.org));
  });

  it.each([...HOSTILE_NAMES, 'new illegal name'])(
    'refuses the new name %j, which is outside the pattern',
    async (name) => {
      expect(refusal(await refusing.rename('web', name))).toEqual([
        400,
        { message: 'Input payload validation failed', errors: { new_name: badName(name) } },
      ]);
    },
  );

  it.each([
    [undefined, 'Field required [input: None]'],
    [null, 'Input should be a valid string [input: None]'],
    [7, 'Input should be a valid string [input: 7]'],
  ])('refuses %j as the new name', async (name, text) => {
    expect(refusal(await refusing.rename('web', name))).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { new_name: text } },
    ]);
  });

  it('checks the new name before it looks up the flow', async () => {
    expect((await refusing.rename('nope', 'new illegal name')).status).toBe(400);
  });

  it('refuses a body without content', async () => {
    const answer = await refusing.rename('web', undefined, { text: 'null' });
    expect(answer).toMatchObject({ status: 400, json: { errors: { payload: 'Field required [input: None]' } } });
  });

  it('gives the name to one flow if two flows are renamed to it at the same time', async () => {
    const acme = await withFlows('a', 'b');
    const answers = await Promise.all([acme.rename('a', 'c'), acme.rename('b', 'c')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const winner = answers[0]?.status === 200 ? 'a' : 'b';
    expect(await acme.found('c')).toEqual([winner, 'c']);
    expect(await acme.names()).toEqual([winner === 'a' ? 'b' : 'a', 'c'].toSorted());
  });

  it('accepts the same rename twice at the same time', async () => {
    const acme = await withFlows('a');
    const answers = await Promise.all([acme.rename('a', 'b'), acme.rename('a', 'b')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await acme.found('a')).toEqual(['a', 'b']);
  });

  it('ends with one present name after two renames at the same time, and keeps all names as aliases', async () => {
    const acme = await withFlows('a');
    const answers = await Promise.all([acme.rename('a', 'b'), acme.rename('a', 'c')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [name = ''] = await acme.names();
    expect(['b', 'c']).toContain(name);
    for (const given of ['a', 'b', 'c']) expect(await acme.found(given)).toEqual(['a', name]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await withFlows('a', 'x');
    const headers = { 'idempotency-key': 'rename-once' };
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    await acme.rename('b', 'a');
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    expect(await acme.found('a')).toEqual(['a', 'a']);
    expect((await acme.rename('a', 'c', { headers })).status).toBe(400);
  });
});

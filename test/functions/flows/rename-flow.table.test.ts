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

/** An organization with flows of these names, each described by the name that it began with. */
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

  it('renames, and the old name stays usable', async () => {
    const acme = await withFlows('a');
    expect(refusal(await acme.rename('a', 'b'))).toEqual([200, 'OK']);
    expect(await acme.found('a')).toEqual(['a', 'b']);
    expect(await acme.found('b')).toEqual(['a', 'b']);
    expect(await acme.names()).toEqual(['b']);
  });

  it('keeps every name of a chain', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    await acme.rename('b', 'c');
    for (const name of ['a', 'b', 'c']) expect(await acme.found(name)).toEqual(['a', 'c']);
  });

  it('can be asked for by a former name', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    expect((await acme.rename('a', 'c')).status).toBe(200);
    for (const name of ['a', 'b', 'c']) expect(await acme.found(name)).toEqual(['a', 'c']);
  });

  it('gives a flow back a name that it had', async () => {
    const acme = await withFlows('a');
    await acme.rename('a', 'b');
    expect((await acme.rename('b', 'a')).status).toBe(200);
    for (const name of ['a', 'b']) expect(await acme.found(name)).toEqual(['a', 'a']);
    expect(await acme.names()).toEqual(['a']);
  });

  it('takes a former name from the flow that had it', async () => {
    const acme = await withFlows('a', 'x');
    await acme.rename('a', 'b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('x')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['a', 'b']);
  });

  it('leaves a name that was taken with its new flow when the former one is renamed again', async () => {
    const acme = await withFlows('a', 'x');
    await acme.rename('a', 'b');
    await acme.rename('x', 'a');
    await acme.rename('b', 'c');
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['a', 'c']);
  });

  it('changes nothing when the name is the present one already', async () => {
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

  it('takes the names that an archived flow had', async () => {
    const acme = await withFlows('a', 'x', 'y');
    await acme.rename('a', 'b');
    await acme.archive('b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    expect((await acme.rename('y', 'b')).status).toBe(200);
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['y', 'b']);
  });

  it('answers with both sentences for a flow that is not there', async () => {
    expect(refusal(await refusing.rename('nope', 'other'))).toEqual(notFound('nope', refusing.org));
  });

  it('answers 404 for the long name of an archived flow', async () => {
    const acme = await withFlows('a');
    const long = await acme.archivedAs('a');
    expect(refusal(await acme.rename(long, 'b'))).toEqual(notFound(long, acme.org));
  });

  it.each([...HOSTILE_NAMES, 'new illegal name'])('refuses %j as the new name', async (name) => {
    expect(refusal(await refusing.rename('web', name))).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { new_name: badName(name) } },
    ]);
  });

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

  it('looks at the new name before it looks for the flow', async () => {
    expect((await refusing.rename('nope', 'new illegal name')).status).toBe(400);
  });

  it('refuses a body without content', async () => {
    const answer = await refusing.rename('web', undefined, { text: 'null' });
    expect(answer).toMatchObject({ status: 400, json: { errors: { payload: 'Field required [input: None]' } } });
  });

  it('gives a name to one of two flows that ask for it at once', async () => {
    const acme = await withFlows('a', 'b');
    const answers = await Promise.all([acme.rename('a', 'c'), acme.rename('b', 'c')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const winner = answers[0]?.status === 200 ? 'a' : 'b';
    expect(await acme.found('c')).toEqual([winner, 'c']);
    expect(await acme.names()).toEqual([winner === 'a' ? 'b' : 'a', 'c'].toSorted());
  });

  it('lets the same rename succeed twice at once', async () => {
    const acme = await withFlows('a');
    const answers = await Promise.all([acme.rename('a', 'b'), acme.rename('a', 'b')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await acme.found('a')).toEqual(['a', 'b']);
  });

  it('ends with one name whatever two different renames do at once, and keeps all that were given', async () => {
    const acme = await withFlows('a');
    const answers = await Promise.all([acme.rename('a', 'b'), acme.rename('a', 'c')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [name = ''] = await acme.names();
    expect(['b', 'c']).toContain(name);
    for (const given of ['a', 'b', 'c']) expect(await acme.found(given)).toEqual(['a', name]);
  });

  it('gives the first answer again under the same Idempotency-Key', async () => {
    const acme = await withFlows('a', 'x');
    const headers = { 'idempotency-key': 'rename-once' };
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    await acme.rename('b', 'a');
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    expect(await acme.found('a')).toEqual(['a', 'a']);
    expect((await acme.rename('a', 'c', { headers })).status).toBe(400);
  });
});

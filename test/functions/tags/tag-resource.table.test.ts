import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { aRepo, invalidFields, refusal } from '#test/support/evidence.ts';
import { manyTags, newTagsOrganization, tagsApi } from './tags-api.ts';

const api = await tagsApi();
const DONE = [200, 'OK'];
const PATTERN = String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$'`;

/** An organization with a flow, an environment and a repository, and requests that change and read their tags. */
async function tagged() {
  const acme = await newTagsOrganization(api);
  await acme.putFlow('web');
  await acme.call('PUT', `/environments/${acme.org}`, { json: { name: 'prod', type: 'K8S' } });
  await acme.begin({ repo_info: aRepo() }, { flow: 'other' });
  const { json } = await acme.get(`/repos/${acme.org}/acme/web`);
  const repo = String((json as { id: string }).id);
  const places = {
    flow: { types: ['flow', 'flows'], id: 'web', path: `/flows/${acme.org}/web` },
    environment: {
      types: ['env', 'environment', 'environments'],
      id: 'prod',
      path: `/environments/${acme.org}/prod`,
    },
    repo: { types: ['repo', 'repos'], id: repo, path: `/repos/${acme.org}/acme/web` },
  };
  return { ...acme, places };
}

const refusing = await tagged();

describe('PATCH /tags/{org}/{resource_type}/{resource_id}', () => {
  describeAccess(api, {
    method: 'PATCH',
    path: (org) => `/tags/${org}/flow/web`,
    request: { json: { set_tags: { a: '1' } } },
    needs: 'member',
  });

  it.each(['flow', 'environment', 'repo'] as const)('sets, overwrites and removes tags of a %s', async (kind) => {
    const acme = await tagged();
    const { types, id, path } = acme.places[kind];
    const [type = ''] = types;
    expect(await acme.tagsAt(path)).toEqual({});
    expect(refusal(await acme.tag(type, id, { set_tags: { a: '1', b: '1' }, remove_tags: null }))).toEqual(DONE);
    expect(await acme.tagsAt(path)).toEqual({ a: '1', b: '1' });
    expect(refusal(await acme.tag(type, id, { set_tags: { a: '2', c: '' }, remove_tags: ['b', 'nope'] }))).toEqual(
      DONE,
    );
    expect(await acme.tagsAt(path)).toEqual({ a: '2', c: '' });
    expect(refusal(await acme.tag(type, id, { set_tags: null, remove_tags: ['a', 'c'] }))).toEqual(DONE);
    expect(await acme.tagsAt(path)).toEqual({});
  });

  it.each(['flow', 'environment', 'repo'] as const)('accepts every spelling of a %s', async (kind) => {
    const acme = await tagged();
    const { types, id, path } = acme.places[kind];
    for (const type of types) expect(refusal(await acme.tag(type, id, { set_tags: { [type]: 'x' } }))).toEqual(DONE);
    expect(await acme.tagsAt(path)).toEqual(Object.fromEntries(types.map((type) => [type, 'x'])));
  });

  it('removes a tag that is in both lists', async () => {
    const acme = await tagged();
    await acme.tag('flow', 'web', { set_tags: { a: '1' }, remove_tags: ['a'] });
    expect(await acme.tagsAt(acme.places.flow.path)).toEqual({});
  });

  it.each([{}, null, { set_tags: null, remove_tags: null }, { set_tags: {}, remove_tags: [] }, { remove_tags: [''] }])(
    'changes nothing for %j, and leaves no trace',
    async (body) => {
      const before = await refusing.stored();
      expect(refusal(await refusing.tag('flow', 'web', body))).toEqual(DONE);
      expect(await refusing.stored()).toEqual(before);
    },
  );

  it('accepts a former name of a flow, and tag names such as constructor', async () => {
    const acme = await tagged();
    await acme.call('PUT', `/flows/${acme.org}/web/rename`, { json: { new_name: 'site' } });
    expect(refusal(await acme.tag('flow', 'web', { set_tags: { constructor: 'c', toString: 's' } }))).toEqual(DONE);
    expect(await acme.tagsAt(`/flows/${acme.org}/site`)).toEqual({ constructor: 'c', toString: 's' });
  });

  it('writes the changed tags and the actor to the audit log', async () => {
    const acme = await tagged();
    await acme.tag('flow', 'web', { set_tags: { a: '1', b: '1' } });
    await acme.tag('flow', 'web', { set_tags: { a: '2' }, remove_tags: ['b'] });
    const entries = (await acme.stored()).filter((item) => item.includes('flow.tags_changed'));
    const facts = entries
      .map((item) => JSON.parse(item))
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ before, after }) => [before, after].map((text) => JSON.parse(text)));
    expect(facts).toEqual([
      [{ tags: [] }, { tags: ['a=1', 'b=1'] }],
      [{ tags: ['b=1', 'a=1'] }, { tags: ['a=2'] }],
    ]);
    expect(entries[0]).toContain(`${acme.org}-admin`);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await tagged();
    const headers = { 'idempotency-key': 'tag-once' };
    const body = { set_tags: { a: '1' } };
    expect(refusal(await acme.tag('flow', 'web', body, { headers }))).toEqual(DONE);
    await acme.tag('flow', 'web', { remove_tags: ['a'] });
    expect(refusal(await acme.tag('flow', 'web', body, { headers }))).toEqual(DONE);
    expect(await acme.tagsAt(acme.places.flow.path)).toEqual({});
  });
});

describe('many tags', () => {
  it.each(['flow', 'environment', 'repo'] as const)(
    'many tags of a %s are set, changed and removed in one call each',
    async (kind) => {
      const acme = await tagged();
      const { types, id, path } = acme.places[kind];
      const [type = ''] = types;
      expect(refusal(await acme.tag(type, id, { set_tags: manyTags(200) }))).toEqual(DONE);
      expect(refusal(await acme.tag(type, id, { set_tags: manyTags(200, 'w') }))).toEqual(DONE);
      expect(await acme.tagsAt(path)).toEqual(manyTags(200, 'w'));
      expect(refusal(await acme.tag(type, id, { remove_tags: Object.keys(manyTags(199)) }))).toEqual(DONE);
      expect(await acme.tagsAt(path)).toEqual({ t199: 'w' });
      const left = (await acme.stored()).filter((item) => /#(FLOWTAG|REPOTAG)#/.test(item));
      expect(left.length).toBe(kind === 'environment' ? 0 : 1);
    },
  );

  it('are refused if the resource would have more than two hundred, and nothing is stored', async () => {
    const acme = await tagged();
    const text = (count: number) => ({ set_tags: `A resource may have at most 200 tags; it would have ${count}` });
    expect(refusal(await acme.tag('flow', 'web', { set_tags: manyTags(201) }))).toEqual(invalidFields(text(201)));
    await acme.tag('flow', 'web', { set_tags: manyTags(200) });
    const before = await acme.stored();
    expect(refusal(await acme.tag('flow', 'web', { set_tags: { more: '1' } }))).toEqual(invalidFields(text(201)));
    expect(await acme.stored()).toEqual(before);
    expect(refusal(await acme.tag('flow', 'web', { set_tags: { more: '1' }, remove_tags: ['t0'] }))).toEqual(DONE);
  });

  it('tags of the greatest length are stored and shown whole', async () => {
    const acme = await tagged();
    const longest = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`${i}`.padStart(128, 'x'), 'v'.repeat(1024)]),
    );
    expect(refusal(await acme.tag('repo', acme.places.repo.id, { set_tags: longest }))).toEqual(DONE);
    expect(await acme.tagsAt(acme.places.repo.path)).toEqual(longest);
    const wide = await acme.tag('env', 'prod', { set_tags: manyTags(200, '流'.repeat(1024)) });
    expect(wide.status).toBe(400);
    expect(await acme.tagsAt(acme.places.environment.path)).toEqual({});
  });
});

describe('two writers of tags at the same time', () => {
  it.each(['flow', 'environment', 'repo'] as const)('both succeed on a %s', async (kind) => {
    const acme = await tagged();
    const { types, id, path } = acme.places[kind];
    const [type = ''] = types;
    const bodies = Array.from({ length: 6 }, (_, i) => ({ set_tags: { [`own${i}`]: 'x', shared: `${i}` } }));
    const answers = await Promise.all(bodies.map((body) => acme.tag(type, id, body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    const tags = await acme.tagsAt(path);
    expect(Object.keys(tags).sort()).toEqual(['own0', 'own1', 'own2', 'own3', 'own4', 'own5', 'shared']);
    const entries = (await acme.stored()).filter((item) => /#(FLOWTAG|REPOTAG)#shared#/.test(item));
    expect(entries.length).toBe(kind === 'environment' ? 0 : 1);
  });
});

describe('lists by tags', () => {
  it('find trails by the current tags of their flows', async () => {
    const acme = await tagged();
    await acme.begin({}, { flow: 'web' });
    const trails = async (tag: string) => {
      const { json } = await acme.get(`/trails/${acme.org}`, `flow_tag=${tag}`);
      return (json as { data: { flow_name: string }[] }).data.map(({ flow_name }) => flow_name);
    };
    await acme.tag('flow', 'web', { set_tags: { team: 'a' } });
    expect(await trails('team=a')).toEqual(['web']);
    await acme.tag('flow', 'web', { set_tags: { team: 'b' } });
    expect([await trails('team=a'), await trails('team=b')]).toEqual([[], ['web']]);
    await acme.tag('flow', 'web', { remove_tags: ['team'] });
    expect(await trails('team=b')).toEqual([]);
  });
});

describe('a refused change of tags', () => {
  const refused = async (body: unknown) => {
    const before = await refusing.stored();
    const answer = refusal(await refusing.tag('flow', 'web', body));
    expect(await refusing.stored()).toEqual(before);
    return answer;
  };

  it.each(['', '-a', '.a', 'a b', 'a#b', 'a:b', 'ä'])('names the tag %j', async (name) => {
    expect(await refused({ set_tags: { [name]: 'x' } })).toEqual(
      invalidFields({ [`set_tags.${name}`]: `${PATTERN} [input: ${name}]` }),
    );
  });

  it('names tags and values that are too long', async () => {
    const name = 'x'.repeat(129);
    expect(await refused({ set_tags: { [name]: 'x' } })).toEqual(
      invalidFields({ [`set_tags.${name}`]: `String should have at most 128 characters [input: ${name}]` }),
    );
    const value = 'v'.repeat(1025);
    expect(await refused({ set_tags: { a: value } })).toEqual(
      invalidFields({ 'set_tags.a': `String should have at most 1024 characters [input: ${value.slice(0, 200)}…]` }),
    );
    expect((await refusing.tag('env', 'prod', { set_tags: { ['x'.repeat(128)]: 'v'.repeat(1024) } })).status).toBe(200);
  });

  it.each([
    [{ set_tags: { a: 1 } }, { 'set_tags.a': 'Input should be a valid string [input: 1]' }],
    [{ set_tags: { a: null } }, { 'set_tags.a': 'Input should be a valid string [input: None]' }],
    [{ set_tags: ['a'] }, { set_tags: 'Input should be a valid dictionary [input: ["a"]]' }],
    [{ set_tags: 'a' }, { set_tags: 'Input should be a valid dictionary [input: a]' }],
    [{ remove_tags: 'a' }, { remove_tags: 'Input should be a valid list [input: a]' }],
    [{ remove_tags: { a: 'b' } }, { remove_tags: 'Input should be a valid list [input: {"a":"b"}]' }],
    [{ remove_tags: [1] }, { 'remove_tags[0]': 'Input should be a valid string [input: 1]' }],
    [{ set_tag: { a: 'b' } }, { set_tag: "Unknown field 'set_tag'. The nearest known field is 'set_tags'" }],
    [[], { payload: 'Input should be a valid dictionary [input: []]' }],
  ])('says what is wrong with %j', async (body, errors) => {
    expect(await refused(body)).toEqual(invalidFields(errors));
  });

  it('names all resource types', async () => {
    expect(refusal(await refusing.tag('policy', 'x', {}))).toEqual(
      invalidFields({
        resource_type:
          "Input should be 'flow', 'flows', 'env', 'environment', 'environments', 'repo', 'repos', 'control' or 'controls' [input: policy]",
      }),
    );
  });

  it.each([
    ['flow', 'nope', (org: string) => `Flow named 'nope' does not exist for organization '${org}'`],
    ['flow', 'a b', (org: string) => `Flow named 'a b' does not exist for organization '${org}'`],
    ['env', 'nope', (org: string) => `Environment named 'nope' does not exist for organization '${org}'`],
    ['repo', '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4', () => "Repo '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4' not found"],
    ['repo', 'acme', () => "Repo 'acme' not found"],
  ])('says that there is no %s %s', async (type, id, message) => {
    expect(refusal(await refusing.tag(type, id, { set_tags: { a: '1' } }))).toEqual([
      404,
      { message: message(refusing.org) },
    ]);
  });

  it('says that a flow or an environment is archived', async () => {
    const acme = await tagged();
    await acme.call('PUT', `/flows/${acme.org}/web/archive`, { text: 'null' });
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
    const body = { set_tags: { a: '1' } };
    expect((await acme.tag('flow', 'web', body)).status).toBe(404);
    expect(refusal(await acme.tag('env', 'prod', body))).toEqual([
      404,
      { message: `Environment named 'prod' has been archived for organization '${acme.org}'` },
    ]);
  });

  it("is the answer for another organization's repository", async () => {
    const other = await tagged();
    const answer = await refusing.tag('repo', other.places.repo.id, { set_tags: { a: '1' } });
    expect(refusal(answer)).toEqual([404, { message: `Repo '${other.places.repo.id}' not found` }]);
    expect(await other.tagsAt(other.places.repo.path)).toEqual({});
  });
});

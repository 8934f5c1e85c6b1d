import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readTypeForAttesting } from '#shared/evidence/records/custom-types.ts';
import { describeAccess } from '#test/support/access.ts';
import { HOSTILE_NAMES, jq, newOrganization, refusal, refused, typesApi } from './types-api.ts';

const api = await typesApi();
const refusing = await newOrganization(api);
const SCHEMA = '{"type":"object","properties":{"age":{"type":"integer","maximum":12345678901234567890}}}';

describe('POST /custom-attestation-types/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/custom-attestation-types/${org}`,
    request: { form: { fields: { data_json: '{"name":"coverage"}' } } },
    needs: 'member',
  });

  it('creates a type if only the name is given', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.post({ name: 'a.b-c_d~e' }))).toEqual([201, 'OK']);
    expect((await acme.read('a.b-c_d~e')).versions).toEqual([
      {
        version: 1,
        timestamp: expect.any(Number),
        created_by: `${acme.org}-admin`,
        type_schema: null,
        evaluator: { content_type: 'default' },
        summary: null,
      },
    ]);
  });

  it('stores schema, rules and summary, with the digits of numbers unchanged', async () => {
    const acme = await newOrganization(api);
    const summary = [
      { name: 'b', expression: '.b' },
      { name: 'a', expression: '.a' },
    ];
    const fields = { name: 'coverage', description: 'd', evaluator: jq('.age > 3', '.b'), summary };
    expect((await acme.post(fields, ` ${SCHEMA.replaceAll(':', ' :\n')}\n`)).status).toBe(201);
    const answer = await acme.get('coverage');
    expect(answer.text).toContain(`"type_schema":${SCHEMA}`);
    expect((await acme.read('coverage')).versions).toMatchObject([
      { version: 1, evaluator: jq('.age > 3', '.b'), summary },
    ]);
  });

  it('adds a version if schema, rules or summary change, and lists the newest first', async () => {
    const acme = await newOrganization(api);
    const rows = [{ name: 'age', expression: '.age' }];
    await acme.post({ name: 't' });
    await acme.post({ name: 't' }, SCHEMA);
    await acme.post({ name: 't', evaluator: jq('.a') }, SCHEMA);
    await acme.post({ name: 't', evaluator: jq('.a'), summary: rows }, SCHEMA);
    await acme.post({ name: 't', evaluator: jq('.a'), summary: rows });
    const { versions, created_at, last_modified_at } = await acme.read('t');
    expect(versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect(versions.map(({ type_schema }) => type_schema !== null)).toEqual([false, true, true, true, false]);
    expect(last_modified_at).toBeGreaterThan(created_at);
    expect(versions[0]?.timestamp).toBe(last_modified_at);
  });

  it('adds no version for the same content, or for another description', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't', evaluator: jq('.a'), summary: null }, SCHEMA);
    const first = await acme.read('t');
    expect(refusal(await acme.post({ name: 't', evaluator: jq('.a'), summary: [] }, SCHEMA))).toEqual([201, 'OK']);
    const reordered = '{"properties":{"age":{"maximum":12345678901234567890,"type":"integer"}},"type":"object"}';
    await acme.post({ name: 't', evaluator: jq('.a') }, reordered);
    expect(await acme.read('t')).toEqual(first);
    await acme.post({ name: 't', description: 'new', evaluator: jq('.a') }, SCHEMA);
    const { description, versions } = await acme.read('t');
    expect([description, versions]).toEqual(['new', first.versions]);
  });

  it('treats a jq evaluator without rules as no evaluator', async () => {
    const acme = await newOrganization(api);
    for (const evaluator of [null, jq(), { content_type: 'jq' }, { content_type: 'default' }]) {
      expect((await acme.post({ name: 't', evaluator })).status).toBe(201);
    }
    const { versions } = await acme.read('t');
    expect(versions.map(({ evaluator }) => evaluator)).toEqual([{ content_type: 'default' }]);
  });

  it('keeps the description if a later request has none, and stores an empty description', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't', description: 'd' });
    await acme.post({ name: 't', evaluator: jq('.a') });
    expect((await acme.read('t')).description).toBe('d');
    await acme.post({ name: 't', description: '', evaluator: jq('.a') });
    expect((await acme.read('t')).description).toBe('');
  });

  it('stores content that is too large for an item of the table', async () => {
    const acme = await newOrganization(api);
    const digests = Array.from({ length: 1000 }, (_, i) => createHash('sha256').update(String(i)).digest('hex'));
    const schema = JSON.stringify({ enum: digests });
    expect((await acme.post({ name: 't' }, schema)).status).toBe(201);
    expect((await acme.get('t')).text).toContain(schema);
    const { table, objects } = api.services;
    const type = await readTypeForAttesting(table, objects, acme.id, 't');
    expect(type?.schema).toEqual(JSON.parse(schema));
  });

  it('uses the latest version for new attestations', async () => {
    const acme = await newOrganization(api);
    const { table, objects } = api.services;
    expect(await readTypeForAttesting(table, objects, acme.id, 't')).toBeNull();
    await acme.post({ name: 't' }, SCHEMA);
    await acme.post({ name: 't', evaluator: jq('.a') });
    const latest = { version: 2, schema: null, rules: ['.a'] };
    expect(await readTypeForAttesting(table, objects, acme.id, 't')).toEqual({ ...latest, archived: false });
    await acme.archive('t');
    expect(await readTypeForAttesting(table, objects, acme.id, 't')).toEqual({ ...latest, archived: true });
  });

  it('adds a version to an archived type, which stays archived', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't' });
    await acme.archive('t');
    expect(refusal(await acme.post({ name: 't', evaluator: jq('.a') }))).toEqual([201, 'OK']);
    const { archived, versions } = await acme.read('t');
    expect([archived, versions.length]).toEqual([true, 2]);
    expect(await acme.names()).toEqual([]);
  });

  it('numbers versions without gaps if many requests run at the same time', async () => {
    const acme = await newOrganization(api);
    const rules = Array.from({ length: 8 }, (_, i) => `.a > ${i}`);
    const answers = await Promise.all(rules.map((rule) => acme.post({ name: 't', evaluator: jq(rule) })));
    expect(answers.map(({ status }) => status)).toEqual(rules.map(() => 201));
    const { versions } = await acme.read('t');
    expect(versions.map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(versions.flatMap(({ evaluator }) => evaluator.rules ?? []).toSorted()).toEqual(rules);
    const times = versions.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(await acme.names()).toEqual(['t']);
  });

  it('makes one version if the same content comes twice at the same time', async () => {
    const acme = await newOrganization(api);
    await Promise.all([1, 2, 3].map(() => acme.post({ name: 't', evaluator: jq('.a') })));
    expect((await acme.read('t')).versions.length).toBe(1);
  });

  it.each(['.a >', '.a |', 'nonsense', ')', '.a) | (true', 'import "a" as a; .', '"unclosed'])(
    'refuses the rule %j and the summary expression %j',
    async (program) => {
      const answer = await refusing.post({
        name: 't',
        evaluator: jq('.fine', program),
        summary: [{ name: 'row', expression: program }],
      });
      expect(refusal(answer)).toEqual(
        refused({
          evaluator: expect.stringMatching(/^Rule 2 is not valid jq: .+ \[input: /),
          summary: expect.stringMatching(/^Expression 1 is not valid jq: .+ \[input: /),
        }),
      );
      expect((await refusing.get('t')).status).toBe(404);
    },
  );

  it('compiles rules without running them', async () => {
    const acme = await newOrganization(api);
    const endless = ['def f: f; f', 'last(range(1e15))', '[range(1e12)]'];
    expect((await acme.post({ name: 't', evaluator: jq(...endless) })).status).toBe(201);
  });

  it('accepts 100 rules and 100 rows, and refuses more', async () => {
    const acme = await newOrganization(api);
    const programs = (count: number) => Array.from({ length: count }, (_, i) => `.a > ${i}`);
    const rows = (count: number) => programs(count).map((expression) => ({ name: expression, expression }));
    expect((await acme.post({ name: 't', evaluator: jq(...programs(100)), summary: rows(100) })).status).toBe(201);
    const answer = await acme.post({ name: 't', evaluator: jq(...programs(101)), summary: rows(101) });
    const tooLong = expect.stringContaining('at most 100 items');
    expect(refusal(answer)).toEqual(refused({ 'evaluator.rules': tooLong, summary: tooLong }));
  });

  it.each([
    ['broken JSON', '{"type":'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a text', '"object"'],
    ['null', 'null'],
    ['true', 'true'],
    ['an unknown type', '{"type":"nonsense"}'],
    ['a type that is a number', '{"type":7}'],
    ['a pattern that is none', '{"pattern":"("}'],
    ['a remote reference', '{"$ref":"https://example.com/schema.json"}'],
    ['a reference to a file', '{"$ref":"file:///etc/passwd"}'],
    ['a reference to nothing', '{"$ref":"#/definitions/missing"}'],
    ['an unknown dialect', '{"$schema":"https://example.com/dialect"}'],
    ['10,000 levels', `${'{"not":'.repeat(10_000)}{}${'}'.repeat(10_000)}`],
  ])('refuses a schema of %s', async (_, schema) => {
    expect(refusal(await refusing.post({ name: 't' }, schema))).toEqual(refused({ type_schema: expect.any(String) }));
    expect((await refusing.get('t')).status).toBe(404);
  });

  it('refuses a schema that is not UTF-8, or larger than 1 MB', async () => {
    const latin = new Uint8Array(Buffer.from('{"title":"é"}', 'latin1'));
    expect(refusal(await refusing.post({ name: 't' }, latin))).toEqual(
      refused({ type_schema: 'The text is not UTF-8' }),
    );
    const large = `{"title":"${'x'.repeat(1024 * 1024)}"}`;
    expect(refusal(await refusing.post({ name: 't' }, large))).toEqual(
      refused({ type_schema: 'The file is larger than 1048576 bytes' }),
    );
  });

  it('accepts names of prototype members, such as __proto__', async () => {
    const acme = await newOrganization(api);
    const schema = '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}';
    expect((await acme.post({ name: 'constructor' }, schema)).status).toBe(201);
    expect((await acme.get('constructor')).text).toContain(schema);
  });

  it.each([...HOSTILE_NAMES, '', 'a/b', '.a'])('refuses the name %j', async (name) => {
    const pattern = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`;
    expect(refusal(await refusing.post({ name }))).toEqual(
      refused({ name: `String should match pattern '${pattern}' [input: ${name}]` }),
    );
  });

  it('refuses a name that is too long for a key', async () => {
    const answer = await refusing.post({ name: 'n'.repeat(10_000) });
    expect(refusal(answer)).toEqual(refused({ name: expect.stringContaining('at most 255 characters') }));
  });

  it('names all wrong fields in one answer', async () => {
    const answer = await refusing.post({
      description: 7,
      evaluator: { content_type: 'rego', rules: ['', 1] },
      summary: [{ name: '' }],
    });
    expect(refusal(answer)).toEqual(
      refused({
        name: 'Field required [input: None]',
        description: 'Input should be a valid string [input: 7]',
        'evaluator.content_type': "Input should be 'jq' or 'default' [input: rego]",
        'evaluator.rules[0]': 'String should have at least 1 character [input: ]',
        'evaluator.rules[1]': 'Input should be a valid string [input: 1]',
        'summary[0].name': 'String should have at least 1 character [input: ]',
        'summary[0].expression': 'Field required [input: None]',
      }),
    );
  });

  it('refuses a plain JSON body, and a form without data_json', async () => {
    const path = `/custom-attestation-types/${refusing.org}`;
    const required = refused({ data_json: 'Field required [input: None]' });
    expect(refusal(await refusing.call('POST', path, { json: { name: 't' } }))).toEqual(required);
    expect(refusal(await refusing.call('POST', path, { form: { files: { type_schema: '{}' } } }))).toEqual(required);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const once = { 'idempotency-key': 'once' };
    expect((await acme.post({ name: 't' }, undefined, once)).status).toBe(201);
    await acme.post({ name: 't', evaluator: jq('.a') });
    expect(refusal(await acme.post({ name: 't' }, undefined, once))).toEqual([201, 'OK']);
    expect((await acme.read('t')).versions.length).toBe(2);
    expect((await acme.post({ name: 't' }, SCHEMA, once)).status).toBe(400);
  });
});
